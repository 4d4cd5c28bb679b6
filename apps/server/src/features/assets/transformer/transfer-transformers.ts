import { pick } from '@hes/contract/core/text.ts';
import { newTransformer, transformer } from '@hes/contract/asset/transformer.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import { transformerExport, transformerImport } from '@hes/contract/transfer/assets.ts';
import { z } from 'zod';
import { writeAudit } from '#db/audit.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { choiceCell, numberCell, optionalCell, textCell } from '#transfer/import/cells.ts';
import { defineImport, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { positionColumns } from '#transfer/import/position.ts';
import { findForImport, insertTransformer, listTransformers, updateTransformer } from './queries.ts';

const code = z
  .string()
  .toUpperCase()
  .regex(/^[A-Z0-9._-]{1,32}$/, RULES.typeCode.en);
const OWNERS = { public: { en: 'Public', zh: '公变' }, private: { en: 'Private', zh: '专变' } };
const ratio = optionalCell(numberCell(z.number().positive(RULES.ratio.en).max(99_999)));

const columns = {
  code: { label: { en: 'Code', zh: '编码' }, schema: code, example: 'TR000001', required: true },
  name: { label: { en: 'Name', zh: '名称' }, schema: textCell(64), example: 'Mill Lane', required: true },
  levelCode: { label: { en: 'Level code', zh: '层级编码' }, schema: code, example: 'CITY-1', required: true },
  address: { label: { en: 'Address', zh: '地址' }, schema: optionalCell(textCell(128)), example: 'Mill Lane 7' },
  ...positionColumns,
  capacityKva: {
    label: { en: 'Capacity (kVA)', zh: '容量 (kVA)' },
    schema: optionalCell(numberCell(z.number().min(1).max(10_000))),
    example: '400',
  },
  ctRatio: { label: { en: 'CT ratio', zh: 'CT 变比' }, schema: ratio, example: '1' },
  ptRatio: { label: { en: 'PT ratio', zh: 'PT 变比' }, schema: ratio, example: '1' },
  publicOrPrivate: { label: { en: 'Public / private', zh: '公变/专变' }, schema: optionalCell(choiceCell(OWNERS)), example: 'public' },
  note: { label: { en: 'Note', zh: '备注' }, schema: optionalCell(newTransformer.shape.note.unwrap().unwrap()), example: '' },
};
type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };
interface Plan {
  row: Row;
  levelId: string;
  id: string | undefined;
}

const REASONS = {
  level: { en: 'There is no level {code} in your area', zh: '您的管辖范围内不存在层级 {code}' },
  outside: { en: 'Already in use outside your area', zh: '已被您管辖范围外的数据使用' },
  name: { en: 'Another transformer of this level has this name', zh: '该层级下已有同名变压器' },
};

/** Import of transformers by code. */
export const transformerList = defineImport<typeof columns, Plan>({
  routes: transformerImport,
  title: { en: 'Transformers', zh: '变压器' },
  columns,
  unique: ['code'],
  async judge({ who }, db, rows) {
    const { levels, transformers } = await findForImport(db, who.user, rows);
    const byCode = new Map(transformers.map((row) => [row.code, row]));
    const names = new Map(transformers.map((row) => [`${row.levelId}/${row.name}`, row.code]));
    return rows.map((row): Judgement<Plan> => {
      const issues: LineIssue[] = [];
      const refuse = (column: keyof Row, text: LineIssue['text'], params = {}) => void issues.push({ column, text, params });
      const levelId = levels.get(row.levelCode);
      const known = byCode.get(row.code);
      const name = `${levelId}/${row.name.toLowerCase()}`;
      if (levelId === undefined) refuse('levelCode', REASONS.level, { code: row.levelCode });
      if (known !== undefined && !known.isVisible) refuse('code', REASONS.outside);
      if ((names.get(name) ?? row.code) !== row.code) refuse('name', REASONS.name);
      if ((row.longitude === null) !== (row.latitude === null)) refuse('latitude', RULES.position);
      if (issues.length > 0 || levelId === undefined) return { verdict: 'error', issues };
      names.set(name, row.code);
      return { verdict: known === undefined ? 'new' : 'update', plan: { row, levelId, id: known?.id } };
    });
  },
  async write({ who, now }, tx, plans) {
    for (const { row, levelId, id } of plans) {
      const { levelCode, publicOrPrivate, ctRatio, ptRatio, ...fields } = row;
      const ratios = { ...(ctRatio === null ? {} : { ctRatio }), ...(ptRatio === null ? {} : { ptRatio }) };
      const owner = publicOrPrivate === null ? {} : { publicPrivate: publicOrPrivate };
      // An empty cell keeps the stored value.
      const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<typeof fields>; // as: the same keys
      const entityId = id ?? (await insertTransformer(tx, { ...fields, ...ratios, ...owner, levelId }, now));
      if (id !== undefined) await updateTransformer(tx, id, { ...given, ...ratios, ...owner, levelId }, now);
      const action = id === undefined ? ('transformer_created' as const) : ('transformer_changed' as const);
      const detail = { after: { ...given, levelCode }, from: 'import' };
      await writeAudit(tx, { userId: who.user.id, action, entity: 'transformer', entityId, ip: who.ip, detail }, now.getTime());
    }
  },
});

const states = {
  no_dcu: { en: 'No DCU', zh: '无集中器' },
  all_online: { en: 'All DCUs online', zh: '集中器全部在线' },
  some_offline: { en: 'Some offline', zh: '部分离线' },
  unknown: ONLINE_TEXT.unknown,
};

export const transformerSheet = defineExport({
  routes: transformerExport,
  list: transformer.list,
  title: { en: 'Transformers', zh: '变压器' },
  columns: {
    name: { label: columns.name.label, cell: (row) => row.name },
    code: { label: columns.code.label, cell: (row) => row.code },
    address: { label: columns.address.label, cell: (row) => row.address },
    longitude: { label: columns.longitude.label, cell: (row) => row.longitude },
    latitude: { label: columns.latitude.label, cell: (row) => row.latitude },
    level: { label: { en: 'Level', zh: '层级' }, cell: (row) => row.levelName },
    capacity: { label: columns.capacityKva.label, unit: 'kVA', cell: (row) => row.capacityKva },
    feeder: { label: { en: 'Feeder', zh: '馈线' }, cell: (row) => row.feederName },
    ctRatio: { label: columns.ctRatio.label, cell: (row) => row.ctRatio },
    ptRatio: { label: columns.ptRatio.label, cell: (row) => row.ptRatio },
    dcus: { label: { en: 'DCUs', zh: '集中器' }, cell: (row) => row.dcus },
    meters: { label: { en: 'Meters', zh: '电表' }, cell: (row) => row.meters },
    master: { label: { en: 'Master meter', zh: '总表' }, cell: (row) => row.masterMeterSn },
    loss: {
      label: { en: 'Last loss', zh: '最近线损率' },
      unit: '%',
      cell: (row) => row.lastLossPercent,
    },
    state: { label: { en: 'State', zh: '状态' }, cell: (row, locale) => pick(states[row.state], locale) },
    note: { label: columns.note.label, cell: (row) => row.note },
    updatedAt: { label: { en: 'Updated', zh: '更新时间' }, kind: 'time', cell: (row) => row.updatedAt },
  },
  page: ({ ctx, user, query }) => listTransformers(ctx.db, user, query),
});
