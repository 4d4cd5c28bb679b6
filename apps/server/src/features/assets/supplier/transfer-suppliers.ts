import { newSupplier, supplier } from '@hes/contract/asset/supplier.ts';
import { pick, say } from '@hes/contract/core/text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { supplierExport, supplierImport } from '@hes/contract/transfer/assets.ts';
import type { z } from 'zod';
import { writeAudit } from '#db/audit.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { defineImport, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { optionalCell, textCell } from '#transfer/import/cells.ts';
import { findSuppliersByCode, insertSupplier, listSuppliers, updateSupplier } from './queries.ts';

const { shape } = newSupplier;
const FLAG_TAKEN = { en: 'Already the FLAG ID of {name}', zh: '已是 {name} 的 FLAG 标识' };

const columns = {
  code: { label: { en: 'Code', zh: '编码' }, schema: shape.code, example: 'NOVA', required: true },
  name: { label: { en: 'Name', zh: '名称' }, schema: textCell(64), example: 'Nova Meters', required: true },
  flagId: { label: { en: 'FLAG ID', zh: 'FLAG 标识' }, schema: shape.flagId.unwrap(), example: 'NVA' },
  contact: { label: { en: 'Contact', zh: '联系人' }, schema: optionalCell(textCell(64)), example: 'Li Na' },
  phone: { label: { en: 'Phone', zh: '电话' }, schema: shape.phone.unwrap(), example: '+86 21 5555 0000' },
  email: { label: { en: 'Email', zh: '邮箱' }, schema: shape.email.unwrap(), example: 'service@example.org' },
  address: { label: { en: 'Address', zh: '地址' }, schema: optionalCell(textCell(128)), example: '1 River Road' },
  country: { label: { en: 'Country', zh: '国家' }, schema: shape.country.unwrap(), example: 'CN' },
  note: { label: { en: 'Note', zh: '备注' }, schema: optionalCell(textCell(256)), example: '' },
};
type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };
interface Plan {
  row: Row;
  id: string | undefined;
}

/** Import of suppliers by code. */
export const supplierList = defineImport<typeof columns, Plan>({
  routes: supplierImport,
  title: { en: 'Suppliers', zh: '供应商' },
  columns,
  unique: ['code', 'flagId'],
  async judge(_environment, db, rows) {
    const known = await findSuppliersByCode(db, rows);
    const byCode = new Map(known.map((supplierRow) => [supplierRow.code, supplierRow]));
    const byFlag = new Map(known.map((supplierRow) => [supplierRow.flagId, supplierRow]));
    return rows.map((row): Judgement<Plan> => {
      const holder = row.flagId === null ? undefined : byFlag.get(row.flagId);
      const issues: LineIssue[] =
        holder !== undefined && holder.code !== row.code ? [{ column: 'flagId', text: FLAG_TAKEN, params: { name: holder.name } }] : [];
      if (issues.length > 0) return { verdict: 'error', issues };
      const id = byCode.get(row.code)?.id;
      return { verdict: id === undefined ? 'new' : 'update', plan: { row, id } };
    });
  },
  async write({ who, now }, tx, plans) {
    for (const { row, id } of plans) {
      // An empty cell keeps the stored value.
      const given = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Partial<Row> & {
        code: string;
        name: string;
      }; // as: both are required cells
      const entityId = id ?? (await insertSupplier(tx, row, now));
      if (id !== undefined) await updateSupplier(tx, id, given, now);
      const action = id === undefined ? ('supplier_created' as const) : ('supplier_changed' as const);
      const entry = {
        userId: who.user.id,
        action,
        entity: 'supplier' as const,
        entityId,
        ip: who.ip,
        detail: { after: given, from: 'import' },
      };
      await writeAudit(tx, entry, now.getTime());
    }
  },
});

const state = { enabled: { en: 'Enabled', zh: '启用' }, disabled: { en: 'Disabled', zh: '停用' } };

export const supplierSheet = defineExport({
  routes: supplierExport,
  list: supplier.list,
  title: { en: 'Suppliers', zh: '供应商' },
  columns: {
    code: { label: columns.code.label, cell: (row) => row.code },
    name: { label: columns.name.label, cell: (row, locale) => say(modelName(row.name), locale) },
    flagId: { label: columns.flagId.label, cell: (row) => row.flagId },
    types: { label: { en: 'Types', zh: '类型' }, cell: (row) => row.types },
    devices: { label: { en: 'Devices', zh: '设备' }, cell: (row) => row.devices },
    enabled: {
      label: { en: 'State', zh: '状态' },
      cell: (row, locale) => pick(state[row.enabled ? 'enabled' : 'disabled'], locale),
    },
    contact: { label: columns.contact.label, cell: (row) => row.contact },
    phone: { label: columns.phone.label, cell: (row) => row.phone },
    email: { label: columns.email.label, cell: (row) => row.email },
    address: { label: columns.address.label, cell: (row) => row.address },
    country: { label: columns.country.label, cell: (row) => row.country },
    note: { label: columns.note.label, cell: (row) => row.note },
    updatedAt: { label: { en: 'Updated', zh: '更新时间' }, kind: 'time', cell: (row) => row.updatedAt },
  },
  page: ({ ctx, user, query }) => listSuppliers(ctx.db, user, query),
});
