import { ERRORS } from '@hes/contract/core/errors.ts';
import { manualReadingImport } from '@hes/contract/transfer/readings.ts';
import { z } from 'zod';
import { writeAudit } from '#db/audit.ts';
import { defineImport, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { numberCell, optionalCell, textCell, yesNoCell } from '#transfer/import/cells.ts';
import { dayNumberOf } from '@hes/contract/schedule/zone.ts';
import { Partitions } from '#storage/partitions.ts';
import { findNeighbours, storeManual, type ManualLine } from './manual-queries.ts';
import { faultsOf } from './enter-manual.ts';
import { localDay } from './service.ts';

const MAX_READINGS = 20_000;
const kwh = numberCell(z.number().min(0).max(9_999_999_999));
const tariff = (en: string, zh: string) => ({ label: { en, zh }, schema: optionalCell(kwh), example: '' });

const columns = {
  sn: {
    label: { en: 'Meter SN', zh: '电表编号' },
    schema: z
      .string()
      .min(4)
      .max(20)
      .transform((text) => text.toUpperCase()),
    example: 'M00000001',
    required: true,
  },
  date: { label: { en: 'Date', zh: '日期' }, schema: z.iso.date(), example: '2026-11-20', required: true },
  ePlus: { label: { en: 'Total Active Energy + (kWh)', zh: '正向有功总电能 (kWh)' }, schema: kwh, example: '1234.5', required: true },
  eMinus: tariff('Total Active Energy − (kWh)', '反向有功总电能 (kWh)'),
  ePlusT1: tariff('Tariff 1 + (kWh)', '正向费率1 (kWh)'),
  ePlusT2: tariff('Tariff 2 + (kWh)', '正向费率2 (kWh)'),
  ePlusT3: tariff('Tariff 3 + (kWh)', '正向费率3 (kWh)'),
  ePlusT4: tariff('Tariff 4 + (kWh)', '正向费率4 (kWh)'),
  rollover: { label: { en: 'Register rolled over', zh: '计度器翻转' }, schema: optionalCell(yesNoCell), example: '' },
  reason: { label: { en: 'Reason', zh: '原因' }, schema: textCell(128), example: 'Handheld, no signal', required: true },
};
type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };

const REASONS = {
  noMeter: { en: 'There is no meter {sn}', zh: '不存在电表 {sn}' },
  twice: { en: 'This meter and day are in the file twice', zh: '文件中该电表该日期重复' },
};

const lineOf = (row: Row): ManualLine => ({
  sn: row.sn,
  date: row.date,
  registers: [row.ePlus, row.eMinus, row.ePlusT1, row.ePlusT2, row.ePlusT3, row.ePlusT4, null, null, null, null],
});

/** Import of handheld readings by meter and day. They are marked as manual wherever they are shown. */
export const manualList = defineImport<typeof columns, ManualLine & { meterId: string; reason: string }>({
  routes: manualReadingImport,
  title: { en: 'Manual readings', zh: '人工读数' },
  columns,
  maxRows: MAX_READINGS,
  unique: [],

  async judge({ ctx, who: { user } }, db, rows) {
    const around = await findNeighbours(db, user, rows.map(lineOf));
    const today = localDay(ctx.clock.now(), ctx.settings.timeZone);
    const seen = new Set<string>();
    return rows.map((row): Judgement<ManualLine & { meterId: string; reason: string }> => {
      const issues: LineIssue[] = [];
      const refuse = (column: keyof Row, text: LineIssue['text'], params = {}) => void issues.push({ column, text, params });
      const key = `${row.sn}/${row.date}`;
      const found = around.get(key);
      if (seen.has(key)) refuse('date', REASONS.twice);
      seen.add(key);
      if (found === undefined) refuse('sn', REASONS.noMeter, { sn: row.sn });
      else {
        const entry = { date: row.date, ePlus: row.ePlus, rollover: row.rollover === true };
        for (const { code, field, params } of faultsOf(entry, found, today)) refuse(field, ERRORS[code], params);
      }
      if (issues.length > 0 || found === undefined) return { verdict: 'error', issues };
      return { verdict: found.source === null ? 'new' : 'update', plan: { ...lineOf(row), meterId: found.meterId, reason: row.reason } };
    });
  },

  async prepare({ ctx }, rows) {
    await new Partitions(ctx.pool).ensure('reading_daily', new Set(rows.map(({ date }) => dayNumberOf(date))));
    return undefined;
  },

  async write({ ctx, who, now }, tx, plans) {
    await storeManual(tx, plans, ctx.settings.timeZone);
    const detail = { readings: plans.length, reasons: [...new Set(plans.map(({ reason }) => reason))].slice(0, 10) };
    const entry = { userId: who.user.id, action: 'reading_entered', entity: 'reading', entityId: null, detail, ip: who.ip } as const;
    await writeAudit(tx, entry, now.getTime());
  },
});
