import { expect } from '@jest/globals';
import type { BaseFacts, ConditionIntent } from '../../machines/kit/row.js';
import { kubeadmConfigLife, kubeadmConfigModel } from '../model/kubeadmconfig-model.js';
import { rowFor, type AnyModel } from '../model/kit/model.js';
import { story } from './kubeadmconfig-story.js';
import { describeMutants } from './kit/survivors.js';

function text({ type, status, reason, message, v1beta1, onlyIfAbsent, only }: ConditionIntent): string {
  const twin =
    v1beta1 === undefined
      ? ''
      : ` | ${[v1beta1.status, v1beta1.reason ?? '', v1beta1.severity ?? '', v1beta1.message ?? ''].join(' ')}`;
  return `${type} ${status} ${reason} ${message}${twin}${onlyIfAbsent === true ? '?' : ''}${only ?? ''}`;
}

/** A cheap comparison: it runs on thousands of tables. */
function checkStory(table: AnyModel['table']): void {
  for (const line of story) {
    const facts = line.facts as unknown as BaseFacts;
    const row = rowFor({ table }, { type: line.event, facts });
    const says = row?.conditions(facts).map(text) ?? [];
    const afterMs = row?.requeue?.afterMs(facts) ?? null;
    const isSame =
      row?.id === line.row &&
      row.target === line.target &&
      row.request === line.request &&
      afterMs === line.afterMs &&
      says.length === line.says.length &&
      says.every((each, index) => each === line.says[index]);
    if (!isSame)
      expect([row?.id, row?.target, row?.request, afterMs, says]).toEqual([
        line.row,
        line.target,
        line.request,
        line.afterMs,
        line.says,
      ]);
  }
}

const { failures } = kubeadmConfigModel;
const both = [false, true];

// Two halves, so that the combinations by which a mutant is told from the table stay few.
describeMutants({ ...kubeadmConfigLife, failures }, checkStory, { max: [100, 2_000] });
describeMutants(
  {
    ...kubeadmConfigModel,
    axes: {
      isHandled: both,
      isDeleting: both,
      owner: ['none', 'absent', 'Machine'],
      hasCluster: both,
      isFailedForGood: both,
      isPaused: both,
      dataSecret: ['ours', 'unowned', 'foreign'],
      hasCertificatesToAdopt: both,
      lock: ['free', 'other', 'stale'],
      isTokenDiscovery: both,
      recreateLostTokens: both,
    } as typeof kubeadmConfigModel.axes,
    failures: failures.slice(0, 2),
  },
  checkStory,
  { max: [100, 2_000] },
);
