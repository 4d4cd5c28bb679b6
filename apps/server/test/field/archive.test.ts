import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { driftArchive } from '@hes/simulator/devices/drift.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 20;
let town: ArchiveBench;
beforeAll(async () => {
  town = await archiveBench({ dcus: 2, metersPerDcu: METERS });
});
afterAll(() => town.close());

interface RecordState {
  sn: string;
  bind: string;
  dispatch: string;
  distribution: string | null;
  deletion: string;
  diff: string | null;
  result: string | null;
}

const records = async (dcuId: string): Promise<RecordState[]> => {
  const found = await town.bench.database.pool.query<RecordState>(
    `select sn, bind_state as bind, dispatch_state as dispatch, distribution_state as distribution, delete_status as deletion, diff_kind as diff,
       last_result as result from archive_record where dcu_id = $1 order by idx, sn`,
    [dcuId],
  );
  return found.rows;
};
const recordOf = async (dcuId: string, sn: string) => {
  const { sn: _sn, ...state } = (await records(dcuId)).find((row) => row.sn === sn) ?? { sn };
  return state;
};
const unbind = (sn: string) => town.bench.database.pool.query('update meter set dcu_id = null where sn = $1', [sn]);
const bind = (sn: string, dcuId: string) => town.bench.database.pool.query('update meter set dcu_id = $2 where sn = $1', [sn, dcuId]);

describe('archives of DCUs', () => {
  it('S-015: an unchanged archive compares as equal, meter by meter', async () => {
    const [dcuId = ''] = town.dcuIds;
    expect(await town.order(dcuId, 'archive_compare')).toMatchObject({ state: 'read_success' });
    const rows = await records(dcuId);
    expect(rows).toHaveLength(METERS);
    expect(new Set(rows.map((row) => `${row.bind} ${row.dispatch} ${row.distribution} ${row.diff}`))).toEqual(
      new Set(['bound distributed distributed same']),
    );
  });

  it('S-015: a comparison finds lost, added, overwritten and changed records of the DCU', async () => {
    const [dcuId = ''] = town.dcuIds;
    const archive = town.simulation.dcus[0]?.archive;
    if (!archive) throw new Error('There is no DCU');
    const [lost = ''] = driftArchive('remove', archive, 3);
    const [typed = ''] = driftArchive('add', archive, 1);
    const [old = '', strange = ''] = driftArchive('serial', archive, 5);
    const [turned = ''] = driftArchive('phase', archive, 7);
    const [one = '', other = ''] = driftArchive('point', archive, 9);
    await town.order(dcuId, 'archive_compare');
    expect(await recordOf(dcuId, lost)).toMatchObject({
      bind: 'bound',
      dispatch: 'not_distributed',
      distribution: 'pending_distribution',
      diff: 'hes_only',
    });
    expect(await recordOf(dcuId, old)).toMatchObject({ diff: 'hes_only' });
    for (const sn of [typed, strange])
      expect(await recordOf(dcuId, sn)).toMatchObject({
        bind: 'not_bound',
        dispatch: 'distributed',
        deletion: 'pending_delete',
        diff: 'dcu_only',
      });
    expect(await recordOf(dcuId, turned)).toMatchObject({ dispatch: 'not_distributed', diff: 'param_diff' });
    for (const sn of [one, other]) expect(await recordOf(dcuId, sn)).toMatchObject({ diff: 'idx_conflict' });
  });

  it('S-016: a dispatch writes bound meters into the DCU, leaves other records unchanged, and returns the reason of each failed row', async () => {
    const [dcuId = ''] = town.dcuIds;
    const order = await town.order(dcuId, 'archive_dispatch', { mode: 'dispatch' });
    // The added and the overwritten record occupy the measurement points of two bound meters.
    expect(order).toMatchObject({ state: 'read_fail', reason: 'READ_BACK_DIFFERS', attempts: 1 });
    const rows = await records(dcuId);
    expect(rows.filter((row) => row.bind === 'bound' && row.diff === 'same')).toHaveLength(METERS - 2);
    expect(rows.find((row) => row.diff === 'hes_only')).toMatchObject({ result: 'refused' });
    const strays = rows.filter((row) => row.diff === 'dcu_only').map((row) => row.sn);
    expect(strays).toHaveLength(2);
    await town.order(dcuId, 'archive_dispatch', { mode: 'delete', sns: strays });
    await town.order(dcuId, 'archive_dispatch', { mode: 'dispatch' });
    expect((await records(dcuId)).filter((row) => row.bind === 'bound' && row.diff === 'same')).toHaveLength(METERS);
  });

  it('S-291 S-292 S-293 S-294: a meter goes through the four combinations of binding and distribution', async () => {
    const [dcuId = ''] = town.dcuIds;
    const sn = (await records(dcuId))[0]?.sn ?? '';
    expect(await recordOf(dcuId, sn)).toMatchObject({ bind: 'bound', dispatch: 'distributed', distribution: 'distributed' });
    await unbind(sn);
    expect(await recordOf(dcuId, sn)).toMatchObject({ bind: 'not_bound', dispatch: 'distributed', deletion: 'pending_delete' });
    expect(await town.order(dcuId, 'archive_dispatch', { mode: 'delete', sns: [sn] })).toMatchObject({ state: 'read_success' });
    expect(await recordOf(dcuId, sn)).toMatchObject({
      bind: 'not_bound',
      dispatch: 'not_distributed',
      distribution: 'deleted',
      deletion: 'deleted',
    });
    await bind(sn, dcuId);
    expect(await recordOf(dcuId, sn)).toMatchObject({ bind: 'bound', dispatch: 'not_distributed', distribution: 'pending_distribution' });
    await town.order(dcuId, 'archive_dispatch', { mode: 'dispatch', sns: [sn] });
    expect(await recordOf(dcuId, sn)).toMatchObject({
      bind: 'bound',
      dispatch: 'distributed',
      distribution: 'distributed',
      deletion: 'none',
      result: 'ok',
    });
  });

  it('S-235 S-297: a refusal of the DCU leaves the record in the state delete failed, with the reason', async () => {
    const [dcuId = ''] = town.dcuIds;
    const dcu = town.simulation.dcus[0];
    const [stray = ''] = dcu === undefined ? [] : driftArchive('add', dcu.archive, 1);
    await town.order(dcuId, 'archive_compare');
    town.simulation.faults.add({ target: dcu?.plan.sn ?? '', kind: 'refuse_archive' });
    const refused = await town.order(dcuId, 'archive_dispatch', { mode: 'delete', sns: [stray] });
    expect(refused).toMatchObject({ state: 'read_fail', reason: 'READ_BACK_DIFFERS' });
    expect(await recordOf(dcuId, stray)).toMatchObject({ deletion: 'delete_failed', result: 'refused', dispatch: 'distributed' });
    town.simulation.faults.clear();
    expect(await town.order(dcuId, 'archive_dispatch', { mode: 'delete', sns: [stray] })).toMatchObject({ state: 'read_success' });
    expect(await recordOf(dcuId, stray)).toMatchObject({ deletion: 'deleted', distribution: 'deleted', result: 'ok' });
  });

  it('marks a write without response as unknown, and finds it done with the next comparison', async () => {
    const [, dcuId = ''] = town.dcuIds;
    const dcu = town.simulation.dcus[1];
    if (!dcu) throw new Error('There is no DCU');
    const [lost = ''] = driftArchive('remove', dcu.archive, 2);
    await town.order(dcuId, 'archive_compare');
    const before = dcu.archive.changes();
    const seen: string[] = [];
    const stop = town.bench.ctx.bus.subscribe(({ message }) => {
      if (message.type === 'archive.item') for (const row of message.data.items) if (row.sn === lost) seen.push(row.lastResult ?? '-');
    });
    // Association, two proofs, count, one chunk: then the insert.
    town.simulation.faults.add({ target: dcu.plan.sn, kind: 'cut_after', count: 1, skip: 4 });
    expect(await town.order(dcuId, 'archive_dispatch', { mode: 'dispatch', sns: [lost] })).toMatchObject({
      state: 'read_success',
      attempts: 2,
    });
    stop();
    expect(seen).toContain('unknown');
    expect(seen.at(-1)).toBe('ok');
    expect(dcu.archive.changes() - before).toBe(1);
    expect(await recordOf(dcuId, lost)).toMatchObject({ diff: 'same', result: 'ok' });
  });

  it('a changed parameter in the head-end makes the record wait for distribution again', async () => {
    const [, dcuId = ''] = town.dcuIds;
    const sn = (await records(dcuId))[4]?.sn ?? '';
    await town.bench.database.pool.query("update meter set recorded_phase = 'abc' where sn = $1", [sn]);
    expect(await recordOf(dcuId, sn)).toMatchObject({
      bind: 'bound',
      dispatch: 'not_distributed',
      distribution: 'pending_distribution',
      diff: 'param_diff',
    });
    await town.order(dcuId, 'archive_dispatch', { mode: 'dispatch' });
    expect(await recordOf(dcuId, sn)).toMatchObject({ dispatch: 'distributed', diff: 'same' });
  });

  it('clears an archive, and every bound meter waits for distribution', async () => {
    const [, dcuId = ''] = town.dcuIds;
    expect(await town.order(dcuId, 'archive_dispatch', { mode: 'clear' })).toMatchObject({ state: 'read_success' });
    expect(town.simulation.dcus[1]?.archive.entries()).toHaveLength(0);
    expect(new Set((await records(dcuId)).map((row) => row.distribution))).toEqual(new Set(['pending_distribution']));
    expect(await town.order(dcuId, 'archive_dispatch', { mode: 'dispatch' })).toMatchObject({ state: 'read_success' });
    expect((await records(dcuId)).filter((row) => row.diff === 'same')).toHaveLength(METERS);
  });
});

describe('orders to DCUs themselves', () => {
  it('a DCU is tested, read and restarted, and comes back', async () => {
    const [dcuId = ''] = town.dcuIds;
    expect(await town.order(dcuId, 'dcu_test')).toMatchObject({ state: 'read_success' });
    expect(await town.order(dcuId, 'dcu_read_info')).toMatchObject({ state: 'read_success' });
    const results = await town.bench.database.pool.query<{ result: { values: { item: string; value: unknown }[]; counts: unknown } }>(
      "select result from task_item where kind = 'dcu_read_info'",
    );
    expect(results.rows[0]?.result.values.find((value) => value.item === 'FWID_DCU')?.value).toBe('HES-DC 3.1.0');
    expect(results.rows[0]?.result.counts).toEqual({ archiveEntries: town.simulation.dcus[0]?.archive.entries().length });
    expect(await town.order(dcuId, 'dcu_restart')).toMatchObject({ state: 'read_success' });
    expect(await town.order(dcuId, 'archive_compare')).toMatchObject({ state: 'read_success' });
  });
});
