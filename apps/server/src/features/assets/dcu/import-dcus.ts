import { dcuSn } from '@hes/contract/asset/dcu.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { COMMUNICATE_TYPE_TEXT, CONNECTION_TYPE_TEXT, DATA_CHANNEL_TEXT } from '@hes/contract/text/device-text.ts';
import { dcuImport } from '@hes/contract/transfer/devices.ts';
import { z } from 'zod';
import { devicesChanged } from '#db/changes.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { writeAudit } from '#db/audit.ts';
import { devicesBySn, transformersByCode, typesByCode } from '#db/master-lookup.ts';
import { keysElsewhere } from '#features/assets/keys/import-keys.ts';
import { deleteCaller } from '#field/queries.ts';
import { choiceCell, numberCell, optionalCell, textCell } from '#transfer/import/cells.ts';
import { defineImport, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { positionColumns } from '#transfer/import/position.ts';
import { findTypeProtocols, insertDcu, updateDcu } from './admin-queries.ts';

const REASONS = {
  type: { en: 'There is no DCU type {code}', zh: '不存在集中器类型 {code}' },
  transformer: { en: 'There is no transformer {code} in your area', zh: '您的管辖范围内不存在变压器 {code}' },
  elsewhere: { en: 'Already in use outside your area', zh: '已在您管辖范围外使用' },
};

const columns = {
  sn: { label: { en: 'SN', zh: '编号' }, schema: dcuSn, example: 'DCU26000099', required: true },
  name: { label: { en: 'Name', zh: '名称' }, schema: optionalCell(textCell(64)), example: 'Mill Lane main DCU' },
  typeCode: { label: { en: 'Type code', zh: '类型编码' }, schema: textCell(32), example: 'DC-P100', required: true },
  transformerCode: { label: { en: 'Transformer code', zh: '变压器编码' }, schema: optionalCell(textCell(32)), example: 'NB01' },
  connectionType: {
    label: { en: 'Connection type', zh: '连接方式' },
    schema: choiceCell(CONNECTION_TYPE_TEXT),
    example: 'dial_in',
    required: true,
  },
  host: { label: { en: 'Host', zh: '主机地址' }, schema: optionalCell(textCell(253)), example: '' },
  port: { label: { en: 'Port', zh: '端口' }, schema: optionalCell(numberCell(z.int().min(1).max(65_535))), example: '' },
  communicateType: {
    label: { en: 'Communicate type', zh: '通信方式' },
    schema: choiceCell(COMMUNICATE_TYPE_TEXT),
    example: 'g4',
    required: true,
  },
  dataChannel: { label: { en: 'Data channel', zh: '数据通道' }, schema: choiceCell(DATA_CHANNEL_TEXT), example: 'plc', required: true },
  clientSap: {
    label: { en: 'Client SAP', zh: '客户端 SAP' },
    schema: optionalCell(numberCell(z.int().min(1).max(126))),
    example: '1',
  },
  serverSap: {
    label: { en: 'Server SAP', zh: '服务端 SAP' },
    schema: optionalCell(numberCell(z.int().min(1).max(16_383))),
    example: '1',
  },
  physicalAddress: {
    label: { en: 'HDLC physical address', zh: 'HDLC 物理地址' },
    schema: optionalCell(numberCell(z.int().min(0).max(16_383))),
    example: '',
  },
  country: { label: { en: 'Country', zh: '国家' }, schema: optionalCell(z.string().regex(/^[A-Z]{2}$/)), example: 'CN' },
  systemTitle: {
    label: { en: 'System title', zh: '系统标题' },
    schema: optionalCell(z.string().regex(/^[0-9A-Fa-f]{16}$/, RULES.systemTitle.en)),
    example: '',
  },
  ...positionColumns,
  simIccid: { label: { en: 'SIM ICCID', zh: 'SIM 卡 ICCID' }, schema: optionalCell(textCell(22)), example: '' },
  apn: { label: { en: 'APN', zh: 'APN' }, schema: optionalCell(textCell(64)), example: '' },
  msisdn: { label: { en: 'Phone number of the SIM', zh: 'SIM 卡号码' }, schema: optionalCell(textCell(20)), example: '' },
  note: { label: { en: 'Note', zh: '备注' }, schema: optionalCell(textCell(512)), example: '' },
};

type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };
interface Plan {
  row: Row;
  dcuTypeId: string;
  transformerId: string | null;
  existing?: string;
}

/** Import of DCUs by serial number: registers new ones and updates existing ones. */
export const dcuList = defineImport<typeof columns, Plan>({
  routes: dcuImport,
  title: { en: 'DCUs', zh: '集中器' },
  columns,
  elsewhere: keysElsewhere,
  unique: ['sn'],

  async judge({ who: { user } }, db, rows) {
    const [types, transformers, known] = [
      await typesByCode(
        db,
        'dcuType',
        rows.map((row) => row.typeCode),
      ),
      await transformersByCode(
        db,
        user,
        rows.map((row) => row.transformerCode),
      ),
      await devicesBySn(
        db,
        user,
        'dcu',
        rows.map((row) => row.sn),
      ),
    ];
    return rows.map((row): Judgement<Plan> => {
      const issues: LineIssue[] = [];
      const existing = known.get(row.sn);
      const dcuTypeId = types.get(row.typeCode.toUpperCase());
      const transformerId = row.transformerCode === null ? null : transformers.get(row.transformerCode.toUpperCase());
      if (dcuTypeId === undefined) issues.push({ column: 'typeCode', text: REASONS.type, params: { code: row.typeCode } });
      if (transformerId === undefined || (transformerId === null && !seesWholeNetwork(user)))
        issues.push({ column: 'transformerCode', text: REASONS.transformer, params: { code: row.transformerCode ?? '' } });
      if (row.connectionType === 'dial_out' && row.host === null) issues.push({ column: 'host', text: RULES.host });
      if ((row.longitude === null) !== (row.latitude === null)) issues.push({ column: 'latitude', text: RULES.position });
      if (existing?.isVisible === false) issues.push({ column: 'sn', text: REASONS.elsewhere });
      if (issues.length > 0 || dcuTypeId === undefined || transformerId === undefined) return { verdict: 'error', issues };
      const plan = { row, dcuTypeId, transformerId };
      return existing === undefined ? { verdict: 'new', plan } : { verdict: 'update', plan: { ...plan, existing: existing.id } };
    });
  },

  async write({ who, now }, tx, plans) {
    const ids: string[] = [];
    const authentication = new Map((await findTypeProtocols(tx)).map((type) => [type.id, type]));
    for (const { row, dcuTypeId, transformerId, existing } of plans) {
      const { sn, name, typeCode: _type, transformerCode: _transformer, systemTitle, ...rest } = row;
      const type = authentication.get(dcuTypeId);
      const title = systemTitle === null ? {} : { systemTitle: Buffer.from(systemTitle, 'hex') };
      if (existing === undefined) {
        const standard = {
          protocol: type?.protocol ?? ('dlms_wrapper' as const),
          authenticationType: type?.authenticationType ?? 'hls_gmac',
          clientSap: rest.clientSap ?? 1,
          serverSap: rest.serverSap ?? 1,
        };
        const fresh = { ...rest, ...standard, systemTitle: title.systemTitle ?? null, name: name ?? sn, dcuTypeId, transformerId };
        ids.push(await insertDcu(tx, { ...fresh, sn }, now));
        await deleteCaller(tx, sn);
      } else {
        // An empty cell keeps the stored value.
        const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
        await updateDcu(tx, existing, { ...said, ...title, ...(name === null ? {} : { name }), dcuTypeId, transformerId }, now);
        ids.push(existing);
      }
    }
    const ofKind = (isNew: boolean) => plans.filter((plan) => (plan.existing === undefined) === isNew).map((plan) => plan.row.sn);
    for (const [action, sns] of [['dcu_created', ofKind(true)] as const, ['dcu_changed', ofKind(false)] as const])
      if (sns.length > 0)
        await writeAudit(
          tx,
          { userId: who.user.id, ip: who.ip, action, entity: 'dcu', entityId: null, detail: { imported: sns } },
          now.getTime(),
        );
    return devicesChanged('dcu', ids);
  },
});
