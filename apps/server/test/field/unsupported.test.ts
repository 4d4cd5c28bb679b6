import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { register, type TinyMeter } from './tiny-dcu.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';

/** A reactive register, which a tiny meter does not have. */
const LACKED = 'Q_PLUS';
const LACKED_OBIS = '1.0.3.7.0.255';

let bench: Bench;
let headEnd: HeadEnd;
let dcuId = '';
let meters: TinyMeter[] = [];
let meterIds: string[] = [];
beforeAll(async () => {
  bench = await fieldBench();
  ({ dcuId, meters, meterIds } = await bench.register('TINYDCU001', 4));
  headEnd = await bench.headEnd();
  headEnd.dial('TINYDCU001', meters);
});
afterAll(() => bench.close());

/** The reason of each requested item of each meter; null: success. */
async function ask(ids: string[], items: string[], params: Record<string, unknown> = {}): Promise<Record<string, string | null>[]> {
  const { id, ended } = await headEnd.order({
    kind: 'registers',
    params: { items, ...params },
    items: ids.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
  });
  await ended;
  const found = await bench.database.pool.query<{ reason: string | null; values: { item: string; reasonCode: string | null }[] | null }>(
    "select reason_code as reason, result->'values' as values from task_item where task_id = $1 order by id",
    [id],
  );
  return found.rows.map(({ reason, values }) =>
    values === null ? { all: reason } : Object.fromEntries(values.map(({ item, reasonCode }) => [item, reasonCode])),
  );
}

describe('an object that a type of meters does not have', () => {
  const [first = '', second = '', third = '', fourth = ''] = [0, 1, 2, 3].map((at) => `${at}`);
  const at = (place: string) => meterIds[Number(place)] ?? '';

  test('is requested from three meters, and then no longer', async () => {
    for (const place of [first, second, third])
      expect(await ask([at(place)], ['E_PLUS', LACKED])).toEqual([{ E_PLUS: null, [LACKED]: 'OBJECT_UNDEFINED' }]);
    expect(await ask([at(fourth)], ['E_PLUS', LACKED])).toEqual([{ E_PLUS: null, [LACKED]: 'TYPE_UNSUPPORTED' }]);
  });

  test('needs no exchange when nothing else is requested', async () => {
    const opened = meters.map((meter) => meter.accepted.length);
    expect(await ask([at(fourth)], [LACKED])).toEqual([{ all: 'TYPE_UNSUPPORTED' }]);
    expect(meters.map((meter) => meter.accepted.length)).toEqual(opened);
  });

  test('is requested on demand of an operator, and from all meters again once a meter has it', async () => {
    expect(await ask([at(fourth)], [LACKED], { askAnyway: true })).toEqual([{ all: 'OBJECT_UNDEFINED' }]);
    meters[3]?.objects.set(
      objectKey(3, obis(LACKED_OBIS)),
      register(obis(LACKED_OBIS), () => 12),
    );
    expect(await ask([at(fourth)], [LACKED], { askAnyway: true })).toEqual([{ [LACKED]: null }]);
    expect(await ask([at(first)], ['E_PLUS', LACKED])).toEqual([{ E_PLUS: null, [LACKED]: 'OBJECT_UNDEFINED' }]);
  });

  test('is requested again after thirty days, because firmware may change', async () => {
    for (const place of [second, third]) await ask([at(place)], ['E_PLUS', LACKED]);
    const reasonOfFirst = async () => (await ask([at(first)], ['E_PLUS', LACKED]))[0]?.[LACKED];
    expect(await reasonOfFirst()).toBe('TYPE_UNSUPPORTED');
    await bench.database.pool.query("update undefined_answer set answered_at = now() - interval '31 days'");
    expect(await reasonOfFirst()).toBe('OBJECT_UNDEFINED');
  });
});
