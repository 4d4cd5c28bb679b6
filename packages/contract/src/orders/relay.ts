import { z } from 'zod';
import { defineOrder, orderWords, readingWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.relays;
const switchingParams = { workOrder: z.string().nullish() };
const switching = {
  target: 'meter',
  result: ['relay'],
  priority: 1,
  danger: 'supply',
  changesDevice: true,
  needsReadBack: true,
  mustNotBeInterrupted: true,
  mayRepeat: false,
  page,
  audit: 'relay_ordered',
} as const;

export const relayOrders = {
  relay_read: defineOrder({
    target: 'meter',
    params: {},
    result: ['relay'],
    priority: 3,
    changesDevice: false,
    mayRepeat: true,
    page,
    words: readingWords('Relay reading', '读取继电器'),
  }),
  relay_disconnect: defineOrder({
    ...switching,
    params: switchingParams,
    words: orderWords(['Disconnection', '拉闸'], {
      running: ['Disconnecting', '拉闸中'],
      succeeded: ['Disconnected, confirmed by read-back', '已拉闸，回读确认'],
      failed: ['Not disconnected', '未拉闸'],
    }),
  }),
  relay_connect: defineOrder({
    ...switching,
    params: switchingParams,
    words: orderWords(['Connection', '合闸'], {
      running: ['Connecting', '合闸中'],
      succeeded: ['Connected, confirmed by read-back', '已合闸，回读确认'],
      failed: ['Not connected', '未合闸'],
    }),
  }),
  relay_arm: defineOrder({
    ...switching,
    params: switchingParams,
    words: orderWords(['Permission to reconnect', '允许合闸'], {
      running: ['Allowing reconnection', '允许合闸中'],
      succeeded: ['Reconnection allowed, confirmed by read-back', '已允许合闸，回读确认'],
      failed: ['Reconnection not allowed', '未允许合闸'],
    }),
  }),
};
