import type { ResponseOf } from '@hes/contract/core/route.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { upgradeRecord } from '@hes/contract/upgrade/record.ts';
import { queryKeyOf } from '#core/api/hooks.ts';
import { put, putRows, refresh, withCells, type LiveUpdates } from '#core/live/updates.ts';

type Job = ResponseOf<typeof upgradeJob.get>;
type JobRow = ResponseOf<typeof upgradeJob.list>['items'][number];
type RecordRow = ResponseOf<typeof upgradeRecord.list>['items'][number];
type Wall = ResponseOf<typeof upgradeRecord.byDcu>;

export const upgradeUpdates: LiveUpdates<'upgrade.item' | 'upgrade.job'> = {
  'upgrade.item': (client, message) => {
    const fresh = new Map(message.data.items.map((row) => [row.id, row]));
    putRows<RecordRow>(client, [upgradeRecord.list.path], (row) => fresh.get(row.id) ?? row);
    put<Wall>(client, [upgradeRecord.byDcu.path], (old) => ({
      items: withCells(old.items, (cell) => ({ ...cell, status: fresh.get(cell.id)?.status ?? cell.status }), fresh),
    }));
    // Users whose scope is a part of the network do not receive `upgrade.job`: its counts are refetched.
    refresh(client, [upgradeRecord.summary, upgradeRecord.get, upgradeRecord.log, upgradeJob.list, upgradeJob.get]);
  },
  'upgrade.job': (client, message) => {
    putRows<JobRow>(client, [upgradeJob.list.path], (row) => (row.id === message.id ? message.data : row));
    put<Job>(client, queryKeyOf(upgradeJob.get, { id: message.id }), (old) => ({ ...old, ...message.data }));
    putRows<RecordRow>(client, [upgradeRecord.list.path], (row) =>
      row.jobId === message.id ? { ...row, jobState: message.data.state } : row,
    );
  },
};
