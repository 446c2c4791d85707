// Takes the init lock for this Machine. Safe to repeat: the holder gets it again.
import { answer, type Answer, type Work } from './context.js';
import { takeLock } from './init-lock.js';

/** LOCK_ACQUIRED, or LOCK_HELD with who holds it. A failed call is a failure of the turn, never a lock. */
export async function acquireInitLock(work: Work): Promise<Answer> {
  const result = await takeLock(work);
  const { names } = work.facts;
  switch (result.kind) {
    case 'taken':
      return answer('LOCK_ACQUIRED', { lock: 'mine', names: { ...names, lockHolder: work.view.owner.name } });
    case 'held':
      return answer('LOCK_HELD', { lock: 'other', names: { ...names, lockHolder: result.holder } });
    case 'unreadable':
      return answer('LOCK_HELD', { lock: 'unreadable', lockProblem: result.problem });
  }
}
