import { expect, test } from 'vitest';
import type { MeterAudit } from './order.ts';
import { exitCodeOf, reportOf, summaryOf } from './report.ts';

const found = (different: number): MeterAudit => ({
  sn: '270001',
  audit: {
    rows: 96,
    values: 576,
    absent: 2,
    different,
    differences: Array.from({ length: Math.min(1, different) }, () => ({
      profile: 'lpa',
      ts: '2026-06-01T10:00:00.000Z',
      column: 'e_plus_wh',
      stored: 12,
      meter: 13,
    })),
  },
  reason: null,
});
const silent: MeterAudit = { sn: '270002', audit: null, reason: 'METER_TIMEOUT' };

test('the report names differences, meters that were not compared, and the number of compared values', () => {
  const audits = [found(3), silent];
  const report = reportOf(audits, summaryOf(audits));
  expect(report).toContain('270001  lpa      2026-06-01T10:00:00.000Z  e_plus_wh  12      13');
  expect(report).toContain('270002 was not compared: METER_TIMEOUT');
  expect(report).toContain('576 values in 96 rows of 1 of 2 meters compared: 3 differ, of which 1 are shown; 2 stored rows');
});

test('the exit code reports differences and a comparison without meters', () => {
  const codeOf = (audits: MeterAudit[]) => exitCodeOf(summaryOf(audits));
  expect([codeOf([found(0), silent]), codeOf([found(1)]), codeOf([silent]), codeOf([])]).toEqual([0, 1, 2, 2]);
});
