// The command lines of subcommands with options of their own, in every form that pflag takes (as kubectl does).
//
// `-o=json`, `--feature_gates a=true` and `--check=false` mean what they mean to `run`, whose flags are a table (flag-types.ts).

import type { Command, Option } from 'commander';
import { parseBool, UsageError } from './flag-types.js';

/** The words in the forms that commander knows. Values are never touched. Throws UsageError for a boolean that is none. */
export function pflagWords(command: Pick<Command, 'options'>, words: readonly string[]): readonly string[] {
  const known: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return [...known, ...words.slice(index)];
    const [flag, value] = splitAtEquals(word);
    const name = flag.startsWith('--') ? flag.replaceAll('_', '-') : flag;
    const option = command.options.find(({ long, short }) => name === long || name === short);
    if (option === undefined) known.push(word);
    else if (option.isBoolean()) known.push(...booleanWords(option, name, value));
    else if (value !== undefined) known.push(`${option.long}=${value}`);
    else {
      // The word after it is its value, whatever it looks like.
      known.push(name, ...words.slice(index + 1, index + 2));
      index += 1;
    }
  }
  return known;
}

function splitAtEquals(word: string): readonly [string, string | undefined] {
  const at = word.startsWith('-') ? word.indexOf('=') : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function booleanWords(option: Option, name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [name];
  const isOn = parseBool(value);
  if (isOn === null)
    throw new UsageError(`invalid argument ${JSON.stringify(value)} for ${option.long}: want true or false`);
  return isOn ? [name] : [];
}
