import { PARAMETER_GROUPS } from '../action/dcu-parameter.ts';
import { ON_DEMAND_KINDS } from '../action/read.ts';
import { RELAY_COMMAND_STATES } from '../action/relay-rules.ts';
import { TRANSFORMER_STATES } from '../asset/transformer.ts';
import { isNodeKey, NODE_KINDS } from '../asset/tree.ts';
import { FRAME_CHANNELS, FRAME_DIRECTIONS } from '../debug/dcu-log.ts';
import { COUNTED_PROFILES, GAP_READINGS, GAP_STATES, PROFILE_QUALITIES } from '../reading/reading.ts';
import { ALARM_STATES } from '../states/alarm.ts';
import { ANOMALY_TYPES, EVENT_LEVELS } from '../states/anomaly.ts';
import { BIND_STATES, DIFF_KINDS, DISPATCH_STATES, DISTRIBUTION_STATES } from '../states/archive.ts';
import { ANOMALY_STATES, BILL_STATUSES, LOSS_CLASSES, PERIOD_KINDS } from '../states/bill.ts';
import { CERTIFICATE_KINDS, CERTIFICATE_STATES, CERTIFICATE_SUITES, CERTIFICATE_USAGES } from '../states/certificate.ts';
import { CLOCK_CLASSES } from '../states/clock.ts';
import { CONNECT_STEPS, CONNECTED_KINDS } from '../states/connecting.ts';
import {
  COMMUNICATION_MODES,
  CONNECTION_TYPES,
  DCU_ONLINE_STATUSES,
  FRESHNESS_CLASSES,
  INVENTORY_STATES,
  METER_PHASES,
  RECORDED_PHASES,
  RELAY_STATES,
} from '../states/device.ts';
import { DISCOVERY_MATCHES } from '../states/discovery.ts';
import { EVENT_DIRECTIONS } from '../states/event.ts';
import { PLAN_TYPES } from '../states/plan.ts';
import { PHASE_FACTS, PHASE_STATES, SINGLE_PHASES } from '../states/phase.ts';
import { SIGNAL_STRENGTHS } from '../states/signal.ts';
import { STATION_LINKS, STATION_ROLES, STATION_STATES } from '../states/topology.ts';
import { CHECK_RESULTS, FIRMWARE_STATES, UPGRADE_JOB_STATES, UPGRADE_TARGETS } from '../states/upgrade.ts';
import { PAGE_NAMES, PAGE_PATH, type PageName } from './paths.ts';
import { anyText, oneOf, textThat, type Word } from './word.ts';

/** A search text, a serial number, or words separated by commas; the server judges it. */
const text = anyText;
/** Id of a record of the page, or the key of a row. */
const id = anyText;
/** First or last day, YYYY-MM-DD. */
const day = anyText;
const yesNo = oneOf(['true', 'false']);
const onlyTrue = oneOf(['true']);

const node = textThat(
  isNodeKey,
  NODE_KINDS.map((kind) => `${kind}:1` as const),
);

/** Page number, page size, order and selected row of a list. */
const list = { page: text, size: text, sort: text, sel: id };
/** A node of the network; its label saves a call when a link opens the page. */
const place = { node, nodeName: text };
/** A run, its selected item, and the state that its items are filtered by. */
export const RUN_WORDS = { task: id, sel: id, state: text };
/** Devices to place an order for: node keys, separated by commas. */
const targets = { targets: text };

export type WordShape = Readonly<Record<string, Word>>;

/** The words of the query of each page, in their order in an address. A page reads no other words, and no link writes others. */
export const PAGE_WORDS = {
  login: { redirect: text },
  forbidden: {},
  dashboard: { ...place, date: day },
  network: { sel: id, tab: oneOf(['children', 'transformers']) },
  suppliers: { search: text, country: text, enabled: yesNo, ...list },
  dcuTypes: { search: text, supplierId: id, protocol: text, feature: text, enabled: yesNo, ...list },
  meterTypes: {
    search: text,
    supplierId: id,
    phase: oneOf(METER_PHASES),
    communicationMode: oneOf(COMMUNICATION_MODES),
    hasRelay: yesNo,
    enabled: yesNo,
    ...list,
  },
  transformers: {
    ...place,
    search: text,
    state: oneOf(TRANSFORMER_STATES),
    hasDcu: yesNo,
    hasPosition: yesNo,
    view: oneOf(['table', 'map']),
    ...list,
  },
  dcus: {
    search: text,
    ...place,
    freshness: oneOf(FRESHNESS_CLASSES),
    onlineStatus: oneOf(DCU_ONLINE_STATUSES),
    connectionType: oneOf(CONNECTION_TYPES),
    signal: oneOf(SIGNAL_STRENGTHS),
    dcuTypeId: id,
    supplierId: id,
    ...list,
  },
  certificates: {
    search: text,
    kind: oneOf(CERTIFICATE_KINDS),
    usage: oneOf(CERTIFICATE_USAGES),
    suite: oneOf(CERTIFICATE_SUITES.map((suite) => `${suite}` as const)),
    state: oneOf(CERTIFICATE_STATES),
    ...list,
  },
  connect: {
    kind: oneOf(CONNECTED_KINDS),
    /** The device whose connection is guided. */
    id,
    step: oneOf(CONNECT_STEPS),
    direction: oneOf(CONNECTION_TYPES),
    /** What a caller said about itself, until it is registered. */
    sn: text,
    title: text,
  },
  archives: {
    node,
    nodeName: text,
    dcuId: id,
    task: id,
    sn: text,
    mismatched: onlyTrue,
    diff: oneOf(DIFF_KINDS),
    bindState: oneOf(BIND_STATES),
    dispatchState: oneOf(DISPATCH_STATES),
    distributionState: oneOf(DISTRIBUTION_STATES),
    communicationMode: oneOf(COMMUNICATION_MODES),
    page: text,
    size: text,
    sort: text,
    /** SN of the DCU and of the meter. */
    sel: text,
  },
  meterAssets: {
    tab: oneOf(['assets', 'search']),
    search: text,
    ...place,
    state: oneOf(INVENTORY_STATES),
    meterTypeId: id,
    supplierId: id,
    communicationMode: oneOf(COMMUNICATION_MODES),
    isMaster: yesNo,
    bound: yesNo,
    freshness: oneOf(FRESHNESS_CLASSES),
    sn: text,
    match: oneOf(DISCOVERY_MATCHES),
    signal: oneOf(SIGNAL_STRENGTHS),
    phase: oneOf(RECORDED_PHASES),
    firstSeenSince: day,
    decided: yesNo,
    ...list,
  },
  /** The device or transformer that the page is about. */
  status: { node, customer: text },
  readings: {
    node,
    tab: oneOf(COUNTED_PROFILES),
    from: day,
    to: day,
    view: oneOf(['table', 'chart', 'heat', 'gaps']),
    search: text,
    mode: oneOf(COMMUNICATION_MODES),
    quality: oneOf(PROFILE_QUALITIES),
    reading: oneOf(GAP_READINGS),
    state: oneOf(GAP_STATES),
    only: oneOf(['gaps']),
    trace: text,
    ...list,
  },
  events: {
    view: oneOf(['list', 'byCause', 'pareto']),
    from: day,
    to: day,
    level: oneOf(EVENT_LEVELS),
    acknowledged: yesNo,
    codes: text,
    logs: text,
    search: text,
    ...place,
    direction: oneOf(EVENT_DIRECTIONS),
    incidentId: id,
    ...list,
  },
  obis: {
    tab: oneOf(['objects', 'templates']),
    template: id,
    category: text,
    search: text,
    classId: text,
    access: text,
    templateId: id,
    enabled: yesNo,
    ...list,
  },
  plans: { name: text, type: oneOf(PLAN_TYPES), enabled: yesNo, lastResult: text, ...list },
  topology: {
    node,
    dcu: id,
    form: oneOf(['map', 'tree', 'network', 'list']),
    sel: id,
    at: text,
    from: text,
    signal: oneOf(SIGNAL_STRENGTHS),
    phase: oneOf(RECORDED_PHASES),
    link: oneOf(STATION_LINKS),
    level: text,
    fresh: oneOf(FRESHNESS_CLASSES),
  },
  bills: {
    tab: oneOf(['meters', 'balance', 'trend', 'anomalies']),
    node,
    nodeName: text,
    kind: oneOf(PERIOD_KINDS),
    from: day,
    to: day,
    search: text,
    status: oneOf(BILL_STATUSES),
    anomaly: oneOf(ANOMALY_TYPES),
    class: oneOf(LOSS_CLASSES),
    decision: oneOf(ANOMALY_STATES),
    energy: oneOf(['total', 'plusTariffs', 'minusTariffs']),
    view: oneOf(['chart', 'table']),
    ...list,
  },
  lineLoss: { from: day, to: day, ...place, search: text, class: oneOf(LOSS_CLASSES), ...list },
  phases: {
    node,
    tab: oneOf(['balance', 'identification', 'whatIf', 'anomalies']),
    from: day,
    to: day,
    day,
    quantity: oneOf(['current', 'voltage', 'power', 'unbalance']),
    view: oneOf(['chart', 'table']),
    search: text,
    phase: oneOf(SINGLE_PHASES),
    state: oneOf(PHASE_STATES),
    isConflict: onlyTrue,
    confidence: text,
    fact: oneOf(PHASE_FACTS),
    moves: text,
    kind: oneOf(['phase', 'energy']),
    anomaly: oneOf(ANOMALY_TYPES),
    decision: oneOf(ANOMALY_STATES),
    ...list,
  },
  clocks: {
    task: id,
    search: text,
    kind: oneOf(['dcu', 'meter']),
    class: oneOf(CLOCK_CLASSES),
    deviationS: text,
    ...place,
    state: text,
    ...list,
  },
  relays: {
    tab: oneOf(['relays', 'approvals', 'log']),
    task: id,
    search: text,
    /** State of a relay or, in the log, of a command. */
    state: oneOf([...RELAY_STATES, ...RELAY_COMMAND_STATES]),
    isProtected: onlyTrue,
    ...place,
    sns: text,
    ...list,
  },
  dcuConfiguration: {
    node,
    dcu: id,
    task: id,
    search: text,
    differs: onlyTrue,
    type: id,
    group: oneOf(PARAMETER_GROUPS),
    page: text,
    sel: id,
    state: text,
  },
  onDemandReading: { ...RUN_WORDS, ...targets, kind: oneOf(ON_DEMAND_KINDS), from: day, to: day },
  realTimeReading: { ...RUN_WORDS, ...targets },
  eventReading: { ...RUN_WORDS, ...targets },
  deviceCommands: { command: text, ...RUN_WORDS, ...targets },
  upgrades: {
    tab: oneOf(['library', 'new', 'jobs', 'keys']),
    firmware: id,
    name: text,
    version: text,
    targetKind: oneOf(UPGRADE_TARGETS),
    supplierId: id,
    state: oneOf([...FIRMWARE_STATES, ...UPGRADE_JOB_STATES]),
    ...list,
  },
  upgradeRecords: {
    jobId: id,
    ring: text,
    status: text,
    type: oneOf(UPGRADE_TARGETS),
    sn: text,
    dcuId: id,
    dcuSn: text,
    from: day,
    to: day,
    checkResult: oneOf(CHECK_RESULTS),
    ...list,
  },
  roles: { code: text, name: text, ...list },
  users: {
    tab: oneOf(['people', 'programs']),
    username: text,
    name: text,
    roleId: id,
    state: oneOf(['active', 'locked', 'must_change']),
    hasSecondFactor: yesNo,
    search: text,
    ...list,
  },
  modules: { search: text, visible: yesNo, ...list },
  audit: { username: text, action: text, entity: text, entityId: text, from: day, to: day, before: id, ...list },
  settings: {},
  nodes: {},
  deliveries: { search: text, ...list },
  alarms: { tab: oneOf(['log', 'rules', 'channels', 'recipients']), state: oneOf(ALARM_STATES), search: text, ack: text, ...list },
  identityProviders: { search: text, ...list },
  dcuLog: {
    node,
    view: oneOf(['live', 'history']),
    direction: oneOf(FRAME_DIRECTIONS),
    channel: oneOf(FRAME_CHANNELS),
    service: text,
    failed: onlyTrue,
    hex: text,
    meter: text,
    from: day,
    to: day,
    frame: id,
    trace: id,
    ...list,
  },
  stations: {
    dcuId: id,
    search: text,
    state: oneOf(STATION_STATES),
    role: oneOf(STATION_ROLES),
    vendor: text,
    version: text,
    levelFrom: text,
    signal: oneOf(SIGNAL_STRENGTHS),
    phase: text,
    ...list,
  },
  topologySwitch: { dcu: id },
} as const satisfies Record<PageName, WordShape>;

/** The values of words; a word may be left out. */
export type WordsOf<S extends WordShape> = { [K in keyof S]?: ReturnType<S[K]['read']> };
export type PageWords<N extends PageName> = WordsOf<(typeof PAGE_WORDS)[N]>;

type RunPage = { [N in PageName]: 'task' extends keyof (typeof PAGE_WORDS)[N] ? N : never }[PageName];
/** Whether the page shows a run by its id. */
export const isRunPage = (page: PageName): page is RunPage => 'task' in PAGE_WORDS[page];

/** The address of a page, with the words in the order of their declaration. Undefined words are left out. */
export function addressOf<N extends PageName>(page: N, words: PageWords<N> = {}): string {
  const given = words as Readonly<Record<string, string | undefined>>; // as: all words are strings
  const query = Object.keys(PAGE_WORDS[page]).flatMap((key) => {
    const value = given[key];
    return value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`];
  });
  return query.length === 0 ? PAGE_PATH[page] : `${PAGE_PATH[page]}?${query.join('&')}`;
}

/** Reads the words of a query string. Absent, empty and invalid words are undefined: users edit addresses, and old links lose their meaning. */
export function wordsIn<S extends WordShape>(shape: S, query: { get: (key: string) => string | null }): WordsOf<S> {
  const words: Record<string, string> = {};
  for (const [key, word] of Object.entries(shape)) {
    const given = query.get(key);
    const value = given ? word.read(given) : undefined;
    if (value !== undefined) words[key] = value;
  }
  return words as WordsOf<S>; // as: keys and values of that very shape
}

/** Addresses of the console: `to.readings({ node, tab: 'lpa' })`. */
export const to = Object.fromEntries(
  PAGE_NAMES.map((page) => [page, (words: PageWords<typeof page> = {}) => addressOf(page, words)]),
) as unknown as { readonly [N in PageName]: (words?: PageWords<N>) => string }; // as: one function for each page
