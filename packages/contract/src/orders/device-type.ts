import { z } from 'zod';
import { id } from '../core/page.ts';
import { defineOrder, orderWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const check = { priority: 3, changesDevice: false, mayRepeat: false, showsRun: false, hasOwnTitle: true } as const;

export const deviceTypeOrders = {
  learn: defineOrder({
    ...check,
    target: 'meter',
    params: { typeId: id, meterSn: z.string() },
    result: ['objects', 'counts'],
    page: PAGE_PATH.meterTypes,
    words: orderWords(['Learning of a meter type', '学习电表类型'], {
      running: ['Learning', '学习中'],
      succeeded: ['Learned', '已学习'],
      failed: ['Not learned', '学习失败'],
    }),
  }),
  conformance: defineOrder({
    ...check,
    target: 'dcu',
    params: {
      typeId: id,
      dcuSn: z.string(),
      objects: z.array(z.object({ key: z.string(), classId: z.number(), obis: z.string(), attribute: z.number() })),
    },
    result: ['values'],
    page: PAGE_PATH.dcuTypes,
    words: orderWords(['Conformance check of a DCU type', '集中器类型一致性检查'], {
      running: ['Checking', '检查中'],
      succeeded: ['Checked', '已检查'],
      failed: ['Not checked', '检查失败'],
    }),
  }),
};
