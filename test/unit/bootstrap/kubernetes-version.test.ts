import { describe, expect, test } from '@jest/globals';

import { kubeadmApiFor } from '../../../src/bootstrap/kubeadm/kubeadm-api.js';
import { parseKubernetesVersion, versionError } from '../../../src/bootstrap/kubeadm/kubernetes-version.js';

describe('Kubernetes versions', () => {
  test.each([
    ['v1.34.1', '1.34.1'],
    ['1.35', '1.35.0'],
    ['1', '1.0.0'],
    [' v1.34.01 ', '1.34.1'],
    ['v1.31.0-rc.1+build.2', '1.31.0-rc.1+build.2'],
    ['v001.020.003', '1.20.3'],
    ['v1.34.1+k3s1', '1.34.1+k3s1'],
  ])('parseKubernetesVersion: %j -> %s', (given, text) => {
    expect(parseKubernetesVersion(given)).toMatchObject({ kind: 'version', version: { text } });
  });

  test.each([
    ['', 'strconv.ParseUint: parsing "": invalid syntax'],
    ['latest', 'Invalid character(s) found in major number "0latest"'],
    ['é', 'Invalid character(s) found in major number "0é"'],
    ['1..2', 'strconv.ParseUint: parsing "": invalid syntax'],
    ['1.2-rc', 'Short version cannot contain PreRelease/Build meta data'],
    ['1.99999999999999999999.0', 'strconv.ParseUint: parsing "99999999999999999999": value out of range'],
    ['v1.34.1-', 'Prerelease is empty'],
    ['v1.34.1-a_b', 'Invalid character(s) found in prerelease "a_b"'],
    ['v1.34.1-01', 'Numeric PreRelease version must not contain leading zeroes "01"'],
    ['v1.34.1+', 'Build meta data is empty'],
    ['v1.34.1+a_b', 'Invalid character(s) found in build meta data "a_b"'],
    ['v1.34.1 x', 'Invalid character(s) found in patch number "1 x"'],
  ])('parseKubernetesVersion: %j -> refused as Go refuses it', (given, cause) => {
    expect(parseKubernetesVersion(given)).toEqual({ kind: 'invalid', cause });
    expect(versionError(given, cause)).toBe(`failed to parse kubernetes version ${JSON.stringify(given)}: ${cause}`);
  });

  test.each([
    ['v1.21.99', null],
    ['v1.22.0', 'v1beta3'],
    ['v1.30.99+build', 'v1beta3'],
    ['v1.31.0-alpha.0', 'v1beta4'],
    ['v1.99.0', 'v1beta4'],
    ['v2.0.0', 'v1beta4'],
    ['v0.50.0', null],
  ])('kubeadmApiFor: %s -> %s', (given, api) => {
    const parsed = parseKubernetesVersion(given);
    expect(parsed.kind === 'version' ? kubeadmApiFor(parsed.version) : undefined).toBe(api);
  });
});
