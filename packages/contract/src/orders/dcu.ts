import { z } from 'zod';
import { id } from '../core/page.ts';
import { defineOrder, orderWords, readingWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.dcuConfiguration;
const TEST_STATES = {
  running: ['Testing', '测试中'],
  succeeded: ['Test passed', '测试通过'],
  failed: ['Test failed', '测试未通过'],
} as const;
const reading = { target: 'dcu', priority: 3, changesDevice: false, page } as const;
const command = { target: 'dcu', priority: 3, danger: 'reach', changesDevice: true, mayRepeat: false, page } as const;

export const dcuOrders = {
  dcu_test: defineOrder({
    ...reading,
    params: {},
    result: ['steps', 'link'],
    mayRepeat: false,
    words: orderWords(['Link test', '链路测试'], TEST_STATES),
  }),
  meter_test: defineOrder({
    ...reading,
    target: 'meter',
    page: PAGE_PATH.meterAssets,
    params: {},
    result: ['steps', 'link'],
    mayRepeat: false,
    words: orderWords(['Link test of a meter', '电表链路测试'], TEST_STATES),
  }),
  dcu_read_info: defineOrder({
    ...reading,
    params: {},
    result: ['values', 'counts', 'uplink'],
    mayRepeat: false,
    words: readingWords('DCU information reading', '读取集中器信息'),
  }),
  dcu_restart: defineOrder({
    ...command,
    params: {},
    result: ['steps'],
    needs: 'restart',
    audit: 'dcu_restart_ordered',
    words: orderWords(['DCU restart', '集中器重启'], {
      running: ['Restarting', '重启中'],
      succeeded: ['Restarted', '已重启'],
      failed: ['Not restarted', '重启失败'],
    }),
  }),
  dcu_factory: defineOrder({
    ...command,
    params: {},
    result: ['steps'],
    needs: 'factory_reset',
    audit: 'dcu_factory_ordered',
    words: orderWords(['DCU factory reset', '集中器恢复出厂'], {
      running: ['Resetting', '恢复中'],
      succeeded: ['Reset to factory state', '已恢复出厂'],
      failed: ['Not reset', '恢复失败'],
    }),
  }),
  dcu_config_read: defineOrder({
    ...reading,
    /** Keys of the parameters; none: all. */
    params: { keys: z.array(z.string()) },
    result: ['steps'],
    needs: 'parameters',
    mayRepeat: true,
    words: readingWords('DCU parameter reading', '集中器参数读取'),
  }),
  dcu_config_write: defineOrder({
    ...command,
    params: {
      values: z.record(z.string(), z.string()),
      /** Trial period of new link parameters in seconds, after which the DCU reverts. */
      trialS: z.number().optional(),
      /** Observation time of a ring in seconds before the next one starts. */
      canaryS: z.number().default(0),
      rings: z.array(z.array(id)).default([]),
    },
    result: ['steps'],
    needs: 'parameters',
    whenOffline: 'chosen',
    audit: 'dcu_config_written',
    words: orderWords(['DCU parameter writing', '集中器参数下发'], {
      running: ['Writing', '下发中'],
      succeeded: ['Written, confirmed by read-back', '已下发，回读确认'],
      failed: ['Not written', '下发失败'],
    }),
  }),
  dcu_tasks: defineOrder({
    target: 'dcu',
    params: {},
    result: ['counts'],
    priority: 5,
    changesDevice: true,
    whenOffline: 'waits',
    needs: 'tasks',
    mayRepeat: false,
    page: PAGE_PATH.plans,
    showsRun: false,
    // The change of the plan that orders it writes the audit row.
    words: orderWords(['DCU tasks of a plan', '下发集中器任务'], {
      running: ['Writing tasks', '下发中'],
      succeeded: ['Tasks written', '已下发'],
      failed: ['Tasks not written', '下发失败'],
    }),
    hasOwnTitle: true,
  }),
};
