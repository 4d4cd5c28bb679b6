import { obisFields, obisImport, type ObisFields } from '@hes/contract/reading/obis.ts';
import { DATA_TYPES, OBIS_ACCESSES, OBIS_CATEGORY_TEXT, OBIS_DECODER_TEXT, OBIS_KIND_TEXT } from '@hes/contract/states/obis.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { z } from 'zod';
import { writeAudit } from '#db/audit.ts';
import { choiceCell, numberCell, optionalCell, textCell, yesNoCell } from '#transfer/import/cells.ts';
import { defineImport, type Judgement } from '#transfer/import/define-import.ts';
import { findByKeys, findOwners, ownerOf, upsertObis } from './queries.ts';

const MAX_OBJECTS = 5000;
const TAKEN = { en: 'The same object is kept as {key}', zh: '相同对象已登记为 {key}' };

const { key, obis, classId, attribute, unit, precision } = obisFields.shape;

const access = z
  .string()
  .toLowerCase()
  .regex(/^[rwx]{1,3}$/, RULES.cellChoice.en)
  .transform((text) => OBIS_ACCESSES.filter((letter) => text.includes(letter)));

const columns = {
  key: { label: { en: 'Reading item key', zh: '抄读项标识' }, schema: key, example: 'E_PLUS', required: true },
  obis: { label: { en: 'OBIS code', zh: 'OBIS码' }, schema: obis, example: '1-0:1.8.0.255', required: true },
  classId: { label: { en: 'Class', zh: '类' }, schema: numberCell(classId), example: '3', required: true },
  attribute: { label: { en: 'Attribute / method', zh: '属性/方法' }, schema: numberCell(attribute), example: '2', required: true },
  kind: { label: { en: 'Kind', zh: '种类' }, schema: choiceCell(OBIS_KIND_TEXT), example: 'attribute', required: true },
  nameEn: { label: { en: 'English name', zh: '英文名称' }, schema: textCell(64), example: 'Total Active Energy +', required: true },
  nameZh: { label: { en: 'Chinese name', zh: '中文名称' }, schema: textCell(64), example: '正向有功总电能', required: true },
  category: { label: { en: 'Category', zh: '类别' }, schema: choiceCell(OBIS_CATEGORY_TEXT), example: 'energy', required: true },
  dataType: { label: { en: 'Data type', zh: '数据类型' }, schema: optionalCell(z.enum(DATA_TYPES)), example: 'double-long-unsigned' },
  unit: { label: { en: 'Unit code', zh: '单位代码' }, schema: numberCell(unit.unwrap()), example: '30', required: true },
  scaler: { label: { en: 'Scaler', zh: '倍率' }, schema: optionalCell(numberCell(z.int().min(-10).max(10))), example: '0' },
  precision: { label: { en: 'Decimals', zh: '小数位' }, schema: numberCell(precision.unwrap()), example: '3', required: true },
  access: { label: { en: 'Access', zh: '访问' }, schema: access, example: 'r', required: true },
  decoder: { label: { en: 'Decoder', zh: '解码方式' }, schema: choiceCell(OBIS_DECODER_TEXT), example: 'plain', required: true },
  enabled: { label: { en: 'Enabled', zh: '启用' }, schema: yesNoCell, example: 'yes', required: true },
};

/** Import of the dictionary by keys: creates objects and updates others. Texts of enumerated values stay unchanged. */
export const obisList = defineImport<typeof columns, Omit<ObisFields, 'enumMap'>>({
  routes: obisImport,
  title: { en: 'OBIS codes', zh: 'OBIS码' },
  columns,
  maxRows: MAX_OBJECTS,
  unique: ['key'],
  async judge(_environment, db, rows) {
    const [known, owners] = [
      await findByKeys(
        db,
        rows.map((row) => row.key),
      ),
      await findOwners(
        db,
        rows.map((row) => row.obis),
      ),
    ];
    return rows.map((row): Judgement<Omit<ObisFields, 'enumMap'>> => {
      const owner = owners.get(ownerOf(row));
      if (owner !== undefined && owner !== row.key)
        return { verdict: 'error', issues: [{ column: 'obis', text: TAKEN, params: { key: owner } }] };
      return { verdict: known.has(row.key) ? 'update' : 'new', plan: row };
    });
  },
  async write({ who: { user, ip }, now }, tx, plans) {
    await upsertObis(tx, plans, now);
    const detail = { imported: plans.length, keys: plans.slice(0, 100).map((plan) => plan.key) };
    await writeAudit(tx, { userId: user.id, ip, entity: 'obis_code', action: 'obis_changed', entityId: null, detail }, now.getTime());
  },
});
