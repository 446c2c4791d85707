import { describe, expect, test } from '@jest/globals';
import { summarizeV1Beta1 } from '../../../src/conditions/v1beta1-summary.js';
import { old } from './examples.js';

const types = ['DataSecretAvailable', 'CertificatesAvailable'];
const data = (short: string, severity?: string, reason = 'D') =>
  old('DataSecretAvailable', short, { ...(severity === undefined ? {} : { severity }), reason, message: 'd' });
const certificates = (short: string, severity?: string, reason = 'C') =>
  old('CertificatesAvailable', short, { ...(severity === undefined ? {} : { severity }), reason, message: 'c' });

describe('v1beta1 summary', () => {
  test('nothing reported: -> no summary', () => {
    expect(summarizeV1Beta1([old('Other', 'F')], types)).toBeNull();
  });

  test('only one reported, True: -> True although the other is missing, without reason, severity and message', () => {
    expect(summarizeV1Beta1([certificates('T')], types)).toEqual({ type: 'Ready', status: 'True' });
  });

  test('issues of other severity: -> the most severe wins', () => {
    expect(summarizeV1Beta1([data('F', 'Info'), certificates('F', 'Error')], types)).toEqual({
      type: 'Ready',
      status: 'False',
      severity: 'Error',
      reason: 'C',
      message: 'c',
    });
    expect(summarizeV1Beta1([data('F', 'Info'), certificates('F', 'Warning')], types)).toMatchObject({ reason: 'C' });
  });

  test('issues of one severity: -> the first by type order, whatever the order of the list', () => {
    expect(summarizeV1Beta1([certificates('F', 'Info'), data('F', 'Info')], types)).toMatchObject({
      reason: 'D',
      message: 'd',
    });
  });

  test('True and Unknown: -> True wins', () => {
    expect(summarizeV1Beta1([data('U'), certificates('T')], types)).toEqual({ type: 'Ready', status: 'True' });
  });

  test('only Unknown: -> Unknown without severity', () => {
    expect(summarizeV1Beta1([data('U', 'Error')], types)).toEqual({
      type: 'Ready',
      status: 'Unknown',
      reason: 'D',
      message: 'd',
    });
  });

  test('False without severity: -> the least of all', () => {
    expect(summarizeV1Beta1([data('F'), certificates('U')], types)).toMatchObject({ status: 'Unknown', reason: 'C' });
    expect(summarizeV1Beta1([data('F')], types)).toEqual({ type: 'Ready', status: 'False', reason: 'D', message: 'd' });
  });

  test('a step counter: -> replaces the message, not the reason; another target is named', () => {
    const counted = summarizeV1Beta1([data('F', 'Info'), certificates('T')], types, { steps: 2, target: 'Done' });
    expect(counted).toEqual({
      type: 'Done',
      status: 'False',
      severity: 'Info',
      reason: 'D',
      message: '1 of 2 completed',
    });
    expect(summarizeV1Beta1([certificates('T')], types, { steps: 2 })).toEqual({ type: 'Ready', status: 'True' });
  });
});
