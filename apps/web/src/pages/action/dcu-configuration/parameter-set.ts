import { parameterOf, refusalOf } from '@hes/contract/states/dcu-parameter.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { csvText } from '#shared/ui/download-csv.ts';
import type { Changes } from './parameter-form.tsx';

const HEAD = ['key', 'value', 'name', 'unit'];
/** Key and value of a line: a value with commas stands in quotes; what a spreadsheet could take for a formula has an apostrophe before it. */
const LINE = /^"?(\w+)"?[,;\t](?:"((?:[^"]|"")*)"|([^,;\t"]*))/;

/** A set of parameters for a spreadsheet: key and value count, the rest is for reading. */
export const setAsCsv = (values: Changes, say: (text: Text) => string): string =>
  csvText([
    HEAD,
    ...Object.entries(values).map(([key, value]) => {
      const parameter = parameterOf(key);
      return [key, value, parameter ? say(parameter.text) : '', parameter?.unit ?? ''];
    }),
  ]);

function pairsOf(text: string): [string, unknown][] {
  if (text.trimStart().startsWith('{')) return Object.entries(JSON.parse(text) as Record<string, unknown>); // as: each value is looked at below
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, key = '', quoted, plain = ''] = LINE.exec(line.trim()) ?? [];
    return key === '' ? [] : [[key, (quoted?.replaceAll('""', '"') ?? plain).trim().replace(/^'(?=[=+\-@])/, '')]];
  });
}

/** Of a file, JSON or CSV, the parameters that are known and sound; none: it is no set. */
export function setFrom(text: string): Changes {
  const pairs = pairsOf(text.replace(/^\uFEFF/, ''));
  return Object.fromEntries(
    pairs.flatMap(([key, value]) => (typeof value === 'string' && refusalOf(key, value) === undefined ? [[key, value]] : [])),
  );
}
