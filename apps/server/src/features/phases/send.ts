import { orderDispatch } from '#features/archive/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { findUnsent } from './decide-queries.ts';

interface Sent {
  taskId: string;
  dcuId: string;
  dcuSn: string;
  meters: number;
}

/** Dispatches written phases with the archives of their DCUs. A busy DCU does not delay the others. */
export async function sendToField(ctx: Context, who: Who, meterIds: readonly string[]): Promise<{ tasks: Sent[]; busy: string[] }> {
  const unsent = await findUnsent(ctx.db, who.user, meterIds);
  if (unsent.length === 0) throw new ApiError('NOTHING_TO_DO');
  const tasks: Sent[] = [];
  const busy: ApiError[] = [];
  for (const [dcuId, records] of Map.groupBy(unsent, (record) => record.dcuId)) {
    try {
      const { taskId } = await orderDispatch(ctx, who, { dcuId, recordIds: records.map((record) => record.recordId), all: false });
      tasks.push({ taskId, dcuId, dcuSn: records[0]?.dcuSn ?? '', meters: records.length });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'BUSY')) throw error;
      busy.push(error);
    }
  }
  if (tasks.length === 0 && busy[0]) throw busy[0];
  return { tasks, busy: busy.map((error) => String(error.params['sn'])) };
}
