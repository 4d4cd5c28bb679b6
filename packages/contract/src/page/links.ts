import { z } from 'zod';
import { PARAMETER_GROUPS } from '../action/dcu-parameter.ts';
import { onDemandKind } from '../action/read.ts';
import { relayCommandState } from '../action/relay-rules.ts';
import { transformerState } from '../asset/transformer.ts';
import { nodeKey } from '../asset/tree.ts';
import { frameChannel, frameDirection } from '../debug/dcu-log.ts';
import { countedProfile, gapReading, gapState, profileQuality } from '../reading/reading.ts';
import { abnormalLevel, anomalyType } from '../states/anomaly.ts';
import { bindState, diffKind, dispatchState, distributionState } from '../states/archive.ts';
import { anomalyState, billStatus, lossClass, periodKind } from '../states/bill.ts';
import { clockClass } from '../states/clock.ts';
import {
  communicationMode,
  connectionType,
  dcuOnlineStatus,
  freshness,
  inventoryState,
  meterPhase,
  recordedPhase,
  relayState,
} from '../states/device.ts';
import { discoveryMatch } from '../states/discovery.ts';
import { eventDirection } from '../states/event.ts';
import { PLAN_TYPES } from '../states/plan.ts';
import { phaseFact, phaseState, singlePhase } from '../states/phase.ts';
import { signalStrength } from '../states/signal.ts';
import { stationLink, stationRole, stationState } from '../states/topology.ts';
import { checkResult, firmwareState, upgradeJobState, upgradeTarget } from '../states/upgrade.ts';
import { PAGE_NAMES, PAGE_PATH, type PageName } from './paths.ts';

/** A search text, a serial number, or words separated by commas; the server judges it. */
const text = z.string();
/** Id of a record of the page, or the key of a row. */
const id = z.string();
/** First or last day, YYYY-MM-DD. */
const day = z.string();
const yesNo = z.enum(['true', 'false']);
const onlyTrue = z.literal('true');

/** Page number, page size, order and selected row of a list. */
const list = { page: text, size: text, sort: text, sel: id };
/** A node of the network; its label saves a call when a link opens the page. */
const place = { node: nodeKey, nodeName: text };
/** A run, its selected item, and the state that its items are filtered by. */
export const RUN_WORDS = { task: id, sel: id, state: text };
/** Devices to place an order for: node keys, separated by commas. */
const targets = { targets: text };

export type WordShape = Readonly<Record<string, z.ZodType<string, string>>>;

/** The words of the query of each page, in their order in an address. A page reads no other words, and no link writes others. */
export const PAGE_WORDS = {
  login: { redirect: text },
  forbidden: {},
  dashboard: { ...place, date: day },
  network: { sel: id, tab: z.enum(['children', 'transformers']) },
  suppliers: { search: text, country: text, enabled: yesNo, ...list },
  dcuTypes: { search: text, supplierId: id, protocol: text, feature: text, enabled: yesNo, ...list },
  meterTypes: {
    search: text,
    supplierId: id,
    phase: meterPhase,
    communicationMode,
    hasRelay: yesNo,
    enabled: yesNo,
    ...list,
  },
  transformers: {
    ...place,
    search: text,
    state: transformerState,
    hasDcu: yesNo,
    hasPosition: yesNo,
    view: z.enum(['table', 'map']),
    ...list,
  },
  dcus: {
    search: text,
    ...place,
    freshness,
    onlineStatus: dcuOnlineStatus,
    connectionType,
    signal: signalStrength,
    dcuTypeId: id,
    supplierId: id,
    ...list,
  },
  archives: {
    node: nodeKey,
    nodeName: text,
    dcuId: id,
    task: id,
    sn: text,
    mismatched: onlyTrue,
    diff: diffKind,
    bindState,
    dispatchState,
    distributionState,
    communicationMode,
    page: text,
    size: text,
    sort: text,
    /** SN of the DCU and of the meter. */
    sel: text,
  },
  meterAssets: {
    tab: z.enum(['assets', 'search']),
    search: text,
    ...place,
    state: inventoryState,
    meterTypeId: id,
    supplierId: id,
    communicationMode,
    isMaster: yesNo,
    bound: yesNo,
    freshness,
    sn: text,
    match: discoveryMatch,
    signal: signalStrength,
    phase: recordedPhase,
    firstSeenSince: day,
    decided: yesNo,
    ...list,
  },
  readings: {
    node: nodeKey,
    tab: countedProfile,
    from: day,
    to: day,
    view: z.enum(['table', 'chart', 'heat', 'gaps']),
    search: text,
    mode: communicationMode,
    quality: profileQuality,
    reading: gapReading,
    state: gapState,
    only: z.literal('gaps'),
    trace: text,
    ...list,
  },
  events: {
    view: z.enum(['list', 'byCause', 'pareto']),
    from: day,
    to: day,
    level: abnormalLevel.exclude(['all']),
    acknowledged: yesNo,
    codes: text,
    logs: text,
    search: text,
    ...place,
    direction: eventDirection,
    incidentId: id,
    ...list,
  },
  obis: {
    tab: z.enum(['objects', 'templates']),
    template: id,
    category: text,
    search: text,
    classId: text,
    access: text,
    templateId: id,
    enabled: yesNo,
    ...list,
  },
  plans: { name: text, type: z.enum(PLAN_TYPES), enabled: yesNo, lastResult: text, ...list },
  topology: {
    node: nodeKey,
    dcu: id,
    form: z.enum(['map', 'tree', 'network', 'list']),
    sel: id,
    at: text,
    from: text,
    signal: signalStrength,
    phase: recordedPhase,
    link: stationLink,
    level: text,
    fresh: freshness,
  },
  bills: {
    tab: z.enum(['meters', 'balance', 'trend', 'anomalies']),
    node: nodeKey,
    nodeName: text,
    kind: periodKind,
    from: day,
    to: day,
    search: text,
    status: billStatus,
    anomaly: anomalyType,
    class: lossClass,
    decision: anomalyState,
    energy: z.enum(['total', 'plusTariffs', 'minusTariffs']),
    view: z.enum(['chart', 'table']),
    ...list,
  },
  phases: {
    node: nodeKey,
    tab: z.enum(['balance', 'identification', 'whatIf', 'anomalies']),
    from: day,
    to: day,
    day,
    quantity: z.enum(['current', 'voltage', 'power', 'unbalance']),
    view: z.enum(['chart', 'table']),
    search: text,
    phase: singlePhase,
    state: phaseState,
    isConflict: onlyTrue,
    confidence: text,
    fact: phaseFact,
    moves: text,
    kind: z.enum(['phase', 'energy']),
    anomaly: anomalyType,
    decision: anomalyState,
    ...list,
  },
  clocks: { task: id, search: text, kind: z.enum(['dcu', 'meter']), class: clockClass, deviationS: text, ...place, state: text, ...list },
  relays: {
    tab: z.enum(['relays', 'approvals', 'log']),
    task: id,
    search: text,
    /** State of a relay or, in the log, of a command. */
    state: z.enum([...relayState.options, ...relayCommandState.options]),
    isProtected: onlyTrue,
    ...place,
    sns: text,
    ...list,
  },
  dcuConfiguration: {
    node: nodeKey,
    dcu: id,
    task: id,
    search: text,
    differs: onlyTrue,
    type: id,
    group: z.enum(PARAMETER_GROUPS),
    page: text,
    sel: id,
    state: text,
  },
  onDemandReading: { ...RUN_WORDS, ...targets, kind: onDemandKind, from: day, to: day },
  realTimeReading: { ...RUN_WORDS, ...targets },
  eventReading: { ...RUN_WORDS, ...targets },
  deviceCommands: { command: text, ...RUN_WORDS, ...targets },
  upgrades: {
    tab: z.enum(['library', 'new', 'jobs', 'keys']),
    firmware: id,
    name: text,
    version: text,
    targetKind: upgradeTarget,
    supplierId: id,
    state: z.enum([...firmwareState.options, ...upgradeJobState.options]),
    ...list,
  },
  upgradeRecords: {
    jobId: id,
    ring: text,
    status: text,
    type: upgradeTarget,
    sn: text,
    dcuId: id,
    dcuSn: text,
    from: day,
    to: day,
    checkResult,
    ...list,
  },
  roles: { code: text, name: text, ...list },
  users: { username: text, name: text, roleId: id, state: z.enum(['active', 'locked', 'must_change']), hasSecondFactor: yesNo, ...list },
  modules: { search: text, visible: yesNo, ...list },
  audit: { username: text, action: text, entity: text, entityId: text, from: day, to: day, before: id, ...list },
  settings: {},
  dcuLog: {
    node: nodeKey,
    view: z.enum(['live', 'history']),
    direction: frameDirection,
    channel: frameChannel,
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
    state: stationState,
    role: stationRole,
    vendor: text,
    version: text,
    levelFrom: text,
    signal: signalStrength,
    phase: text,
    ...list,
  },
  topologySwitch: { dcu: id },
} as const satisfies Record<PageName, WordShape>;

/** The values of words; a word may be left out. */
export type WordsOf<S extends WordShape> = { [K in keyof S]?: z.output<S[K]> | undefined };
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
    const { data } = word.safeParse(query.get(key) || undefined);
    if (data !== undefined) words[key] = data;
  }
  return words as WordsOf<S>; // as: keys and values of that very shape
}

/** Addresses of the console: `to.readings({ node, tab: 'lpa' })`. */
export const to = Object.fromEntries(
  PAGE_NAMES.map((page) => [page, (words: PageWords<typeof page> = {}) => addressOf(page, words)]),
) as unknown as { readonly [N in PageName]: (words?: PageWords<N>) => string }; // as: one function for each page
