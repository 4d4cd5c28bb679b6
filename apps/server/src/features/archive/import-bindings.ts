import { ERRORS } from '@hes/contract/core/errors.ts';
import { COMMUNICATION_MODE_TEXT, RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { bindingImport } from '@hes/contract/transfer/devices.ts';
import type { z } from 'zod';
import { devicesChanged } from '#db/changes.ts';
import { devicesBySn } from '#db/master-lookup.ts';
import { choiceCell, optionalCell, textCell } from '#transfer/import/cells.ts';
import { defineImport, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { bindInside } from './bind.ts';

const REASONS = {
  dcu: { en: 'There is no DCU {sn} in your area', zh: '您的管辖范围内不存在集中器 {sn}' },
  meter: { en: 'There is no meter {sn} in your area', zh: '您的管辖范围内不存在电表 {sn}' },
};

const columns = {
  dcuSn: { label: { en: 'DCU SN', zh: '集中器编号' }, schema: textCell(32), example: 'DCU26000001', required: true },
  meterSn: { label: { en: 'Meter SN', zh: '表号' }, schema: textCell(20), example: '260100010099', required: true },
  phase: { label: { en: 'Phase', zh: '相位' }, schema: optionalCell(choiceCell(RECORDED_PHASE_TEXT)), example: 'A' },
  commMode: {
    label: { en: 'Communication mode', zh: '通信模式' },
    schema: optionalCell(choiceCell(COMMUNICATION_MODE_TEXT)),
    example: 'plc',
  },
};

type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };
interface Plan {
  row: Row;
  dcuId: string;
  meterId: string;
}

/** Import of bindings, one meter and DCU per line. Existing bindings stay unchanged. */
export const bindingList = defineImport<typeof columns, Plan>({
  routes: bindingImport,
  title: { en: 'Bindings', zh: '绑定清单' },
  columns,
  unique: ['meterSn'],

  async judge({ who: { user } }, db, rows) {
    const dcus = await devicesBySn(
      db,
      user,
      'dcu',
      rows.map((row) => row.dcuSn),
    );
    const meters = await devicesBySn(
      db,
      user,
      'meter',
      rows.map((row) => row.meterSn),
    );
    return rows.map((row): Judgement<Plan> => {
      const issues: LineIssue[] = [];
      const dcu = dcus.get(row.dcuSn.toUpperCase());
      const meter = meters.get(row.meterSn.toUpperCase());
      if (dcu?.isVisible !== true) issues.push({ column: 'dcuSn', text: REASONS.dcu, params: { sn: row.dcuSn } });
      if (meter?.isVisible !== true) issues.push({ column: 'meterSn', text: REASONS.meter, params: { sn: row.meterSn } });
      else if (meter.dcuId !== null) issues.push({ column: 'meterSn', text: ERRORS.ALREADY_BOUND });
      if (issues.length > 0 || dcu === undefined || meter === undefined) return { verdict: 'error', issues };
      return { verdict: 'new', plan: { row, dcuId: dcu.id, meterId: meter.id } };
    });
  },

  async write({ who, now }, tx, plans) {
    const alike = Map.groupBy(plans, ({ dcuId, row }) => JSON.stringify([dcuId, row.phase, row.commMode]));
    for (const group of alike.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const { phase, commMode } = first.row;
      const order = { dcuId: first.dcuId, phase: phase ?? undefined, communicationMode: commMode ?? undefined };
      await bindInside(tx, who, { ...order, meterIds: group.map((plan) => plan.meterId) }, now);
    }
    return devicesChanged(
      'meter',
      plans.map((plan) => plan.meterId),
    );
  },
});
