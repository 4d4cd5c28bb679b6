import { meterSn } from '@hes/contract/asset/meter.ts';
import { ERRORS } from '@hes/contract/core/errors.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { COMMUNICATION_MODE_TEXT, CONNECTION_TYPE_TEXT, RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { meterImport } from '@hes/contract/transfer/devices.ts';
import { z } from 'zod';
import { devicesChanged, type Change } from '#db/changes.ts';
import type { Db, Tx } from '#db/context.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { writeAudit } from '#db/audit.ts';
import { devicesBySn, typesByCode } from '#db/master-lookup.ts';
import { keysElsewhere } from '#features/assets/keys/import-keys.ts';
import { choiceCell, numberCell, optionalCell, textCell, yesNoCell } from '#transfer/import/cells.ts';
import { defineImport, type ImportEnvironment, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { positionColumns } from '#transfer/import/position.ts';
import { insertMeters, updateMeter } from './admin-queries.ts';
import { findConnections, updateEndpoints } from './direct-queries.ts';
import { alignEndpoints } from './direct.ts';

const REASONS = {
  type: { en: 'There is no meter type {code}', zh: '不存在电表类型 {code}' },
  elsewhere: { en: 'Already in use outside your area', zh: '已在您管辖范围外使用' },
  bound: { en: 'Bound to a DCU: a direct meter has none', zh: '已绑定集中器：直连电表不经集中器' },
  notDirect: { en: 'Only a direct meter has a connection of its own', zh: '仅直连电表有自己的连接' },
  taken: { en: 'A DCU has this serial number', zh: '已有集中器使用该编号' },
};
const ratio = optionalCell(numberCell(z.number().positive(RULES.ratio.en).max(999_999)));

export const meterColumns = {
  sn: { label: { en: 'SN', zh: '表号' }, schema: meterSn, example: '260100010099', required: true },
  typeCode: { label: { en: 'Type code', zh: '类型编码' }, schema: textCell(32), example: 'SM-1P', required: true },
  communicationMode: {
    label: { en: 'Communication mode', zh: '通信模式' },
    schema: choiceCell(COMMUNICATION_MODE_TEXT),
    example: 'plc',
    required: true,
  },
  connectionType: {
    label: { en: 'Connection type', zh: '连接方式' },
    schema: optionalCell(choiceCell(CONNECTION_TYPE_TEXT)),
    example: '',
  },
  host: { label: { en: 'Host', zh: '主机地址' }, schema: optionalCell(textCell(253)), example: '' },
  port: { label: { en: 'Port', zh: '端口' }, schema: optionalCell(numberCell(z.int().min(1).max(65_535))), example: '' },
  protocol: { label: { en: 'Protocol', zh: '通信规约' }, schema: optionalCell(choiceCell(PROTOCOL_TEXT)), example: '' },
  physicalAddress: {
    label: { en: 'HDLC physical address', zh: 'HDLC 物理地址' },
    schema: optionalCell(numberCell(z.int().min(0).max(16_383))),
    example: '',
  },
  phase: { label: { en: 'Phase', zh: '相位' }, schema: optionalCell(choiceCell(RECORDED_PHASE_TEXT)), example: 'A' },
  isMaster: { label: { en: 'Is master', zh: '是否总表' }, schema: optionalCell(yesNoCell), example: 'No' },
  ctRatio: { label: { en: 'CT ratio', zh: '电流互感器变比' }, schema: ratio, example: '1' },
  ptRatio: { label: { en: 'PT ratio', zh: '电压互感器变比' }, schema: ratio, example: '1' },
  customerNo: { label: { en: 'Customer no.', zh: '户号' }, schema: optionalCell(textCell(32)), example: 'C260099' },
  customerName: { label: { en: 'Customer', zh: '用户名称' }, schema: optionalCell(textCell(64)), example: '' },
  address: { label: { en: 'Address', zh: '地址' }, schema: optionalCell(textCell(128)), example: '' },
  systemTitle: {
    label: { en: 'System title', zh: '系统标题' },
    schema: optionalCell(z.string().regex(/^[0-9A-Fa-f]{16}$/, RULES.systemTitle.en)),
    example: '',
  },
  isGenerator: { label: { en: 'Generates', zh: '发电用户' }, schema: optionalCell(yesNoCell), example: '' },
  ...positionColumns,
  note: { label: { en: 'Note', zh: '备注' }, schema: optionalCell(textCell(512)), example: '' },
};

/** Null: the meter follows its type. An export followed by an import would otherwise freeze today's ratings of the type. */
const AS_ITS_TYPE = { accuracy: null, voltage: null, current: null, phase: null };

export type MeterLine = { [K in keyof typeof meterColumns]: z.output<(typeof meterColumns)[K]['schema']> };
type Known = Awaited<ReturnType<typeof devicesBySn>> extends Map<string, infer Device> ? Device : never;
const CONNECTION_COLUMNS = ['connectionType', 'host', 'port', 'protocol', 'physicalAddress'] as const;

/** Faults of the mode of communication and of the connection, which direct meters have only. `storedHost` is that of an existing meter. */
function connectionIssues(row: MeterLine, existing: Known | undefined, storedHost: string | null): LineIssue[] {
  if (row.communicationMode !== 'direct')
    return CONNECTION_COLUMNS.flatMap((column) => (row[column] === null ? [] : [{ column, text: REASONS.notDirect }]));
  const isBound = existing !== undefined && existing.dcuId !== null;
  const lacksHost = row.connectionType === 'dial_out' && row.host === null && storedHost === null;
  return [
    ...(isBound ? [{ column: 'communicationMode', text: REASONS.bound }] : []),
    ...(lacksHost ? [{ column: 'host', text: RULES.host }] : []),
  ];
}

export interface MeterPlan {
  row: MeterLine;
  meterTypeId: string;
  existing?: string;
}

/** Judges lines of meters: new ones, and those of existing meters in the user's area. */
export async function judgeMeters(
  { who: { user } }: ImportEnvironment,
  db: Db,
  rows: readonly MeterLine[],
): Promise<Judgement<MeterPlan>[]> {
  const [types, known, dcus] = [
    await typesByCode(
      db,
      'meterType',
      rows.map((row) => row.typeCode),
    ),
    await devicesBySn(
      db,
      user,
      'meter',
      rows.map((row) => row.sn),
    ),
    await devicesBySn(
      db,
      user,
      'dcu',
      rows.map((row) => row.sn),
    ),
  ];
  const connections = await findConnections(
    db,
    [...known.values()].map(({ id }) => id),
  );
  const hostOf = new Map(connections.map(({ sn, kind, host }) => [sn, kind === 'meter' ? host : null]));
  return rows.map((row): Judgement<MeterPlan> => {
    const existing = known.get(row.sn);
    const issues = connectionIssues(row, existing, hostOf.get(row.sn) ?? null);
    const meterTypeId = types.get(row.typeCode.toUpperCase());
    if (meterTypeId === undefined) issues.push({ column: 'typeCode', text: REASONS.type, params: { code: row.typeCode } });
    if ((row.longitude === null) !== (row.latitude === null)) issues.push({ column: 'latitude', text: RULES.position });
    if (row.communicationMode === 'direct' && dcus.has(row.sn)) issues.push({ column: 'sn', text: REASONS.taken });
    if (existing?.isVisible === false) issues.push({ column: 'sn', text: REASONS.elsewhere });
    // Only users who see the whole network may change the warehouse.
    if (existing === undefined && !seesWholeNetwork(user)) issues.push({ column: 'sn', text: ERRORS.BEYOND_OWN_RIGHTS });
    if (issues.length > 0 || meterTypeId === undefined) return { verdict: 'error', issues };
    return existing === undefined
      ? { verdict: 'new', plan: { row, meterTypeId } }
      : { verdict: 'update', plan: { row, meterTypeId, existing: existing.id } };
  });
}

/** Puts new meters into the warehouse and updates existing ones, within the transaction of an import. */
export async function writeMeters({ who, now }: ImportEnvironment, tx: Tx, plans: readonly MeterPlan[]): Promise<Change[]> {
  const ids: string[] = [];
  const fresh: Parameters<typeof insertMeters>[1][number][] = [];
  for (const { row, meterTypeId, existing } of plans) {
    const { sn, typeCode: _type, phase, isMaster, isGenerator, ctRatio, ptRatio, systemTitle, ...others } = row;
    const { connectionType: _c, host: _h, port: _p, protocol: _f, physicalAddress: _a, ...rest } = others;
    const title = systemTitle === null ? {} : { systemTitle: Buffer.from(systemTitle, 'hex') };
    if (existing === undefined) {
      fresh.push({
        ...AS_ITS_TYPE,
        ...rest,
        sn,
        meterTypeId,
        recordedPhase: phase ?? 'unknown',
        isMaster: isMaster ?? false,
        isGenerator: isGenerator ?? false,
        ctRatio: ctRatio ?? 1,
        ptRatio: ptRatio ?? 1,
        systemTitle: title.systemTitle ?? null,
      });
      continue;
    }
    // An empty cell keeps the stored value.
    const given = { ...rest, recordedPhase: phase, isMaster, isGenerator, ctRatio, ptRatio };
    const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    await updateMeter(tx, existing, { ...said, ...title, meterTypeId }, now);
    ids.push(existing);
  }
  const created = await insertMeters(tx, fresh, now);
  ids.push(...created);
  await alignEndpoints(tx, ids);
  const direct = plans.flatMap(({ row }) => (row.communicationMode === 'direct' ? [row] : []));
  if (direct.length > 0) await updateEndpoints(tx, direct, now);
  const ofKind = (isNew: boolean) => plans.filter((plan) => (plan.existing === undefined) === isNew).map((plan) => plan.row.sn);
  for (const [action, sns] of [['meter_created', ofKind(true)] as const, ['meter_changed', ofKind(false)] as const])
    if (sns.length > 0)
      await writeAudit(
        tx,
        { userId: who.user.id, ip: who.ip, action, entity: 'meter', entityId: null, detail: { imported: sns } },
        now.getTime(),
      );
  return devicesChanged('meter', ids);
}

/** Import of meters by serial number: puts new ones into the warehouse and updates existing ones. */
export const meterList = defineImport<typeof meterColumns, MeterPlan>({
  routes: meterImport,
  title: { en: 'Meters', zh: '电表' },
  columns: meterColumns,
  elsewhere: keysElsewhere,
  unique: ['sn'],
  judge: judgeMeters,
  write: writeMeters,
});
