import { z } from 'zod';
import { defineOrder, orderWords, readingWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.clocks;
const synchronizationParams = {
  /** `auto`: a small deviation is shifted, a larger one is set. */
  method: z.enum(['auto', 'shift', 'set']).default('auto'),
  /** The operator confirmed a deviation above the limit: profiles will contain a jump. */
  isConfirmed: z.boolean().default(false),
};
const synchronization = {
  result: ['clock'],
  priority: 3,
  changesDevice: true,
  whenOffline: 'chosen',
  mayRepeat: false,
  page,
  audit: 'clock_ordered',
} as const;

export const clockOrders = {
  clock_read: defineOrder({
    target: 'device',
    params: {},
    result: ['clock'],
    priority: 3,
    changesDevice: false,
    whenOffline: 'chosen',
    mayRepeat: true,
    page,
    words: readingWords('Clock reading', '时钟读取'),
  }),
  clock_sync: defineOrder({
    ...synchronization,
    params: synchronizationParams,
    target: 'device',
    words: orderWords(['Clock synchronization', '时钟同步'], {
      running: ['Synchronizing', '校时中'],
      succeeded: ['Synchronized', '校时成功'],
      failed: ['Not synchronized', '校时失败'],
    }),
  }),
  clock_broadcast: defineOrder({
    ...synchronization,
    params: synchronizationParams,
    target: 'dcu',
    needs: 'clock_broadcast',
    words: orderWords(['Clock broadcast', '广播校时'], {
      running: ['Broadcasting', '广播中'],
      succeeded: ['Broadcast sent', '广播成功'],
      failed: ['Broadcast failed', '广播失败'],
    }),
  }),
};
