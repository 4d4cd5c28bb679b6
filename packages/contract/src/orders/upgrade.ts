import { id } from '../core/page.ts';
import { defineOrder, orderWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const upgradeOrders = {
  upgrade: defineOrder({
    target: 'device',
    params: { jobId: id },
    result: [],
    priority: 7,
    danger: 'reach',
    changesDevice: true,
    whenOffline: 'waits',
    mayRepeat: false,
    mustNotBeInterrupted: true,
    takesLong: true,
    // Upgrade jobs are paused by their own call.
    mayPause: false,
    page: PAGE_PATH.upgradeRecords,
    // Upgrade jobs write their own audit rows.
    words: orderWords(['Firmware upgrade', '固件升级'], {
      running: ['Upgrading', '升级中'],
      succeeded: ['Upgraded', '升级成功'],
      failed: ['Not upgraded', '升级失败'],
    }),
    hasOwnTitle: true,
  }),
};
