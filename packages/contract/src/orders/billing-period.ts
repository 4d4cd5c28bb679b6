import { z } from 'zod';
import { defineCommand, orderWords, readingWords } from './define-order.ts';

const facts = {
  billing_schedule: { en: 'End of billing period', zh: '结算时刻' },
  billing_script: { en: 'Executed script', zh: '执行脚本' },
  billing_count: { en: 'Billing periods', zh: '结算周期数' },
  billing_at: { en: 'Last end', zh: '上次结算' },
};
const billing = { target: 'meter', result: ['values'], priority: 3, whenOffline: 'chosen' } as const;
const change = { ...billing, danger: 'billing', changesDevice: true, mayRepeat: false } as const;

/** Day of the month and hour of the meter's clock at which the period ends. */
export const billingPeriodParams = {
  dayOfMonth: z.number().int().min(1).max(28).default(1),
  hour: z.number().int().min(0).max(23).default(0),
};

/** The end of the billing period, which stores the registers and resets the maximum demand. @spec IEC 62056-6-1 6.2.2 */
export const billingPeriodOrders = {
  billing_period_read: defineCommand({
    ...billing,
    params: {},
    changesDevice: false,
    mayRepeat: true,
    words: readingWords('Billing period reading', '读取结算周期'),
    command: {
      help: {
        en: 'Reads the time at which a meter ends its billing period, the script it then executes, and the last end. An asterisk stands for every year, month or day.',
        zh: '读取电表的结算时刻、届时执行的脚本以及上次结算时间。星号表示每年、每月或每日。',
      },
      fields: {},
      facts,
    },
  }),
  billing_period_set: defineCommand({
    ...change,
    params: billingPeriodParams,
    words: orderWords(['Billing period setting', '设置结算周期'], {
      running: ['Setting', '设置中'],
      succeeded: ['Set, confirmed by read-back', '已设置，回读确认'],
      failed: ['Not set', '未设置'],
    }),
    command: {
      help: {
        en: 'From now on the meter ends its billing period every month on this day, at this hour of its clock.',
        zh: '此后电表每月在该日该时（以电表时钟为准）结算。',
      },
      fields: { dayOfMonth: { en: 'Day of month', zh: '日' }, hour: { en: 'Hour', zh: '时' } },
      facts,
    },
  }),
  demand_reset: defineCommand({
    ...change,
    params: {},
    needsReadBack: true,
    mustNotBeInterrupted: true,
    words: orderWords(['Demand reset', '需量清零'], {
      running: ['Resetting', '清零中'],
      succeeded: ['Reset, confirmed by read-back', '已清零，回读确认'],
      failed: ['Not reset', '未清零'],
    }),
    command: {
      help: {
        en: 'Ends the billing period now: the meter stores its registers and resets the maximum demand. This cannot be undone. A meter that ended a period within the last hour is skipped.',
        zh: '立即结算：电表保存各寄存器并重新开始最大需量。不可撤销。一小时内已结算的电表不再执行。',
      },
      fields: {},
      facts,
    },
  }),
};
