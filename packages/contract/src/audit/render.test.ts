import { expect, test } from 'vitest';
import { UNITS } from '../core/unit.ts';
import { AUDIT_FIELD_OF_ACTION, AUDIT_FIELD_OF_ENTITY, AUDIT_FIELD_TEXT } from './fields.ts';
import { changesOf, factsOf, idsIn, objectOf, summaryOf, unnamedOf, unspokenOf, type AuditTold } from './render.ts';

const dateTime = (at: string) => at.slice(0, 19).replace('T', ' ');
const EN = { locale: 'en-US', dateTime } as const;
const ZH = { locale: 'zh-CN', dateTime } as const;
const told = (entry: Partial<AuditTold>): AuditTold => ({ action: 'user_changed', entity: 'user', entityId: '7', detail: {}, ...entry });

test('a nested change lists only the fields that differ, by path and label', () => {
  const entry = told({
    detail: {
      username: 'nora',
      before: { value: { hours: [24, 48, 72], unit: 'h' }, name: 'Nora', phone: null },
      after: { value: { hours: [24, 48, 96], unit: 'h' }, email: '', phone: null },
    },
  });
  expect(changesOf(entry, EN)).toEqual([
    { path: 'value.hours', label: 'Value › Hours', before: '24, 48, 72', after: '24, 48, 96' },
    { path: 'name', label: 'Name', before: 'Nora', after: undefined },
  ]);
  expect(summaryOf(entry, EN)).toBe('User name: nora · Value › Hours: 24, 48, 72 → 24, 48, 96 · Name: Nora → —');
  expect(summaryOf(entry, ZH)).toBe('用户名: nora · 值 › 小时: 24, 48, 72 → 24, 48, 96 · 姓名: Nora → —');
});

test('booleans, instants and enumerations are shown in the language of the reader', () => {
  const plan = told({
    action: 'plan_changed',
    entity: 'collect_plan',
    detail: {
      before: { enabled: true, execution: 'hes_pull', lookBackDays: 1 },
      after: { enabled: false, execution: 'dcu_task', lookBackDays: 3 },
    },
  });
  expect(summaryOf(plan, EN)).toBe('Enabled: Yes → No · Look-back (days): 1 → 3 · Execution: Head-end reads → DCU task');
  expect(summaryOf(plan, ZH)).toBe('启用: 是 → 否 · 回溯天数: 1 → 3 · 执行方式: 主站采集 → 集中器任务');
  const relay = told({ action: 'relay_limits_changed', entity: 'relay', detail: { inForce: '2026-11-23T01:02:03.004Z', changedBy: null } });
  expect(factsOf(relay, EN)).toEqual([
    { path: 'inForce', label: 'In force', value: '2026-11-23 01:02:03' },
    { path: 'changedBy', label: 'Changed by', value: undefined },
  ]);
});

test('limits of relay control recorded under the field names of earlier versions are shown with the same texts as today', () => {
  const limits = (detail: Record<string, unknown>) => factsOf(told({ action: 'relay_limits_confirmed', entity: 'relay', detail }), EN);
  const texts = (detail: Record<string, unknown>) => limits(detail).map(({ label, value }) => `${label}: ${value}`);
  const former = { aloneUpTo: 6, aloneFromHour: 8, aloneToHour: 18 };
  expect(unspokenOf(told({ action: 'relay_limits_confirmed', entity: 'relay', detail: former }))).toEqual([]);
  expect(texts(former)).toEqual(texts({ soloLimitPerHour: 6, soloFromHour: 8, soloToHour: 18 }));
});

test('a setting is shown by its label, and a field by its label in the entry', () => {
  const setting = (entityId: string, value: unknown) =>
    told({ action: 'setting_changed', entity: 'setting', entityId, detail: { after: { value } } });
  expect(summaryOf(setting('timeZone', 'Asia/Shanghai'), ZH)).toBe('时区: — → Asia/Shanghai');
  expect(summaryOf(setting('freshness', { hours: [24, 48, 96] }), EN)).toBe('Communication freshness › Limits (h): — → 24, 48, 96');
  expect(summaryOf(setting('secondFactor', { requiredFor: 'everybody' }), EN)).toBe(
    'Second factor › Second factor required for: — → All users',
  );
  const upgrade = told({ action: 'upgrade_started', entity: 'upgrade_job', detail: { window: { from: '01:00', to: '05:00' } } });
  expect(summaryOf(upgrade, EN)).toBe('Window › From: 01:00 · Window › To: 05:00');
  expect(summaryOf(told({ action: 'upgrade_paused', entity: 'upgrade_job', detail: { from: 'waiting_ring', ring: 1 } }), EN)).toBe(
    'State before: Ring done, waiting · Ring: 1',
  );
  const config = told({ action: 'dcu_config_written', entity: 'task', detail: { dcus: ['D1', 'D2'], connection_mode: '2' } });
  expect(summaryOf(config, ZH)).toBe('集中器: D1, D2 · 连接方式: 被动连接');
});

test('lists of records show the fields of each in a fixed order', () => {
  const rights = {
    actions: [
      { actions: ['view', 'edit'], moduleId: '3' },
      { actions: [], moduleId: '4' },
    ],
  };
  expect(summaryOf(told({ action: 'role_permission_changed', entity: 'role', detail: { after: rights } }), EN)).toBe(
    'Actions: — → Page: 3, Actions: View, Edit; Page: 4, Actions: —',
  );
});

test('a change of the rights of a role lists only the pages with changed rights', () => {
  const rights = (dcu: string[]) => ({ rights: { '/assets/dcu': dcu, '/assets/network': ['view'] }, levelIds: [] });
  const entry = told({
    action: 'role_permission_changed',
    entity: 'role',
    detail: { before: rights(['view']), after: rights(['edit', 'view']) },
  });
  expect(summaryOf(entry, EN)).toBe('Rights › /assets/dcu: View → Edit, View');
  expect(unspokenOf(entry)).toEqual([]);
});

test('a field without a label is shown as stored, and reported', () => {
  const entry = told({ detail: { mood: 'fine', before: null, after: { name: 'N', deep: [{ er: 1 }] }, filter: { anything: 'x' } } });
  expect(factsOf(entry, EN)).toContainEqual({ path: 'mood', label: 'mood', value: 'fine' });
  expect(unspokenOf(entry)).toEqual(['deep', 'deep.er', 'mood']);
});

test('a field has both languages', () => {
  const tables = [AUDIT_FIELD_TEXT, ...Object.values(AUDIT_FIELD_OF_ENTITY), ...Object.values(AUDIT_FIELD_OF_ACTION)];
  const texts = tables.flatMap((table) => Object.values(table)).flatMap((field) => [field, ...Object.values(field.words ?? {})]);
  expect(texts.filter(({ en, zh }) => en === '' || zh === '')).toEqual([]);
});

test('a measured field is shown with its unit, and no label is a bare unit', () => {
  const order = told({ action: 'relay_ordered', entity: 'task', detail: { kw: 0, maxKwPerHour: 12.5 } });
  expect(summaryOf(order, EN)).toBe('Load: 0 kW · Load an hour: 12.5 kW');
  expect(summaryOf(order, ZH)).toBe('负荷: 0 kW · 每小时负荷: 12.5 kW');
  const tables = [AUDIT_FIELD_TEXT, ...Object.values(AUDIT_FIELD_OF_ENTITY), ...Object.values(AUDIT_FIELD_OF_ACTION)];
  const units: readonly string[] = UNITS;
  expect(tables.flatMap((table) => Object.values(table)).filter(({ en }) => units.includes(en))).toEqual([]);
});

test('ids are shown by the names stored with the entry, in both languages', () => {
  const entry = told({
    detail: {
      username: 'nora',
      before: { roleIds: [] },
      after: { roleIds: ['9', '11'] },
      names: { user: { '7': 'Nora (nora)' }, role: { '9': { en: 'Operator', zh: '值班员' }, '11': 'Night shift' } },
    },
  });
  expect(summaryOf(entry, EN)).toBe('User name: nora · Roles: — → Operator, Night shift');
  expect(summaryOf(entry, ZH)).toBe('用户名: nora · 角色: — → 值班员, Night shift');
  expect([objectOf(entry, 'en-US'), objectOf(entry, 'zh-CN')]).toEqual(['Nora (nora)', 'Nora (nora)']);
  expect(unnamedOf(entry)).toEqual([]);
  expect(idsIn(entry)).toEqual([
    { ref: 'user', id: '7' },
    { ref: 'role', id: '9' },
    { ref: 'role', id: '11' },
  ]);
});

test('the targets of a plan are named by their kind, and the pages of a role by their titles', () => {
  const plan = told({
    action: 'plan_changed',
    entity: 'collect_plan',
    detail: {
      before: { targetKind: 'transformer', targetIds: ['5'] },
      after: { targetKind: 'dcu', targetIds: ['5'] },
      names: { transformer: { '5': 'Mill Lane' }, dcu: { '5': 'DCU00005' }, collect_plan: { '7': 'Night' } },
    },
  });
  expect(summaryOf(plan, EN)).toContain('Targets: Mill Lane → DCU00005');
  const rights = (actions: string[]) => ({ rights: { '/assets/dcu': actions } });
  const role = told({
    action: 'role_permission_changed',
    entity: 'role',
    detail: {
      before: rights([]),
      after: rights(['view']),
      names: { page: { '/assets/dcu': { en: 'DCU', zh: '集中器' } }, role: { '7': 'R' } },
    },
  });
  expect(summaryOf(role, EN)).toBe('Rights › DCU: — → View');
  expect(summaryOf(role, ZH)).toBe('权限 › 集中器: — → 查看');
});

test('a number has its unit, and an id without a name is reported', () => {
  const relay = told({ action: 'relay_ordered', entity: 'task', entityId: '3', detail: { kw: 0.095, meters: 1 } });
  expect(summaryOf(relay, EN)).toBe('Meters: 1 · Load: 0.095 kW');
  expect(summaryOf(relay, ZH)).toBe('电表: 1 · 负荷: 0.095 kW');
  expect(unnamedOf(relay)).toEqual(['task 3']);
  expect(unnamedOf(told({ detail: { after: { supplierId: '4' }, names: { user: { '7': 'N' } } } }))).toEqual(['supplier 4']);
});

test('a deleted object is shown by the name in its entry, and several objects by the first ones', () => {
  const gone = told({ action: 'dcu_deleted', entity: 'dcu', detail: { before: { sn: 'DCU00001', name: '' } } });
  expect(objectOf(gone, 'en-US')).toBe('DCU00001');
  const many = told({ action: 'dcu_moved', entity: 'dcu', entityId: null, detail: { sns: ['A1', 'A2', 'A3', 'A4', 'A5'] } });
  expect(objectOf(many, 'en-US')).toBe('A1, A2, A3 … (5)');
});

/** Id-like fields that refer to no object: task items, object classes, FLAG ids, counted incidents, names of OAuth clients. */
const NO_REFERENCE = new Set(['taskItemId', 'traceId', 'classId', 'flagId', 'incidentIds', 'clientId']);
/** A label must not be a unit alone. */
const BARE_UNIT = /^(k?W|kWh|V|A|%|s|min|h|d|B)$/;

test('every field with ids declares their kind, and no label is a bare unit', () => {
  const tables = [AUDIT_FIELD_TEXT, ...Object.values(AUDIT_FIELD_OF_ENTITY), ...Object.values(AUDIT_FIELD_OF_ACTION)];
  const fields = tables.flatMap((table) => Object.entries(table));
  const mute = fields.filter(([name, { ref }]) => /Ids?$/.test(name) && ref === undefined && !NO_REFERENCE.has(name));
  expect(mute.map(([name]) => name)).toEqual([]);
  expect(fields.filter(([, { en, zh }]) => BARE_UNIT.test(en) || BARE_UNIT.test(zh)).map(([name]) => name)).toEqual([]);
});
