import type { TextParams } from '@hes/contract/core/text.ts';
import { UPGRADE_NEXT } from '@hes/contract/states/upgrade.ts';
import { expect, it } from 'vitest';
import { noteOf } from './log-note.ts';

const note = (
  fromStatus: 'error' | 'translate_init' | 'start_translate' | 'translating' | 'check_fail_block' | 'check_version',
  at: number,
  text: string | null,
) =>
  noteOf(
    { fromStatus, toStatus: UPGRADE_NEXT[fromStatus][at] ?? 'idle', text },
    (key, ...[values]: [values?: TextParams]) => `${key} ${JSON.stringify(values ?? {})}`,
  );

it('describes the numbers of the engine in words', () => {
  expect(note('start_translate', 0, '12')).toBe('fromBlock {"block":13}');
  expect(note('check_fail_block', 0, '3')).toBe('missing {"count":3}');
  expect(note('check_fail_block', 1, '0')).toBe('missing {"count":0}');
  expect(note('translating', 1, 'lost')).toBe('lost {}');
  expect(note('translate_init', 0, 'resume')).toBe('resumed {}');
  expect(note('error', 0, 'start')).toBe('anew {}');
});

it('leaves versions and sizes as they are', () => {
  expect(note('check_version', 0, 'HES-MP 2.4.1')).toBe('HES-MP 2.4.1');
  expect(note('translate_init', 0, '40 × 512 B')).toBe('40 × 512 B');
  expect(note('check_version', 0, null)).toBeNull();
});
