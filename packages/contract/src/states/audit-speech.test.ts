import { expect, test } from 'vitest';
import { UNITS } from '../core/unit.ts';
import { AUDIT_FIELD_OF_ACTION, AUDIT_FIELD_OF_ENTITY, AUDIT_FIELD_TEXT } from './audit-fields.ts';
import { changesOf, factsOf, summaryOf, unspokenOf, type AuditTold } from './audit-speech.ts';

const dateTime = (at: string) => at.slice(0, 19).replace('T', ' ');
const EN = { locale: 'en-US', dateTime } as const;
const ZH = { locale: 'zh-CN', dateTime } as const;
const told = (entry: Partial<AuditTold>): AuditTold => ({ action: 'user_changed', entity: 'user', entityId: '7', detail: {}, ...entry });

test('of a nested change only what differs is shown, by its path and its text', () => {
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
  expect(summaryOf(entry, EN)).toBe('User Name: nora · Value › Hours: 24, 48, 72 → 24, 48, 96 · Name: Nora → —');
  expect(summaryOf(entry, ZH)).toBe('用户名: nora · 值 › 小时: 24, 48, 72 → 24, 48, 96 · 姓名: Nora → —');
});

test('yes and no, instants and known words are said in the language of the reader', () => {
  const plan = told({
    action: 'plan_changed',
    entity: 'collect_plan',
    detail: {
      before: { enabled: true, execution: 'hes_pull', lookBackDays: 1 },
      after: { enabled: false, execution: 'dcu_task', lookBackDays: 3 },
    },
  });
  expect(summaryOf(plan, EN)).toBe('Enabled: Yes → No · Look Back (Days): 1 → 3 · Execution: Head-End Reads → DCU Task');
  expect(summaryOf(plan, ZH)).toBe('启用: 是 → 否 · 回溯天数: 1 → 3 · 执行方式: 主站采集 → 集中器任务');
  const relay = told({ action: 'relay_limits_changed', entity: 'relay', detail: { inForce: '2026-11-23T01:02:03.004Z', changedBy: null } });
  expect(factsOf(relay, EN)).toEqual([
    { path: 'inForce', label: 'In Force', value: '2026-11-23 01:02:03' },
    { path: 'changedBy', label: 'Changed By (User ID)', value: undefined },
  ]);
});

test('a setting is called by its name, and a field by what it is in its entry', () => {
  const setting = (entityId: string, value: unknown) =>
    told({ action: 'setting_changed', entity: 'setting', entityId, detail: { after: { value } } });
  expect(summaryOf(setting('timeZone', 'Asia/Shanghai'), ZH)).toBe('时区: — → Asia/Shanghai');
  expect(summaryOf(setting('freshness', { hours: [24, 48, 96] }), EN)).toBe('Communication Freshness › Limits (h): — → 24, 48, 96');
  expect(summaryOf(setting('secondFactor', { requiredFor: 'everybody' }), EN)).toBe(
    'Second Factor › Second factor required for: — → Everybody',
  );
  const upgrade = told({ action: 'upgrade_started', entity: 'upgrade_job', detail: { window: { from: '01:00', to: '05:00' } } });
  expect(summaryOf(upgrade, EN)).toBe('Window › From: 01:00 · Window › To: 05:00');
  expect(summaryOf(told({ action: 'upgrade_paused', entity: 'upgrade_job', detail: { from: 'waiting_ring', ring: 1 } }), EN)).toBe(
    'State Before: Ring Done, Waiting · Ring: 1',
  );
  const config = told({ action: 'dcu_config_written', entity: 'task', detail: { dcus: ['D1', 'D2'], connection_mode: '2' } });
  expect(summaryOf(config, ZH)).toBe('集中器: D1, D2 · 连接方式: 被动连接');
});

test('lists of things say the fields of each, in an order for readers', () => {
  const rights = {
    actions: [
      { actions: ['view', 'edit'], moduleId: '3' },
      { actions: [], moduleId: '4' },
    ],
  };
  expect(summaryOf(told({ action: 'role_permission_changed', entity: 'role', detail: { after: rights } }), EN)).toBe(
    'Actions: — → Page ID: 3, Actions: View, Edit; Page ID: 4, Actions: —',
  );
});

test('of the rights of a role only the pages are said whose rights changed', () => {
  const rights = (dcu: string[]) => ({ rights: { '/assets/dcu': dcu, '/assets/network': ['view'] }, levelIds: [] });
  const entry = told({
    action: 'role_permission_changed',
    entity: 'role',
    detail: { before: rights(['view']), after: rights(['edit', 'view']) },
  });
  expect(summaryOf(entry, EN)).toBe('Rights › /assets/dcu: View → Edit, View');
  expect(unspokenOf(entry)).toEqual([]);
});

test('what has no text is shown as it is stored, and found', () => {
  const entry = told({ detail: { mood: 'fine', before: null, after: { name: 'N', deep: [{ er: 1 }] }, filter: { anything: 'x' } } });
  expect(factsOf(entry, EN)).toContainEqual({ path: 'mood', label: 'mood', value: 'fine' });
  expect(unspokenOf(entry)).toEqual(['deep', 'deep.er', 'mood']);
});

test('a field has both languages', () => {
  const tables = [AUDIT_FIELD_TEXT, ...Object.values(AUDIT_FIELD_OF_ENTITY), ...Object.values(AUDIT_FIELD_OF_ACTION)];
  const texts = tables.flatMap((table) => Object.values(table)).flatMap((field) => [field, ...Object.values(field.words ?? {})]);
  expect(texts.filter(({ en, zh }) => en === '' || zh === '')).toEqual([]);
});

test('a measured field says its value with its unit, and no label is a unit alone', () => {
  const order = told({ action: 'relay_ordered', entity: 'task', detail: { kw: 0, maxKwPerHour: 12.5 } });
  expect(summaryOf(order, EN)).toBe('Load: 0 kW · Load an hour: 12.5 kW');
  expect(summaryOf(order, ZH)).toBe('负荷: 0 kW · 每小时负荷: 12.5 kW');
  const tables = [AUDIT_FIELD_TEXT, ...Object.values(AUDIT_FIELD_OF_ENTITY), ...Object.values(AUDIT_FIELD_OF_ACTION)];
  const units: readonly string[] = UNITS;
  expect(tables.flatMap((table) => Object.values(table)).filter(({ en }) => units.includes(en))).toEqual([]);
});
