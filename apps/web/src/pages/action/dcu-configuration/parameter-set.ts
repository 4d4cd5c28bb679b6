import { parameterOf, refusalOf } from '@hes/contract/action/dcu-parameter.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { csvText } from '#core/files/download-csv.ts';
import type { Changes } from './parameter-form.tsx';

const HEAD = ['key', 'value', 'name', 'unit'];
/** Key and value of a line. Values with commas are quoted; values that a spreadsheet could run as a formula start with an apostrophe. */
const LINE = /^"?(\w+)"?[,;\t](?:"((?:[^"]|"")*)"|([^,;\t"]*))/;

/** A set of parameters as CSV. Key and value are imported again, the other columns are for reading. */
export const setAsCsv = (values: Changes, say: (text: Text) => string): string =>
  csvText([
    HEAD,
    ...Object.entries(values).map(([key, value]) => {
      const parameter = parameterOf(key);
      return [key, value, parameter ? say(parameter.text) : '', parameter?.unit ?? ''];
    }),
  ]);

function pairsOf(text: string): [string, unknown][] {
  if (text.trimStart().startsWith('{')) return Object.entries(JSON.parse(text) as Record<string, unknown>); // as: each value is validated below
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const [, key = '', quoted, plain = ''] = LINE.exec(line.trim()) ?? [];
    return key === '' ? [] : [[key, (quoted?.replaceAll('""', '"') ?? plain).trim().replace(/^'(?=[=+\-@])/, '')]];
  });
}

/** The known and valid parameters of a JSON or CSV file; empty when it contains none. */
export function setFrom(text: string): Changes {
  const pairs = pairsOf(text.replace(/^\uFEFF/, ''));
  return Object.fromEntries(
    pairs.flatMap(([key, value]) => (typeof value === 'string' && refusalOf(key, value) === undefined ? [[key, value]] : [])),
  );
}
