import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BusMessage } from '../../src/platform/bus.ts';
import type { DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import { adoptMeters } from '../../src/features/discovery/adopt.ts';
import { listFound, type FoundFilter } from '../../src/features/discovery/list-queries.ts';
import { clearFound, startSearch, stopSearch } from '../../src/features/discovery/service.ts';
import type { User } from '../../src/db/context.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 34;
let town: ArchiveBench;
let who: { user: User; ip: string };
beforeAll(async () => {
  town = await archiveBench({ dcus: 2, metersPerDcu: METERS });
  const { rows } = await town.bench.database.pool.query<{ id: string }>("select id from app_user where username = 'admin'");
  who = {
    user: {
      id: rows[0]?.id ?? '',
      username: 'admin',
      name: 'admin',
      sessionId: '1',
      mustChangePassword: false,
      actions: new Map(),
      scope: { kind: 'whole' },
    },
    ip: '127.0.0.1',
  };
});
afterAll(() => town.close());

const query = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await town.bench.database.pool.query<T>(text, values)).rows;

/** Resolves with the first message that matches the condition. */
const message = (is: (message: BusMessage) => boolean): Promise<BusMessage> =>
  new Promise((resolve) => {
    const stop = town.bench.ctx.bus.subscribe(({ message: told }) => {
      if (!is(told)) return;
      stop();
      resolve(told);
    });
  });
const found = async (dcuId: string, filter: FoundFilter = {}): Promise<DiscoveredRow[]> => {
  const page = await listFound(town.bench.ctx.db, who.user, { page: 1, size: 500, ...filter, dcuId });
  return page.items;
};
const until = (state: string) => message((told) => told.type === 'discovery.found' && told.data.run.state === state);

describe('a search for meters', () => {
  it('lists the meters that a DCU finds during the search, and ends when an operator stops it', async () => {
    const [dcuId = ''] = town.dcuIds;
    // One unregistered meter, one meter without DCU.
    await query('delete from archive_record where meter_id = (select min(id) from meter where dcu_id = $1)', [dcuId]);
    const [gone] = await query<{ sn: string }>('delete from meter where id = (select min(id) from meter where dcu_id = $1) returning sn', [
      dcuId,
    ]);
    const [loose] = await query<{ sn: string }>(
      'update meter set dcu_id = null where id = (select min(id) from meter where dcu_id = $1) returning sn',
      [dcuId],
    );
    const heard = message((told) => told.type === 'discovery.found' && told.data.items.length > 0);
    const { taskId } = await startSearch(town.bench.ctx, who, { dcuIds: [dcuId], mode: 'both', minutes: 10, pollSeconds: 1 });
    await expect(startSearch(town.bench.ctx, who, { dcuIds: [dcuId], mode: 'both', minutes: 10, pollSeconds: 1 })).rejects.toMatchObject({
      code: 'BUSY',
    });
    await heard;
    const [run] = await query<{ id: string; state: string }>('select id, state from discovery_run where task_id = $1', [taskId]);
    expect(run?.state).toBe('searching');
    const ended = until('finished');
    await stopSearch(town.bench.ctx, who, run?.id ?? '');
    await ended;
    const rows = await found(dcuId);
    expect(rows.length).toBeGreaterThanOrEqual(METERS);
    expect(rows.find((row) => row.sn === gone?.sn)).toMatchObject({ match: 'unknown', meterId: null });
    expect(rows.find((row) => row.sn === loose?.sn)).toMatchObject({ match: 'in_warehouse' });
    expect(rows.filter((row) => row.match === 'bound_here')).toHaveLength(METERS - 2);
    // A meter of the neighbouring DCU, with a weak signal.
    expect(rows.filter((row) => row.match === 'bound_elsewhere').every((row) => row.signal === 'fail')).toBe(true);
    // A meter of this DCU needs no decision.
    const matchesOf = async (filter: FoundFilter) => new Set((await found(dcuId, filter)).map((row) => row.match));
    expect(await matchesOf({ decided: true })).toEqual(new Set(['bound_here']));
    expect(await matchesOf({ decided: false })).toEqual(new Set(rows.map((row) => row.match).filter((match) => match !== 'bound_here')));
    expect(await found(dcuId, { firstSeenSince: rows.map((row) => row.firstSeen).toSorted()[0] ?? '' })).toHaveLength(rows.length);
    expect(await found(dcuId, { firstSeenSince: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  it('an unregistered meter returns its name, is registered, and is bound to the DCU that found it', async () => {
    const [dcuId = ''] = town.dcuIds;
    const stranger = (await found(dcuId)).find((row) => row.match === 'unknown');
    if (!stranger) throw new Error('There is no unregistered meter');
    const named = message((told) => told.type === 'discovery.found' && told.data.items.some((row) => row.nameplate !== null));
    await adoptMeters(town.bench.ctx, who, { action: 'identify', ids: [stranger.id] });
    await named;
    const [known] = (await found(dcuId)).filter((row) => row.id === stranger.id);
    expect(known?.nameplate?.logicalDeviceName).toContain(stranger.sn);
    expect(known?.suggestedTypeName).toBe('Single-phase PLC meter');
    const { items } = await adoptMeters(town.bench.ctx, who, { action: 'add_bind', ids: [stranger.id] });
    expect(items[0]).toMatchObject({ sn: stranger.sn, match: 'bound_here' });
    const [record] = await query<{ bind: string; dispatch: string }>(
      'select bind_state as bind, dispatch_state as dispatch from archive_record where sn = $1',
      [stranger.sn],
    );
    expect(record).toEqual({ bind: 'bound', dispatch: 'not_distributed' });
  });

  it('binds an unbound meter, and refuses a bound one', async () => {
    const [dcuId = ''] = town.dcuIds;
    const rows = await found(dcuId);
    const loose = rows.find((row) => row.match === 'in_warehouse');
    const bound = rows.find((row) => row.match === 'bound_here');
    await expect(adoptMeters(town.bench.ctx, who, { action: 'bind', ids: [loose?.id ?? '', bound?.id ?? ''] })).rejects.toMatchObject({
      code: 'ALREADY_BOUND',
    });
    const { items } = await adoptMeters(town.bench.ctx, who, { action: 'bind', ids: [loose?.id ?? ''] });
    expect(items[0]?.match).toBe('bound_here');
  });

  it('moves a meter only to a DCU with a better signal', async () => {
    const [here = '', there = ''] = town.dcuIds;
    const row = (await found(here)).find((one) => one.match === 'bound_here');
    if (!row) throw new Error('There is no meter');
    await query('update meter set dcu_id = $2 where id = $1', [row.meterId, there]);
    await query(
      `insert into discovered_meter (run_id, dcu_id, sn, address, protocol, comm_mode, phase, hops, signal_value, first_seen, last_seen)
       select run_id, $2, sn, address, protocol, comm_mode, phase, 2, signal_value + 5, first_seen, last_seen from discovered_meter where id = $1`,
      [row.id, there],
    );
    await expect(adoptMeters(town.bench.ctx, who, { action: 'move', ids: [row.id] })).rejects.toMatchObject({ code: 'WEAKER_HERE' });
    await query('update discovered_meter set signal_value = 1 where dcu_id = $1 and sn = $2', [there, row.sn]);
    const { items } = await adoptMeters(town.bench.ctx, who, { action: 'move', ids: [row.id] });
    expect(items[0]?.match).toBe('bound_here');
  });

  it('clears the list of found meters in the head-end and in the DCU', async () => {
    const [dcuId = ''] = town.dcuIds;
    const { taskId } = await clearFound(town.bench.ctx, who, dcuId);
    town.bench.ctx.bus.follow(`task:${taskId}`);
    expect(await found(dcuId)).toEqual([]);
    const [task] = await query<{ state: string }>('select state from task where id = $1', [taskId]);
    if (task?.state !== 'finished')
      await message((told) => told.type === 'task.progress' && told.id === taskId && told.data.finishedAt !== null);
    const [item] = await query<{ state: string }>('select state from task_item where task_id = $1', [taskId]);
    expect(item?.state).toBe('read_success');
  });
});
