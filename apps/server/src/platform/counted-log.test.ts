import { expect, test } from 'vitest';
import { monotonicAt } from './clock.ts';
import { CountedLog } from './counted-log.ts';
import { createLog } from './log.ts';

test('a hundred thousand lines of one cause are written once, and counted a minute later', () => {
  const lines: Record<string, unknown>[] = [];
  let at = 0;
  const log = new CountedLog(
    createLog('info', (line) => lines.push(JSON.parse(line) as Record<string, unknown>)), // as: our own lines
    { monotonic: () => monotonicAt(at) },
  );
  for (let count = 0; count < 100_000; count++) log.warn('A push was refused', { sn: 'M1' }, 'D1');
  log.warn('A push was refused', { sn: 'M2' }, 'D2');
  expect(lines.map(({ sn, repeated }) => [sn, repeated])).toEqual([
    ['M1', undefined],
    ['M2', undefined],
  ]);
  at = 60_000;
  log.warn('A push was refused', { sn: 'M1' }, 'D1');
  expect(lines.at(-1)).toMatchObject({ sn: 'M1', repeated: 99_999 });
});
