// Patches of the KubeadmConfig itself, outside of its status: the spec's completed fields and this operator's annotation.
//
// Every patch is guarded by the version that the turn has: what somebody else wrote meanwhile is never overwritten.
import type { KubeadmConfigSpec } from '../../../api/kubeadmconfig/v1beta2.js';
import { annotation } from '../../../api/names.js';
import { tokenId } from '../../../bootstrap/bootstrap-token.js';
import { mergeDiff } from '../merge-diff.js';
import { kinds, targetOf, type StoredConfig } from '../objects.js';
import { specOf } from '../turn.js';
import type { Work } from './context.js';

/** Stores a spec, and the mark of a new token with it. Does nothing when nothing differs. Returns the generation. */
export async function patchSpec(
  work: Work,
  spec: KubeadmConfigSpec,
  options: { readonly newToken?: string } = {},
): Promise<number> {
  const { turn } = work;
  const change = mergeDiff(specOf(turn), spec);
  const mark = options.newToken === undefined ? {} : { annotations: { [annotation.token]: tokenId(options.newToken) } };
  if (change === undefined && options.newToken === undefined) return turn.config.metadata.generation ?? 0;
  await patch(work, { metadata: mark, ...(change === undefined ? {} : { spec: change }) });
  return turn.config.metadata.generation ?? 0;
}

/** Marks the spec's token as one of this operator's. */
export async function markToken(work: Work, token: string): Promise<void> {
  await patch(work, { metadata: { annotations: { [annotation.token]: tokenId(token) } } });
}

async function patch(work: Work, body: { readonly metadata: object; readonly spec?: unknown }): Promise<void> {
  const { turn, client, call, memory, key } = work;
  const { namespace = '', name, uid, resourceVersion } = turn.config.metadata;
  const guarded = { ...body, metadata: { ...body.metadata, uid, resourceVersion } };
  const target = targetOf(kinds.kubeadmConfig, namespace, name);
  const written = await client.mergePatch<StoredConfig>(target, guarded, call);
  memory.wrote(key, written.metadata.resourceVersion ?? '');
  turn.config = written;
}
