import { setTimeout as wait } from 'node:timers/promises';
import { reading } from '@hes/contract/reading/reading.ts';
import type { AuditResult } from '@hes/contract/orders/results.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import type { Api } from './api.ts';

export type Order = { sample: number; seed: number } | { meterSn: string; from: string; to: string };

/** The audit of one meter: its differences, or the reason why it was not compared. */
export interface MeterAudit {
  sn: string;
  audit: AuditResult | null;
  reason: string | null;
}

const LOOK_EVERY_MS = 1_000;
const ITEMS_AT_ONCE = 500;

type Item = Pick<TaskItemRow, 'meterSn' | 'reasonCode' | 'result'>;

/** Orders the comparison and waits for its end; meters that are not finished by then have no result. */
export async function orderAudit(api: Api, order: Order, withinMs: number): Promise<MeterAudit[]> {
  const { taskId } = await api.call<{ taskId: string }>('POST', reading.audit.path, order);
  const until = performance.now() + withinMs;
  while ((await api.call<{ finishedAt: string | null }>('GET', `/task/${taskId}`)).finishedAt === null && performance.now() < until)
    await wait(LOOK_EVERY_MS);
  const { items } = await api.call<{ items: Item[] }>('GET', `/task/${taskId}/items?size=${ITEMS_AT_ONCE}`);
  return items.map(({ meterSn, reasonCode, result }) => ({ sn: meterSn ?? '', audit: result?.audit ?? null, reason: reasonCode }));
}
