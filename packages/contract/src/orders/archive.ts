import { z } from 'zod';
import { id } from '../core/page.ts';
import { defineOrder, orderWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.archives;
const archive = { target: 'dcu', result: ['counts'], priority: 3, mayRepeat: false, needs: 'archive', page } as const;
/** User recorded as author of the changes to archive records. */
const by = id.nullish();

export const archiveOrders = {
  archive_compare: defineOrder({
    ...archive,
    params: { by },
    changesDevice: false,
    words: orderWords(['Archive comparison', '档案比对'], {
      running: ['Comparing', '比对中'],
      succeeded: ['Compared', '已比对'],
      failed: ['Not compared', '比对失败'],
    }),
  }),
  archive_dispatch: defineOrder({
    ...archive,
    params: {
      mode: z.enum(['dispatch', 'delete', 'clear', 'plan']).default('dispatch'),
      by,
      /** Serial numbers of the meters concerned; absent: all of them. */
      sns: z.array(z.string()).optional(),
    },
    danger: 'reach',
    changesDevice: true,
    mustNotBeInterrupted: true,
    audit: 'archive_dispatched',
    words: orderWords(['Archive dispatch', '档案下发'], {
      running: ['Dispatching', '下发中'],
      succeeded: ['Dispatched, confirmed by read-back', '已下发，回读确认'],
      failed: ['Not dispatched', '下发失败'],
    }),
    modes: {
      delete: {
        audit: 'archive_deleted',
        words: orderWords(['Archive deletion', '档案删除'], {
          running: ['Deleting', '删除中'],
          succeeded: ['Deleted, confirmed by read-back', '已删除，回读确认'],
          failed: ['Not deleted', '删除失败'],
        }),
      },
      clear: {
        audit: 'archive_cleared',
        words: orderWords(['Archive clearing', '档案清空'], {
          running: ['Clearing', '清空中'],
          succeeded: ['Cleared, confirmed by read-back', '已清空，回读确认'],
          failed: ['Not cleared', '清空失败'],
        }),
      },
      plan: {
        audit: 'archive_repaired',
        words: orderWords(['Archive repair', '档案修复'], {
          running: ['Repairing', '修复中'],
          succeeded: ['Repaired, confirmed by read-back', '已修复，回读确认'],
          failed: ['Not repaired', '修复失败'],
        }),
      },
    },
  }),
};
