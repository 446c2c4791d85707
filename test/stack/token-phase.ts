// Renewal and rotation of a bootstrap token that lives for a short while: a pool whose machines come late.
import { at } from './api.js';
import { poolObjects } from './manifests.js';
import { until, type Run } from './phases.js';
import { tokensOf, type Token } from './workload.js';

/** Long enough for both providers to look several times, short enough for a run. */
const ttl = '30s';

/**
 * The provider runs with a short TTL. While the pool has no node its token is renewed: same token, later end. Once it has one, a token
 * that ends is followed by another one, and the data names it.
 */
export async function rotateTokens(run: Run): Promise<void> {
  const { world } = run;
  const { api, provider, pools } = world;
  const wanted = run.wanted.find(({ hasPool }) => hasPool);
  if (wanted === undefined) return;
  const { name } = provider;
  await provider.stop();
  provider.start(name, [`--bootstrap-token-ttl=${ttl}`]);
  await world.untilProviderServes();
  pools.hold(true);
  const late = `${wanted.name}-late`;
  for (const object of poolObjects({ ...wanted, poolConfig: late }, late)) await api.create(object);
  const data = async (): Promise<string> =>
    Buffer.from(String(at(await api.get('Secret', late), 'data', 'value') ?? ''), 'base64').toString('utf8');
  const token = async (): Promise<Token | undefined> => {
    const text = await data();
    return (await tokensOf(api, wanted.name)).find(({ id }) => text.includes(`${id}.`));
  };
  await until(run, 'the late pool has data', async () => ((await token()) === undefined ? ['no token'] : []));
  const first = await token();
  await until(run, 'its token is renewed', async () => {
    const now = await token();
    if (now?.id !== first?.id) throw new Error('the token was exchanged although no node had come');
    return now !== undefined && now.expiration > (first?.expiration ?? '') ? [] : [`ends at ${now?.expiration ?? ''}`];
  });
  pools.hold(false);
  await until(run, 'its token is rotated', async () => {
    const now = await token();
    return now !== undefined && now.id !== first?.id ? [] : [`still ${now === undefined ? 'none' : 'the first'}`];
  });
  await api.remove('MachinePool', late);
  await until(run, 'the late pool is gone', async () => {
    const left = [
      await api.get('MachinePool', late),
      await api.get('KubeadmConfig', late),
      await api.get('Secret', late),
    ];
    return left.filter((each) => each !== null).map(({ metadata }) => metadata.name);
  });
  await provider.stop();
  provider.start(name);
  await world.untilProviderServes();
}
