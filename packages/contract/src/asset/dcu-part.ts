import type { ReasonCode } from '../core/outcome.ts';
import type { Text } from '../core/text.ts';

interface Part extends Text {
  /** Reason with which an order that needs the part is refused. */
  reason: ReasonCode;
  /** Keys of the objects of the profile that the part consists of. */
  objects: readonly string[];
  array?: string;
  script?: string;
}

const parts = <const T extends Record<string, Part>>(table: T): { readonly [K in keyof T]: Part } => table;

/** What a DCU may have besides forwarding. The head-end serves a part that the DCU lacks itself, or refuses orders that need it. */
export const DCU_PARTS = parts({
  archive: { en: 'Archive', zh: '档案', reason: 'DCU_NO_ARCHIVE', objects: ['ARRAYS', 'ARCHIVE'], array: 'archive' },
  discovery: {
    en: 'Search for meters',
    zh: '搜表',
    reason: 'DCU_NO_DISCOVERY',
    objects: ['ARRAYS', 'DISCOVERED', 'SCRIPTS_DCU'],
    array: 'discovered',
    script: 'startDiscovery',
  },
  topology: { en: 'Topology', zh: '拓扑', reason: 'DCU_NO_TOPOLOGY', objects: ['ARRAYS', 'TOPOLOGY'], array: 'topology' },
  modules: { en: 'Communication modules', zh: '通信模块', reason: 'DCU_NO_MODULES', objects: ['ARRAYS', 'MODULES'], array: 'modules' },
  station_restart: {
    en: 'Restart of stations',
    zh: '站点重启',
    reason: 'DCU_NO_STATION_RESTART',
    objects: ['ARRAYS', 'MODULES', 'RESTART_STATION'],
    array: 'modules',
  },
  network: {
    en: 'Network commands',
    zh: '网络命令',
    reason: 'DCU_NO_NETWORK_CONTROL',
    objects: ['ARRAYS', 'TOPOLOGY', 'SCRIPTS_DCU'],
    array: 'topology',
    script: 'rebuildNetwork',
  },
  tasks: { en: 'Tasks', zh: '任务', reason: 'DCU_NO_TASKS', objects: ['ARRAYS', 'TASKS'], array: 'tasks' },
  restart: { en: 'Restart', zh: '重启', reason: 'DCU_NO_RESTART', objects: ['SCRIPTS_DCU'], script: 'restartDcu' },
  factory_reset: { en: 'Factory reset', zh: '恢复出厂', reason: 'DCU_NO_FACTORY_RESET', objects: ['SCRIPTS_DCU'], script: 'factoryReset' },
  clock_broadcast: {
    en: 'Clock broadcast',
    zh: '广播校时',
    reason: 'DCU_NO_CLOCK_BROADCAST',
    objects: ['SCRIPTS_DCU'],
    script: 'broadcastClock',
  },
  parameters: { en: 'Parameters', zh: '参数', reason: 'DCU_NO_PARAMETERS', objects: [] },
  event_log: { en: 'Event log', zh: '事件日志', reason: 'DCU_NO_EVENT_LOG', objects: ['EVLOG0'] },
  firmware: { en: 'Firmware of the DCU', zh: '集中器固件', reason: 'DCU_NO_FIRMWARE', objects: ['IMAGE'] },
  rt_firmware: {
    en: 'Firmware of the route module',
    zh: '路由模块固件',
    reason: 'DCU_NO_FIRMWARE',
    objects: ['IMAGE_ROUTE_MODULE', 'SCRIPTS_DCU'],
    script: 'upgradeRouteModule',
  },
  sta_firmware: {
    en: 'Firmware of stations',
    zh: '站点固件',
    reason: 'DCU_NO_FIRMWARE',
    objects: ['IMAGE_STATIONS', 'SCRIPTS_DCU'],
    script: 'upgradeStations',
  },
  image_broadcast: {
    en: 'Firmware broadcast to meters',
    zh: '电表固件广播',
    reason: 'DCU_NO_IMAGE_BROADCAST',
    objects: ['IMAGE_METERS', 'SCRIPTS_DCU'],
    script: 'broadcastImage',
  },
});
export type DcuPart = keyof typeof DCU_PARTS;

export const DCU_PART_NAMES = Object.keys(DCU_PARTS) as [DcuPart, ...DcuPart[]]; // as: keys of that very table

/**
 * Adapters that speak to DCUs. `dlms`: the objects, arrays and scripts of its profile. `gateway`: the DCU forwards requests to meters
 * and has nothing else that the head-end uses.
 */
export const DCU_ADAPTERS = ['dlms', 'gateway'] as const;
export type DcuAdapter = (typeof DCU_ADAPTERS)[number];

/** What decides about the parts of a DCU: its profile with everything it inherits. */
export interface DcuProfileParts {
  adapter: DcuAdapter;
  /** Keys of its objects. */
  objects: ReadonlySet<string>;
  /** Undefined: the shapes of the reference profile, which has all of them. */
  shapes: { arrays: Readonly<Record<string, unknown>>; scripts: Readonly<Record<string, unknown>> } | undefined;
  /** Whether it has the parameters of the reference profile. */
  hasParameters: boolean;
}

/** The parts of a DCU with this profile, in the order of the table. */
export const partsOf = ({ adapter, objects, shapes, hasParameters }: DcuProfileParts): DcuPart[] =>
  adapter === 'gateway'
    ? []
    : DCU_PART_NAMES.filter((name) => {
        const part = DCU_PARTS[name];
        if (name === 'parameters') return hasParameters;
        const isShaped =
          shapes === undefined ||
          ((part.array === undefined || shapes.arrays[part.array] !== undefined) &&
            (part.script === undefined || shapes.scripts[part.script] !== undefined));
        return isShaped && part.objects.every((key) => objects.has(key));
      });
