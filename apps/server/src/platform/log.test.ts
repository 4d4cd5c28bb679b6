import { expect, test } from 'vitest';
import { stripVTControlCharacters } from 'node:util';
import { createLog } from './log.ts';
import { terminalLine } from './terminal-log.ts';

test('text from devices and callers cannot break log lines or inject terminal commands', () => {
  const lines: string[] = [];
  const hostile = 'a\r\nb\u001B[2Jc\u007Fd\u009B31me\u0085f\u2028g\u202Eh\u200Fi\u061C';
  createLog('info', (line) => lines.push(line)).info('A hello was refused', { sn: hostile });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[\u0020-\u007E]+\n$/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ sn: hostile });
});

test('an error in a log line includes its cause, and letters of all scripts are unchanged', () => {
  const lines: string[] = [];
  createLog('info', (line) => lines.push(line)).error('A call failed', { error: new Error('outer', { cause: new Error('南') }) });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: { message: 'outer', cause: { message: '南' } } });
  expect(lines[0]).toContain('南');
});

test('an error that is its own cause is written, and several failures of one connection with their codes', () => {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(line));
  const endless = new Error('endless');
  endless.cause = endless;
  log.warn('One', { error: endless });
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  log.warn('Two', { error: Object.assign(new AggregateError([refused], ''), { code: 'ECONNREFUSED' }) });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ error: { message: 'endless', cause: { message: 'endless' } } });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ error: { code: 'ECONNREFUSED', errors: [{ message: 'refused' }] } });
  expect(stripVTControlCharacters(terminalLine(lines[1] ?? ''))).toContain('error="ECONNREFUSED" because of "refused"');
});

test('fields of a child are in each of its lines, and lower levels are left out', () => {
  const lines: string[] = [];
  const log = createLog('warn', (line) => lines.push(line)).child({ part: 'field' });
  log.info('Not written');
  log.warn('Written', { id: 12n });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level: 'warn', part: 'field', message: 'Written', id: '12' }]);
});

test('a line for people has no JSON around it, the causes of an error, and no control character of a device', () => {
  const lines: string[] = [];
  const log = createLog('info', (line) => lines.push(stripVTControlCharacters(terminalLine(line)))).child({ part: 'field' });
  log.warn('A hello was refused', { sn: 'x\u001B[2J\n', count: 2, error: new Error('outer', { cause: new Error('inner') }) });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^hes: \d\d:\d\d:\d\d warn {2}A hello was refused sn="x\\u001b\[2J\\n" count=2 error="outer" because of "inner"\n$/,
  );
});
