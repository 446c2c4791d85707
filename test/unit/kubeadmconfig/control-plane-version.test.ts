import { expect, test } from '@jest/globals';
import { newestVersion } from '../../../src/controllers/kubeadmconfig/effects/control-plane-version.js';

test.each([
  [['v1beta1', 'v1beta2'], 'v1beta2'],
  [['v1beta2', 'v1beta1'], 'v1beta2'],
  [['v1', 'v1beta2', 'v1alpha4'], 'v1'],
  [['v2alpha1', 'v1beta1'], 'v1beta1'],
  [['v2', 'v10', 'v9'], 'v10'],
  [['v1beta10', 'v1beta9'], 'v1beta10'],
  [['zebra', 'v1alpha1', 'apple'], 'v1alpha1'],
  [['zebra', 'apple'], 'apple'],
  [[''], ''],
  [[], ''],
])('control plane version: %j in the label, in any order -> %s by the priority of Kubernetes', (versions, newest) => {
  expect(newestVersion(versions)).toBe(newest);
  expect(newestVersion(versions.toReversed())).toBe(newest);
});
