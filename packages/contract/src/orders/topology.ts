import { z } from 'zod';
import { topologySwitchOperation } from '../states/topology.ts';
import { defineOrder, orderWords, readingWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

const STATIONS = PAGE_PATH.stations;
const order = { priority: 3, mayRepeat: false, showsRun: false, result: ['counts'] } as const;

export const topologyOrders = {
  topology: defineOrder({
    ...order,
    target: 'dcu',
    params: {},
    changesDevice: false,
    needs: 'topology',
    page: PAGE_PATH.topology,
    audit: 'topology_read_ordered',
    words: readingWords('Topology reading', '读取拓扑'),
  }),
  topology_switch: defineOrder({
    ...order,
    target: 'dcu',
    params: { operation: topologySwitchOperation },
    changesDevice: true,
    needs: 'network',
    mustNotBeInterrupted: true,
    page: PAGE_PATH.topologySwitch,
    audit: 'topology_switched',
    words: orderWords(['Network topology switch', '网络拓扑切换'], {
      running: ['Switching', '切换中'],
      succeeded: ['Switched', '已切换'],
      failed: ['Not switched', '切换失败'],
    }),
  }),
  modules: defineOrder({
    ...order,
    target: 'dcu',
    params: {},
    changesDevice: false,
    needs: 'modules',
    page: STATIONS,
    audit: 'station_model_read',
    words: readingWords('Station model reading', '读取站点模型'),
  }),
  station_ping: defineOrder({
    ...order,
    target: 'meter',
    params: { mac: z.string(), count: z.number(), intervalS: z.number() },
    changesDevice: false,
    page: STATIONS,
    audit: 'station_ping_ordered',
    words: orderWords(['Station ping', '站点连通测试'], {
      running: ['Pinging', '测试中'],
      succeeded: ['Answered', '有应答'],
      failed: ['No answer', '无应答'],
    }),
  }),
  station_restart: defineOrder({
    ...order,
    target: 'dcu',
    /** `boots`: the station's restart counter before the order, by which the restart is confirmed. */
    params: { mac: z.string(), boots: z.number() },
    danger: 'reach',
    changesDevice: true,
    needs: 'station_restart',
    mustNotBeInterrupted: true,
    page: STATIONS,
    audit: 'station_restarted',
    words: orderWords(['Station restart', '站点重启'], {
      running: ['Restarting', '重启中'],
      succeeded: ['Restarted', '已重启'],
      failed: ['Not restarted', '重启失败'],
    }),
  }),
};
