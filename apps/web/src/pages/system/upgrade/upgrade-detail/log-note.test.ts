import type { TextParams } from '@hes/contract/core/text.ts';
import { UPGRADE_NEXT, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { expect, it } from 'vitest';
import { noteOf, notesAt } from './log-note.ts';

const note = (
  fromStatus: 'error' | 'translate_init' | 'start_translate' | 'translating' | 'check_fail_block' | 'check_version',
  at: number,
  text: string | null,
) =>
  noteOf(
    { fromStatus, toStatus: UPGRADE_NEXT[fromStatus][at] ?? 'idle', text },
    (key, ...[values]: [values?: TextParams]) => `${key} ${JSON.stringify(values ?? {})}`,
  );

const keyOnly = (key: string, ..._params: [values?: TextParams]) => key;

it('describes the numbers of the engine in words', () => {
  expect(note('start_translate', 0, '12')).toBe('fromBlock {"block":13}');
  expect(note('check_fail_block', 0, '3')).toBe('missing {"count":3}');
  expect(note('check_fail_block', 1, '0')).toBe('missing {"count":0}');
  expect(note('translating', 1, 'lost')).toBe('lost {}');
  expect(note('translate_init', 0, 'resume')).toBe('resumed {}');
  expect(note('error', 0, 'start')).toBe('anew {}');
});

it('stand at the state that they tell of', () => {
  const line = (fromStatus: UpgradeState, toStatus: UpgradeState, text: string | null) => ({ fromStatus, toStatus, text });
  const lines = [
    line('idle', 'check_version', null),
    line('check_version', 'download_file', 'HES-MP 2.4.1'),
    line('download_file', 'enable_translate', '6127 B'),
    line('enable_translate', 'set_block_size', null),
    line('set_block_size', 'translate_init', '256 B'),
    line('translate_init', 'start_translate', 'resume'),
    line('start_translate', 'translating', '12'),
    line('translating', 'check_fail_block', null),
    line('check_fail_block', 'check_image', '0'),
  ];
  const notes = lines.map(({ toStatus }, at) => `${toStatus}: ${notesAt(lines, at, keyOnly).join(', ')}`);
  expect(notes).toEqual([
    'check_version: HES-MP 2.4.1',
    'download_file: 6127 B',
    'enable_translate: ',
    'set_block_size: 256 B',
    'translate_init: ',
    'start_translate: resumed',
    'translating: fromBlock',
    'check_fail_block: missing',
    'check_image: ',
  ]);
});

it('leaves versions and sizes as they are', () => {
  expect(note('check_version', 0, 'HES-MP 2.4.1')).toBe('HES-MP 2.4.1');
  expect(note('translate_init', 0, '40 × 512 B')).toBe('40 × 512 B');
  expect(note('check_version', 0, null)).toBeNull();
});
