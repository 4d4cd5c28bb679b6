import { inEveryLanguage, say } from '@hes/contract/core/text.ts';
import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { expect, test } from 'vitest';
import { numberedTaskName } from '@hes/contract/task/words.ts';
import { jobPath } from '#domain/live-run/jobs.ts';
import { noticesOf, unreadOf, addSerious } from './inbox.ts';

const job = (id: string, change: Partial<TaskRow> = {}): TaskRow => ({
  id,
  kind: 'registers',
  source: 'user',
  title: 'Registers',
  state: 'finished',
  total: 3,
  done: 3,
  ok: 3,
  failed: 0,
  unknown: 0,
  priority: 3,
  createdBy: '1',
  createdByName: 'Lin Wei',
  createdAt: '2026-03-01T08:00:00Z',
  startedAt: '2026-03-01T08:00:00Z',
  finishedAt: '2026-03-01T08:05:00Z',
  params: {},
  originId: null,
  isLoaded: false,
  ...change,
});

const eventMessage = (...events: [id: string, level: 'serious' | 'warning'][]): LiveMessage => ({
  type: 'event.new',
  ts: '2026-03-01T09:00:00Z',
  id: '0',
  data: {
    count: events.length,
    events: events.map(([id, abnormalLevel]) => ({
      id,
      dcuId: '1',
      dcuSn: '3712',
      meterSn: null,
      log: 'standard',
      code: 1,
      nameEn: null,
      nameZh: null,
      abnormalLevel,
      occurAt: '2026-03-01T09:00:00Z',
    })),
  },
});

test('serious events are notices, each once', () => {
  const known = addSerious([], eventMessage(['1', 'serious'], ['2', 'warning']));
  expect(known.map(({ id }) => id)).toEqual(['1']);
  expect(addSerious(known, eventMessage(['1', 'serious']))).toBe(known);
  expect(addSerious(known, { type: 'session.revoked' } as LiveMessage)).toBe(known);
});

test('finished jobs are notices, and all notices are newest first', () => {
  const notices = noticesOf(addSerious([], eventMessage(['1', 'serious'])), [job('7'), job('8', { finishedAt: null })]);
  expect(notices.map(({ key }) => key)).toEqual(['event:1', 'job:7']);
  expect(unreadOf(notices, Date.parse('2026-03-01T08:30:00Z'))).toBe(1);
});

test('a job leads to the page it was ordered on, and is called by its kind and by its own title', () => {
  expect(jobPath(job('7'))).toBe('/action/on-demand-reading?task=7');
  expect(jobPath(job('7', { kind: 'clock_sync' }))).toBe('/action/clock-synchronization?task=7');
  expect(jobPath(job('7', { kind: 'archive_dispatch' }))).toBe('/assets/archives-dispatch?task=7');
  expect(inEveryLanguage(numberedTaskName(job('7', { kind: 'clock_sync' })))).toMatchObject({
    en: 'Clock synchronization #7',
    zh: '时钟同步 #7',
  });
  expect(say(numberedTaskName(job('7', { kind: 'collect', source: 'plan', title: 'Nightly' })), 'en-US')).toBe(
    'Scheduled collection: Nightly #7',
  );
});
