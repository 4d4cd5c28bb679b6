import { z } from 'zod';
import { id } from '../core/page.ts';
import { discoveryMode } from '../states/discovery.ts';
import { defineOrder, orderWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const search = {
  target: 'dcu',
  priority: 3,
  mayRepeat: false,
  mayPause: false,
  page: PAGE_PATH.meterAssets,
} as const;

export const discoveryOrders = {
  discovery: defineOrder({
    ...search,
    params: { mode: discoveryMode, minutes: z.number() },
    result: ['counts'],
    changesDevice: true,
    needs: 'discovery',
    mustNotBeInterrupted: true,
    audit: 'discovery_started',
    words: orderWords(['Search for meters', '搜表'], {
      running: ['Searching', '搜表中'],
      succeeded: ['Search finished', '搜表完成'],
      failed: ['Search failed', '搜表失败'],
    }),
  }),
  discovery_clear: defineOrder({
    ...search,
    params: {},
    result: ['counts'],
    changesDevice: true,
    needs: 'discovery',
    audit: 'discovery_cleared',
    words: orderWords(['Clearing of found meters', '清空搜表结果'], {
      running: ['Clearing', '清空中'],
      succeeded: ['Cleared', '已清空'],
      failed: ['Not cleared', '清空失败'],
    }),
  }),
  discovery_identify: defineOrder({
    ...search,
    /** Rows of the search. */
    params: { ids: z.array(id) },
    result: ['counts'],
    changesDevice: false,
    words: orderWords(['Identification of found meters', '识别搜到的电表'], {
      running: ['Identifying', '识别中'],
      succeeded: ['Identified', '已识别'],
      failed: ['Not identified', '识别失败'],
    }),
  }),
};
