import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { DayRow } from './day-rows.ts';
import { commonGrid, isSameGrid, type Grid } from './grids.ts';

const DAY_SECONDS = 86_400;

/** Moves the row to another grid, which must contain all its slots. Returns the same row if the grid is unchanged. */
export function regridRow(row: DayRow, grid: Grid): DayRow {
  if (isSameGrid(row, grid)) return row;
  const step = row.periodSeconds / grid.periodSeconds;
  const first = (row.leadSeconds - grid.leadSeconds) / grid.periodSeconds;
  const regrid = (slots: Float64Array): Float64Array => {
    const out = new Float64Array(DAY_SECONDS / grid.periodSeconds).fill(Number.NaN);
    for (let k = 0; k < slots.length; k++) out[first + k * step] = slots[k] ?? Number.NaN;
    return out;
  };
  const channels = CHANNELS.map((_, channel) => row.channels[channel] && regrid(row.channels[channel]));
  return { ...row, periodSeconds: grid.periodSeconds, leadSeconds: grid.leadSeconds, status: regrid(row.status), channels };
}

function mergeSlots(old: Float64Array | undefined, fresh: Float64Array | undefined): Float64Array | undefined {
  if (old === undefined || fresh === undefined) return fresh ?? old;
  for (let k = 0; k < fresh.length; k++) {
    const value = fresh[k] as number; // as: k is below the length
    if (!Number.isNaN(value)) old[k] = value;
  }
  return old;
}

/** Merges later captures of a day over earlier ones of the same batch, on their common grid. May change `former`. */
export function mergeRows(former: DayRow, later: DayRow): DayRow {
  const grid = commonGrid(former, later);
  const [old, fresh] = [regridRow(former, grid), regridRow(later, grid)];
  mergeSlots(old.status, fresh.status);
  for (let c = 0; c < CHANNELS.length; c++) old.channels[c] = mergeSlots(old.channels[c], fresh.channels[c]);
  old.present = old.status.reduce((count, status) => (Number.isNaN(status) ? count : count + 1), 0);
  return Object.assign(old, { readAt: fresh.readAt, source: fresh.source, traceId: fresh.traceId ?? old.traceId, taskId: fresh.taskId });
}
