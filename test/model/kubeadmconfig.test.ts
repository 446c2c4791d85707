import { describe, expect, test } from '@jest/globals';
import { findUnreachedStates } from './kit/checks.js';
import { describeModel } from './kit/describe-model.js';
import { kubeadmConfigModel } from './kubeadmconfig-model.js';

describeModel(kubeadmConfigModel);

describe('kubeadmconfig: life', () => {
  test('KC-003 parts of the life: lock, data, tokens -> every state is reached, by drawn arrows too', () => {
    expect(findUnreachedStates(kubeadmConfigModel, 'all')).toEqual([]);
  });
});
