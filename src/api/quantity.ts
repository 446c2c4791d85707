// Quantities of resources (`500m`, `1Gi`) in the one form that Kubernetes writes.
//
// A value is kept as a whole number of billionths, which is the finest step that Kubernetes knows; finer ones round away
// from zero. Only the written form is dealt with here, no arithmetic on quantities.

import type { Normaliser } from './schema.js';

const nano = 10n ** 9n;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const form = /^([-+]?)(\d+\.?\d*|\.\d+)(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE])|[eE]([-+]?\d+))?$/;

/** Brings a quantity into canonical form: `1000m` becomes `1`, `0.5` becomes `500m`, `1024Ki` becomes `1Mi`. */
export const normaliseQuantity: Normaliser = (given) => {
  const match = form.exec(given.trim());
  if (match === null) return { problem: `quantities must match a number with a suffix, got ${JSON.stringify(given)}` };
  if (isKeptAsGiven(match)) return { text: given.trim() };
  const [, sign = '', number = '', binary, decimal, exponent] = match;
  const power = exponent === undefined ? 3 * (decimalSuffixes.indexOf(decimal ?? '') - 3) : Number(exponent);
  const magnitude = billionths(number, power, 1024n ** BigInt(binarySuffixes.indexOf(binary ?? '')));
  if (magnitude === 0n) return { text: '0' };
  const minus = sign === '-' ? '-' : '';
  if (binary !== undefined && magnitude >= 1024n * nano && magnitude % nano === 0n) {
    return { text: minus + inBinary(magnitude / nano) };
  }
  return { text: minus + inDecimal(magnitude, exponent !== undefined) };
};

/** Kubernetes takes a text for canonical by a quick look, which also lets some others through: `12.345`, `+5`, `2e-3`. */
function isKeptAsGiven([, , number = '', binary, decimal, exponent]: RegExpExecArray): boolean {
  const [whole = '', fraction = ''] = number.split('.');
  const digits = `${whole.replace(/^0+/, '') || '0'}${fraction}`;
  if (binary !== undefined) {
    const power = 10 * binarySuffixes.indexOf(binary);
    return fraction === '' && digits.length + (power * 3) / 10 <= 14 && BigInt(digits) % 8n !== 0n;
  }
  const power = exponent === undefined ? 3 * (decimalSuffixes.indexOf(decimal ?? '') - 3) : Number(exponent);
  const scale = power - fraction.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !/^0|000$/.test(digits);
}

function billionths(number: string, power: number, factor: bigint): bigint {
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${whole}${fraction}` || '0') * factor;
  const shift = 9 + power - fraction.length;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return (digits + divisor - 1n) / divisor;
}

function inBinary(value: bigint): string {
  let rest = value;
  let step = 0;
  while (rest % 1024n === 0n && step < binarySuffixes.length - 1) {
    rest /= 1024n;
    step += 1;
  }
  return `${rest}${binarySuffixes[step]}`;
}

function inDecimal(magnitude: bigint, withExponent: boolean): string {
  let rest = magnitude;
  let step = 0;
  while (rest % 1000n === 0n && step < decimalSuffixes.length - 1) {
    rest /= 1000n;
    step += 1;
  }
  if (!withExponent) return `${rest}${decimalSuffixes[step]}`;
  return step === 3 ? `${rest}` : `${rest}e${3 * (step - 3)}`;
}
