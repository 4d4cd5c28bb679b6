import { readFileSync } from 'node:fs';
import path from 'node:path';
import { dcuTypeFile } from '@hes/contract/asset/dcu-type.ts';
import type { ProfileShapes } from '@hes/contract/asset/southbound.ts';
import type { DcuShapes } from '@hes/dlms/profile/dcu-shapes.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { taskIdOf } from '../../src/features/collection/dcu-tasks.ts';
import { runDuePlans } from '../../src/features/collection/schedule/plans.ts';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { metersOf, type KnownMeter } from './simulated.ts';

const FILE = path.join(import.meta.dirname, '../../../../docs/profiles/reference-dcu.json');
const reference = dcuTypeFile.parse(JSON.parse(readFileSync(FILE, 'utf8')));
const METERS = 12;

/** Another order, other types and ids, other numbers of choices and scripts, an own field, no modules, and an archive that keeps less. */
function otherShapes(): ProfileShapes {
  const { arrays, scripts } = structuredClone(reference.profile.body.shapes ?? { arrays: {}, scripts: {} });
  delete arrays['modules'];
  for (const [name, shape] of Object.entries(arrays)) {
    const fields = shape.fields
      .toReversed()
      .filter((field) => name !== 'archive' || !['meterType', 'isMaster'].includes(field.name))
      .map((field) => ({
        ...field,
        ...(field.name === 'serialNumber' ? { type: 'visible-string' } : {}),
        ...(field.type === 'long-unsigned' ? { type: 'double-long-unsigned' } : {}),
        ...(field.values === undefined ? {} : { type: 'unsigned', values: shifted(field.values) }),
      }));
    arrays[name] = { id: shape.id + 40, fields: name === 'archive' ? [{ name: 'port', type: 'unsigned' }, ...fields] : fields };
  }
  const { factoryReset: _, ...kept } = scripts;
  return { arrays, scripts: Object.fromEntries(Object.entries(kept).map(([name, number]) => [name, number + 100])) };
}
const shifted = (values: Record<string, number>) => Object.fromEntries(Object.entries(values).map(([word, number]) => [word, 20 - number]));

const file = {
  ...reference,
  type: { ...reference.type, code: 'OTHER', name: 'Other make' },
  profile: { ...reference.profile, key: 'other-make', name: 'Other make', body: { ...reference.profile.body, shapes: otherShapes() } },
};

let bench: AppBench;
let admin: TestUser;
let meters: KnownMeter[];
let dcuId: string;
let typeId: string;

beforeAll(async () => {
  // as: the import checks the names
  bench = await appBench({ scale: { dcus: 1, metersPerDcu: METERS }, dcuModel: { shapes: otherShapes() as DcuShapes } });
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  const imported = await send('/asset/dcu-type/file', file);
  expect(imported.statusCode, imported.body).toBe(201);
  typeId = imported.json().id;
  await query('update dcu set dcu_type_id = $1', [typeId]);
  meters = await metersOf(bench);
  dcuId = meters[0]?.dcuId ?? '';
}, 60_000);
afterAll(() => bench.close());

const query = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await bench.app.ctx.pool.query<T>(text, values)).rows;
const send = (url: string, payload: object, headers: Record<string, string> = {}) =>
  bench.app.call(admin, { method: 'POST', url: `/api${url}`, payload, headers });
const get = async (url: string) => (await bench.app.call(admin, { url: `/api${url}` })).json();
const dcu = () => {
  const [one] = bench.simulation.dcus;
  if (one === undefined) throw new Error('There is no DCU');
  return one;
};
const records = async () => (await get(`/asset/archive?dcuId=${dcuId}&page=1&size=50`)).items;

async function ended(answer: { statusCode: number; body: string; json(): { taskId: string } }) {
  expect(answer.statusCode, answer.body).toBe(202);
  const { taskId } = answer.json();
  await vi.waitFor(
    async () => {
      if ((await get(`/task/${taskId}`)).finishedAt === null) throw new Error('Still running');
    },
    { timeout: 20_000 },
  );
  const [item] = (await get(`/task/${taskId}/items`)).items;
  return item;
}
const done = async (url: string, payload: object) => {
  const item = await ended(await send(url, payload));
  expect({ kind: url, state: item.state, reason: item.reasonCode, text: item.reasonText }).toEqual({
    kind: url,
    state: 'read_success',
    reason: null,
    text: null,
  });
  return item;
};

describe('a DCU type in a file', () => {
  it('is exported as it was imported, and the reference type is the file of the documentation', async () => {
    const fileOf = async (id: string) => dcuTypeFile.parse(await get(`/asset/dcu-type/${id}/file`));
    expect(await fileOf(typeId)).toEqual(file);
    const [own] = await query<{ id: string }>("select id from dcu_type where builtin_key = 'dcu'");
    expect(await fileOf(own?.id ?? '')).toEqual(reference);
  });

  it('states the parts of its profile', async () => {
    const { profiles } = await get('/asset/dcu-type/choice');
    const partsOf = (key: string) => profiles.find((row: { key: string }) => row.key === key).parts;
    const lacking = partsOf('hes-dcu-1').filter((part: string) => !partsOf('other-make').includes(part));
    expect(lacking).toEqual(['modules', 'station_restart', 'factory_reset']);
  });

  it('with faulty shapes is refused with every fault at its place', async () => {
    const shapes = otherShapes();
    shapes.arrays['archive']?.fields.push({ name: 'phase', type: 'date-time' });
    shapes.scripts['reboot'] = 1;
    const faulty = {
      ...file,
      type: { ...file.type, code: 'FAULTY', name: 'Faulty' },
      profile: { ...file.profile, key: 'faulty', body: { ...file.profile.body, shapes } },
    };
    const refused = await send('/asset/dcu-type/file', faulty, { 'accept-language': 'zh-CN' });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'VALIDATION']);
    expect(refused.json().issues).toEqual([
      { field: 'profile.body.shapes.scripts', message: '主站不支持脚本 reboot' },
      { field: 'profile.body.shapes.archive', message: '字段 phase 重复' },
      { field: 'profile.body.shapes.archive.phase', message: '该字段不能使用类型 date-time' },
    ]);
    expect(await query("select from southbound_profile where key = 'faulty'")).toEqual([]);
  });
});

describe('a DCU with other shapes', () => {
  it('has an archive that compares as equal, although it keeps less of each meter', async () => {
    const { result } = await done('/asset/archive/compare', { dcuIds: [dcuId] });
    expect(result.counts).toEqual({ entries: METERS, same: METERS });
  });

  it('receives meters and loses them', async () => {
    const last = (await records()).at(-1);
    await send('/asset/archive/unbind', { recordIds: [last.id] });
    await done('/asset/archive/delete', { dcuId, recordIds: [last.id] });
    expect(dcu().archive.entries()).toHaveLength(METERS - 1);
    await send('/asset/archive/bind', { dcuId, meterIds: [last.meterId] });
    await done('/asset/archive/dispatch', { dcuId, all: true });
    expect(dcu().archive.entries().at(-1)).toMatchObject({ serialNumber: Uint8Array.from(Buffer.from(last.sn)), port: 0, enabled: true });
    expect((await records()).map((row: { diffKind: string }) => row.diffKind)).toEqual(Array.from({ length: METERS }, () => 'same'));
  });

  it('keeps its own field of an entry that is changed', async () => {
    const [first] = dcu().archive.entries();
    if (first === undefined) throw new Error('The archive is empty');
    const changed = { ...first, port: 7, phase: first.phase === 'a' ? ('b' as const) : ('a' as const) };
    dcu().archive.update(1, changed);
    const { result } = await done('/asset/archive/compare', { dcuIds: [dcuId] });
    expect(result.counts).toMatchObject({ param_diff: 1 });
    await done('/asset/archive/dispatch', { dcuId, all: true });
    expect(dcu().archive.entries()[0]).toMatchObject({ port: 7, phase: first.phase });
  });

  it('searches for meters, and reports its network', async () => {
    const search = await send('/asset/discovery', { dcuIds: [dcuId], mode: 'both', minutes: 10, pollSeconds: 5 });
    expect(search.statusCode, search.body).toBe(202);
    await expect
      .poll(async () => (await query('select from discovered_meter where dcu_id = $1', [dcuId])).length, { timeout: 15_000 })
      .toBeGreaterThan(0);
    const [run] = await query<{ id: string }>('select id from discovery_run');
    expect((await send(`/asset/discovery/${run?.id}/stop`, {})).statusCode).toBe(200);
    await ended(search);
    expect((await query('select from discovered_meter where dcu_id = $1', [dcuId])).length).toBeGreaterThanOrEqual(METERS);
    await done(`/network/topology/${dcuId}/refresh`, {});
    const { nodes } = await get(`/network/topology/${dcuId}`);
    expect(new Set(nodes.map(({ sn }: { sn: string }) => sn))).toEqual(new Set(meters.map(({ plan }) => plan.sn)));
  });

  it('receives the tasks of plans once', async () => {
    const [plan] = await query<{ id: string }>(
      `insert into collect_plan (name, type, schedule, look_back_days, execution, retry_count, retry_interval_min)
       values ('By the DCU', 'daily', '0 0 3 * * ? *', 2, 'dcu_task', 0, 1) returning id::text as id`,
    );
    const counts = async () => {
      await query('update collect_plan set next_run_at = null where enabled');
      await runDuePlans(bench.app.ctx);
      const latest =
        "select result->'counts' as counts, finished_at as at from task_item where kind = 'dcu_tasks' order by id desc limit 1";
      await expect.poll(async () => (await query<{ at: Date | null }>(latest))[0]?.at ?? null, { timeout: 20_000 }).not.toBeNull();
      return (await query<{ counts: object }>(latest))[0]?.counts;
    };
    expect(await counts()).toEqual({ inserted: 1, updated: 0, removed: 0 });
    expect(dcu().tasks.entries()).toMatchObject([{ taskId: taskIdOf(plan?.id ?? ''), depth: 2 }]);
    await query("delete from task where kind in ('dcu_tasks', 'collect')");
    expect(await counts()).toEqual({ inserted: 0, updated: 0, removed: 0 });
  });

  it('executes its scripts, and is not asked for one that it lacks', async () => {
    await done('/action/clock', { operation: 'broadcast', devices: [{ kind: 'dcu', id: dcuId }], reason: 'Drift' });
    const refused = await send(`/action/dcu-config/${dcuId}/factory`, { sn: dcu().plan.sn, reason: 'Test' });
    expect([refused.statusCode, refused.json().detail], refused.body).toEqual([
      409,
      expect.stringContaining('This DCU has no factory reset'),
    ]);
    const modules = await send('/debug/sta-model/read', { dcuId });
    expect([modules.statusCode, modules.json().code], modules.body).toEqual([409, 'DCU_LACKS']);
    await done(`/action/dcu-config/${dcuId}/restart`, { reason: 'Test' });
    await expect.poll(() => dcu().isConnected(), { timeout: 10_000 }).toBe(false);
  });
});
