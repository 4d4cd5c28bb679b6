import { z } from 'zod';
import { measured } from '../core/measured.ts';
import { day, id, idParams, instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { storedLevel } from '../event/event.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { countedProfile, gapState } from '../reading/reading.ts';
import { anomalyType } from '../states/anomaly.ts';
import { lossClass } from '../states/bill.ts';
import { clockClass } from '../states/clock.ts';
import { communicationMode, dcuOnlineStatus, freshness, inventoryState, recordedPhase, relayState } from '../states/device.ts';
import { eventDirection, eventLog } from '../states/event.ts';
import { signalStrength, signalUnit } from '../states/signal.ts';
import { stationLink } from '../states/topology.ts';

/** Days before now that a status page looks back for attempts, gaps, events and losses. */
export const STATUS_DAYS = 7;

/** An ended attempt to communicate with a device. */
export const attemptRow = z.object({
  at: instant,
  kind: z.string(),
  taskId: id,
  state: z.enum(['read_success', 'read_fail', 'cancelled', 'expired']),
  reasonCode: z.string().nullable(),
  reasonText: z.string().nullable(),
});
export type AttemptRow = z.infer<typeof attemptRow>;

export const statusEvent = z.object({
  id,
  at: instant,
  log: eventLog,
  code: z.number().int(),
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
  level: storedLevel,
  direction: eventDirection,
  recoveredAt: instant.nullable(),
});
export type StatusEvent = z.infer<typeof statusEvent>;

export const TIMELINE_KINDS = ['event', 'relay', 'network', 'replacement', 'clock', 'connected', 'disconnected'] as const;
/** Something that happened to a device. `code` depends on the kind: a relay operation, a change of the network, a reason of closing. */
export const timelineRow = z.object({
  at: instant,
  kind: z.enum(TIMELINE_KINDS),
  code: z.string(),
  /** State of a relay command. */
  state: z.string().nullable(),
  nameEn: z.string().nullable(),
  nameZh: z.string().nullable(),
});
export type TimelineRow = z.infer<typeof timelineRow>;

/** A station on the route of a meter. */
export const hop = z.object({ sn: z.string(), level: z.number().int(), isOnline: z.boolean(), signal: signalStrength });

export const networkFacts = z.object({
  /** When the DCU last reported its network; null: never. */
  takenAt: instant.nullable(),
  station: z
    .object({
      level: z.number().int(),
      link: stationLink,
      phase: recordedPhase,
      signalValue: z.number().nullable(),
      signalUnit,
      signal: signalStrength,
      isOnline: z.boolean(),
      lastSeenAt: instant,
      /** From the parent of the meter to the DCU. */
      route: z.array(hop),
      /** Stations with the same parent, without this one. */
      siblings: z.number().int(),
      siblingsOnline: z.number().int(),
      /** Changes of the parent within 24 hours. */
      parentChanges: z.number().int(),
    })
    .nullable(),
});

export const gapFact = z.object({
  id,
  profile: countedProfile,
  day,
  missing: z.number().int(),
  reasonCode: z.string().nullable(),
  triedAt: instant.nullable(),
  attempts: z.number().int(),
  nextTryAt: instant,
  state: gapState,
});
export type GapFact = z.infer<typeof gapFact>;

export const lossFacts = z.object({
  from: day,
  to: day,
  supply: measured('kWh').nullable(),
  loss: measured('kWh').nullable(),
  missing: measured('kWh').nullable(),
  lossPercent: z.number().nullable(),
  class: lossClass,
});

export type LossFacts = z.infer<typeof lossFacts>;

/** Facts of a part are null if the user has no right on the page that shows them in full. */
export const meterFacts = z.object({
  /** When the head-end answered; ages refer to it. */
  at: instant,
  id,
  sn: z.string(),
  typeName: z.string(),
  isMaster: z.boolean(),
  communicationMode,
  inventoryState,
  recordedPhase,
  customerNo: z.string().nullable(),
  customerName: z.string().nullable(),
  address: z.string().nullable(),
  installedAt: instant.nullable(),
  firmwareVersion: z.string().nullable(),
  lastCommAt: instant.nullable(),
  lastReadAt: instant.nullable(),
  freshness,
  relayState,
  relayReadAt: instant.nullable(),
  setAsideUntil: instant.nullable(),
  transformer: z.object({ id, name: z.string() }).nullable(),
  isBound: z.boolean(),
  /** The DCU, or the connection of a direct meter itself; null: not bound, or outside of the user's area. */
  line: z
    .object({
      id,
      sn: z.string(),
      onlineStatus: dcuOnlineStatus,
      lastCommAt: instant.nullable(),
      /** Begin of the connection, or end of the last one. */
      since: instant.nullable(),
      closeReason: z.string().nullable(),
      /** Active meters of the DCU that the user may see, and those not heard of for a day. */
      meters: z.number().int(),
      silent: z.number().int(),
    })
    .nullable(),
  attempts: z.array(attemptRow).nullable(),
  network: networkFacts.nullable(),
  clock: z
    .object({ class: clockClass, deviationMs: z.number().nullable(), readAt: instant.nullable(), lastSyncAt: instant.nullable() })
    .nullable(),
  events: z.array(statusEvent).nullable(),
  gaps: z.array(gapFact).nullable(),
  loss: lossFacts.nullable(),
  anomalies: z.array(z.object({ day, type: anomalyType, value: measured('kWh'), reference: measured('kWh') })).nullable(),
  timeline: z.array(timelineRow),
});
export type MeterFacts = z.infer<typeof meterFacts>;

export const meterStatus = {
  get: route({
    method: 'GET',
    path: '/status/meter/{id}',
    summary: 'Stored facts about a meter by which its status page says whether it is well, and why not',
    allow: { page: PAGE_PATH.meterAssets, action: 'view' },
    params: idParams,
    response: meterFacts,
    errors: ['METER_NOT_FOUND'],
  }),
};
