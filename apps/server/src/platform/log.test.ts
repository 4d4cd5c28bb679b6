import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('text from devices and callers cannot break log lines or inject terminal commands', () => {
  const lines: string[] = [];
  const hostile = 'a\r\nb\u001B[2Jc\u007Fd\u009B31me\u0085f\u2028g\u202Eh';
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
