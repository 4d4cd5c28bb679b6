import { day, id } from '../core/page.ts';
import { defineOrder, orderWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const computation = {
  target: 'server',
  result: [],
  priority: 7,
  changesDevice: false,
  mayRepeat: false,
  showsRun: false,
  hasOwnTitle: true,
} as const;

export const computationOrders = {
  bill: defineOrder({
    ...computation,
    params: { periodId: id, from: day, to: day },
    page: PAGE_PATH.bills,
    words: orderWords(['Bill calculation', '计算账单'], {
      running: ['Calculating', '计算中'],
      succeeded: ['Calculated', '已计算'],
      failed: ['Not calculated', '计算失败'],
    }),
  }),
  phase: defineOrder({
    ...computation,
    params: { transformerId: id },
    page: PAGE_PATH.phases,
    words: orderWords(['Phase identification', '相位识别'], {
      running: ['Identifying', '识别中'],
      succeeded: ['Identified', '已识别'],
      failed: ['Not identified', '识别失败'],
    }),
  }),
};
