import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 20;
let town: ArchiveBench;
beforeAll(async () => {
  town = await archiveBench({ dcus: 2, metersPerDcu: METERS });
});
afterAll(() => town.close());

const states = async (dcuId: string) => {
  const found = await town.bench.database.pool.query<{
    sn: string;
    bind: string;
    dispatch: string;
    distribution: string;
    del: string;
    diff: string;
  }>(
    `select sn, bind_state as bind, dispatch_state as dispatch, distribution_state as distribution, delete_status as del, diff_kind as diff
     from archive_record where dcu_id = $1 order by idx, sn`,
    [dcuId],
  );
  return found.rows;
};

describe('archives of DCUs', () => {
  it('S-015: an archive that is as it was delivered compares as the same, meter by meter', async () => {
    const [dcuId = ''] = town.dcuIds;
    expect(await town.order(dcuId, 'archive_compare')).toMatchObject({ state: 'read_success' });
    const rows = await states(dcuId);
    expect(rows).toHaveLength(METERS);
    expect(new Set(rows.map((row) => `${row.bind} ${row.dispatch} ${row.distribution} ${row.diff}`))).toEqual(
      new Set(['bound distributed distributed same']),
    );
  });
});
