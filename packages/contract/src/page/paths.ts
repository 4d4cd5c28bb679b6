/** The pages of the console by name. Rights, orders and links name a page by this path; it has no other spelling. */
export const PAGE_PATH = {
  login: '/login',
  forbidden: '/403',
  dashboard: '/dashboard',
  network: '/assets/network',
  suppliers: '/assets/supplier-management',
  dcuTypes: '/assets/dcu-type-management',
  meterTypes: '/assets/meter-type-management',
  transformers: '/assets/transformer',
  dcus: '/assets/dcu',
  certificates: '/assets/certificates',
  connect: '/assets/connect-device',
  archives: '/assets/archives-dispatch',
  meterAssets: '/assets/meter-asset-discovery',
  status: '/assets/status',
  readings: '/meter/auto-meter-reading',
  events: '/meter/meter-event',
  obis: '/meter/obis-management',
  plans: '/meter/collect-plan',
  topology: '/meter-management/network/network-topology',
  bills: '/meter-management/mdms/electric-bill',
  lineLoss: '/meter-management/mdms/line-loss',
  phases: '/meter-management/mdms/phase-analysis',
  clocks: '/action/clock-synchronization',
  relays: '/action/relay-control',
  dcuConfiguration: '/action/dcu-configuration',
  onDemandReading: '/action/on-demand-reading',
  realTimeReading: '/action/real-time-reading',
  eventReading: '/action/event-reading',
  deviceCommands: '/action/device-command',
  upgrades: '/system/upgrade/firmware-upgrade',
  upgradeRecords: '/system/upgrade/upgrade-detail',
  roles: '/system/system-management/role-management',
  users: '/system/system-management/user-management',
  modules: '/system/system-management/module-management',
  audit: '/system/system-management/audit',
  settings: '/system/system-management/settings',
  nodes: '/system/system-management/nodes',
  deliveries: '/system/system-management/deliveries',
  alarms: '/system/system-management/alarms',
  identityProviders: '/system/system-management/identity-providers',
  dcuLog: '/system/debug/dcu-log-management',
  stations: '/system/debug/sta-model',
  topologySwitch: '/system/debug/network-topology-switch',
} as const;

export type PageName = keyof typeof PAGE_PATH;
export type PagePath = (typeof PAGE_PATH)[PageName];

const NAME_OF = new Map(Object.entries(PAGE_PATH).map(([name, path]) => [path, name as PageName])); // as: keys of that very table

/** Name of a page by its path. */
export const pageNameOf = (path: PagePath): PageName => NAME_OF.get(path)!; // the map has every path

export const PAGE_NAMES = Object.keys(PAGE_PATH) as PageName[]; // as: keys of that very table
