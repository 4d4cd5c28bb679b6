import { level, LEVEL_TYPE_TEXT, MAX_LEVEL_DEPTH, newLevel } from '@hes/contract/asset/level.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { say } from '@hes/contract/core/text.ts';
import { levelExport, levelImport } from '@hes/contract/transfer/assets.ts';
import { lockInTransaction } from '#db/advisory-locks.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { z } from 'zod';
import { writeAudit } from '#db/audit.ts';
import { defineExport } from '#transfer/export/define-export.ts';
import { choiceCell, numberCell, optionalCell, textCell } from '#transfer/import/cells.ts';
import { defineImport, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { positionColumns } from '#transfer/import/position.ts';
import { findLevelCodes, listLevels } from './queries.ts';
import { LEVELS } from './service.ts';

const code = newLevel.shape.code;
const columns = {
  parentCode: { label: { en: 'Parent code', zh: '上级编码' }, schema: optionalCell(code), example: 'CITY' },
  code: { label: { en: 'Code', zh: '编码' }, schema: code, example: 'CITY-1', required: true },
  name: { label: { en: 'Name', zh: '名称' }, schema: textCell(64), example: 'North Bank', required: true },
  type: { label: { en: 'Type', zh: '类型' }, schema: choiceCell(LEVEL_TYPE_TEXT), example: 'district', required: true },
  sort: { label: { en: 'Order', zh: '排序' }, schema: optionalCell(numberCell(z.number().int().min(0).max(9999))), example: '10' },
  ...positionColumns,
  note: { label: { en: 'Note', zh: '备注' }, schema: optionalCell(textCell(256)), example: '' },
};
type Row = { [K in keyof typeof columns]: z.output<(typeof columns)[K]['schema']> };
interface Plan {
  row: Row;
  id: string | undefined;
}

const REASONS = {
  noParent: { en: 'There is no level {code} in your area or above this line', zh: '您的管辖范围内及本行之前均不存在层级 {code}' },
  top: { en: 'Your network area has no top: name a parent', zh: '您的管辖范围不含顶层，请填写上级编码' },
  outside: { en: 'Outside your network area', zh: '不在您的管辖范围内' },
  moved: { en: 'Is below {code} now: move it on the page', zh: '当前上级为 {code}，请在页面移动' },
  deep: { en: 'Levels may be {max} deep at most', zh: '层级最多 {max} 级' },
  sibling: { en: 'Another level below the same parent has this name', zh: '同一上级下已有同名层级' },
};

const MAX_LEVELS = 5000;

interface Place {
  id: string | undefined;
  parentCode: string | null;
  depth: number;
  isWithin: boolean;
}

/** Import of levels by code. A parent must exist already or precede its children in the file. */
export const levelList = defineImport<typeof columns, Plan>({
  routes: levelImport,
  title: { en: 'Network levels', zh: '网络层级' },
  columns,
  maxRows: MAX_LEVELS,
  unique: ['code'],
  async judge({ who }, db, rows) {
    const levels = await listLevels(db, who.user);
    const codes = new Map(levels.map((level) => [level.id, level.code]));
    const places = new Map<string, Place>(
      levels.map((level) => [
        level.code,
        {
          id: level.id,
          parentCode: level.parentId === null ? null : (codes.get(level.parentId) ?? null),
          depth: level.depth,
          isWithin: level.isWithin,
        },
      ]),
    );
    const names = new Map(levels.map((level) => [`${places.get(level.code)?.parentCode ?? ''}/${level.name.toLowerCase()}`, level.code]));
    return rows.map((row): Judgement<Plan> => {
      const issues: LineIssue[] = [];
      const refuse = (column: keyof Row, text: LineIssue['text'], params = {}) => void issues.push({ column, text, params });
      const own = places.get(row.code);
      const parent = row.parentCode === null ? undefined : places.get(row.parentCode);
      const name = `${row.parentCode ?? ''}/${row.name.toLowerCase()}`;
      if (own?.id !== undefined && !own.isWithin) refuse('code', REASONS.outside);
      if (own?.id !== undefined && own.parentCode !== row.parentCode) refuse('parentCode', REASONS.moved, { code: own.parentCode ?? '—' });
      if (row.parentCode !== null && !parent?.isWithin) refuse('parentCode', REASONS.noParent, { code: row.parentCode });
      if (row.parentCode === null && own?.id === undefined && !seesWholeNetwork(who.user)) refuse('parentCode', REASONS.top);
      if ((parent?.depth ?? 0) >= MAX_LEVEL_DEPTH) refuse('parentCode', REASONS.deep, { max: MAX_LEVEL_DEPTH });
      if ((names.get(name) ?? row.code) !== row.code) refuse('name', REASONS.sibling);
      if ((row.longitude === null) !== (row.latitude === null)) refuse('latitude', RULES.position);
      if (issues.length > 0) return { verdict: 'error', issues };
      names.set(name, row.code);
      // Later lines may name this level as their parent.
      places.set(row.code, own ?? { id: undefined, parentCode: row.parentCode, depth: (parent?.depth ?? 0) + 1, isWithin: true });
      return { verdict: own?.id === undefined ? 'new' : 'update', plan: { row, id: own?.id } };
    });
  },
  async write({ who, now }, tx, plans) {
    await lockInTransaction(tx, 'levelTree');
    const codes = [...new Set(plans.flatMap(({ row }) => [row.code, ...(row.parentCode === null ? [] : [row.parentCode])]))];
    const known = await findLevelCodes(tx, codes);
    const ids = new Map(known.map((level) => [level.code, level.id]));
    for (const { row, id } of plans) {
      const { parentCode, sort, ...fields } = row;
      const written = { ...fields, ...(sort === null ? {} : { sort }) };
      if (id === undefined)
        ids.set(
          row.code,
          await LEVELS.insert(tx, who, { ...written, parentId: parentCode === null ? null : (ids.get(parentCode) ?? null) }, now),
        );
      else await LEVELS.update(tx, who, id, written, now);
      const action = id === undefined ? ('network_level_created' as const) : ('network_level_changed' as const);
      const detail = { after: row, from: 'import' };
      await writeAudit(
        tx,
        { userId: who.user.id, action, entity: 'network_level', entityId: ids.get(row.code) ?? id ?? null, ip: who.ip, detail },
        now.getTime(),
      );
    }
  },
});

/** Export of levels with the columns of the import. */
export const levelSheet = defineExport({
  routes: levelExport,
  list: level.list,
  title: { en: 'Network levels', zh: '网络层级' },
  columns: {
    parentCode: { label: columns.parentCode.label, cell: (row) => row.parentCode },
    code: { label: columns.code.label, cell: (row) => row.code },
    name: { label: columns.name.label, cell: (row) => row.name },
    type: { label: columns.type.label, cell: (row, locale) => say(LEVEL_TYPE_TEXT[row.type], locale) },
    sort: { label: columns.sort.label, cell: (row) => row.sort },
    longitude: { label: columns.longitude.label, cell: (row) => row.longitude },
    latitude: { label: columns.latitude.label, cell: (row) => row.latitude },
    note: { label: columns.note.label, cell: (row) => row.note },
  },
  page: async ({ ctx, user }) => ({ items: await listLevels(ctx.db, user) }),
});
