import { METER_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { assignShortNames, type ShortNamedObject } from '@hes/dlms/catalogue/short-names.ts';
import { associationLn } from '@hes/dlms/cosem/classes/association-ln.ts';
import { associationSn } from '@hes/dlms/cosem/classes/association-sn.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { activationSchedule } from '#behaviours/activation-schedule.ts';
import { associationObject } from '#behaviours/association.ts';
import { billingAt, billingCount, billingSchedule, billingScripts } from '#behaviours/billing-period.ts';
import { clockObject } from '#behaviours/clock.ts';
import { asciiOctets, dataObject } from '#behaviours/data.ts';
import { eventLog } from '#behaviours/event-log.ts';
import { imageObject } from '#behaviours/image-transfer.ts';
import { intervalProfile, type IntervalSpec } from '#behaviours/interval-profile.ts';
import { profileObject } from '#behaviours/profile.ts';
import { pushObject } from '#behaviours/push.ts';
import { demandObject, registerObject } from '#behaviours/register.ts';
import { relayObject } from '#behaviours/relay.ts';
import { securityObject } from '#behaviours/security.ts';
import { DAY_MS } from '#world/calendar.ts';
import type { EventLog } from '#world/events.ts';
import type { MeterPlan } from '#world/plan.ts';
import { alteredSpec } from './alterations.ts';
import { captureOf, DAILY, ENERGY, LPA, LPB, MONTHLY } from './meter-profiles.ts';
import { DEMANDS, registersOf } from './meter-registers.ts';
import { DAILY_PUSH } from './meter-push.ts';
import type { MeterState } from './meter-state.ts';
import type { SimulatedObject } from './simulate.ts';

type Key = WellKnownKey;
type Make = (state: MeterState, instance: Obis) => SimulatedObject;

const FIRMWARE = { plc: { model: 'HES-MP', version: 'HES-MP 2.4.1' }, rf: { model: 'LYN-MR', version: 'LYN-MR 1.9.0' } } as const;

/** Model and version as delivered. */
export const factoryFirmware = (plan: MeterPlan): { model: string; version: string } => FIRMWARE[plan.mode];
const LOG_DEPTH_DAYS = 60;

const interval =
  (spec: IntervalSpec<MeterState>): Make =>
  (state, instance) => {
    const altered = state.alterations();
    return profileObject(
      intervalProfile(alteredSpec(spec, altered), {
        meter: state,
        now: state.now,
        beganAt: Math.max(state.world.beganAt(state.plan), altered.swappedFrom ?? 0, altered.heldFrom),
        local: state.local,
        // Radio is slow, so its meters compress repeated values to null-data.
        isCompressed: state.plan.mode === 'rf',
        wrongStamps: () => state.wrongStamps(),
      }),
      instance,
    );
  };

const log =
  (codeKey: Key, events: EventLog): Make =>
  (state, instance) =>
    profileObject(
      eventLog(captureOf(codeKey), state.local, () =>
        state.world.events(state.plan, events, state.now() - LOG_DEPTH_DAYS * DAY_MS, state.now()),
      ),
      instance,
    );

const lastCode =
  (events: EventLog): Make =>
  (state, instance) =>
    dataObject(() => {
      const last = state.world.events(state.plan, events, state.now() - LOG_DEPTH_DAYS * DAY_MS, state.now()).at(-1);
      return { type: 'unsigned', value: last?.code ?? 0 };
    }, instance);

const FIXED: [Key, Make][] = [
  ['CLOCK', clockObject],
  ['LDN', (state, instance) => dataObject(() => asciiOctets(`HES${state.plan.sn}`), instance)],
  ['SN', (state, instance) => dataObject(() => asciiOctets(state.plan.sn), instance)],
  ['FWID', (state, instance) => dataObject(() => asciiOctets(state.firmware.version), instance)],
  ['STATUS', (_state, instance) => dataObject(() => ({ type: 'longUnsigned', value: 0 }), instance)],
  ['IC', (state, instance) => dataObject(() => ({ type: 'doubleLongUnsigned', value: state.lastClientCounter() }), instance)],
  ['DAILY', interval(DAILY)],
  ['MONTHLY', interval(MONTHLY)],
  ['LPA', interval(LPA)],
  ['LPB', interval(LPB)],
  ['ENERGY', interval(ENERGY)],
  ['EVLOG0', log('EVCODE0', 'standard')],
  ['EVLOG1', log('EVCODE1', 'fraud')],
  ['EVLOG4', log('EVCODE4', 'quality')],
  ['EVCODE0', lastCode('standard')],
  ['EVCODE1', lastCode('fraud')],
  ['EVCODE4', lastCode('quality')],
  ['SECURITY', securityObject],
  ['RELAY', (state, instance) => relayObject(state.relay, instance)],
  ['IMAGE', (state, instance) => imageObject(state.firmware, instance)],
  ['SCHEDULE_IMAGE', activationSchedule],
  ['SCHEDULE_BILLING', billingSchedule],
  ['SCRIPTS_MDI_RESET', billingScripts],
  ['BILLING_COUNT', billingCount],
  ['BILLING_AT', billingAt],
  ['PUSH', (_state, instance) => pushObject({ list: DAILY_PUSH, destination: '' }, instance)],
];

/** Master meters are in the substation, where a disconnection is not possible. */
const NOT_IN_MASTERS: ReadonlySet<Key> = new Set(['RELAY']);

/** Constructors of a device's objects by class and logical name; objects are created per access. */
export type ObjectTable = ReadonlyMap<string, { instance: Obis; make: Make }>;

function tableOf(plan: MeterPlan): ObjectTable {
  const table = new Map<string, { instance: Obis; make: Make }>();
  const add = (key: Key, make: Make): void => {
    const { cosemClass, instance } = WELL_KNOWN[key];
    table.set(objectKey(cosemClass.id, instance), { instance, make });
  };
  for (const [key, make] of FIXED) if (plan.kind !== 'master' || !NOT_IN_MASTERS.has(key)) add(key, make);
  for (const [key, quantityOf] of registersOf(plan)) add(key, (state, instance) => registerObject(quantityOf(state), instance));
  for (const [key, demandOf] of DEMANDS) add(key, (state, instance) => demandObject(demandOf(state), instance));
  table.set(objectKey(data.id, METER_OBJECTS.OPERATING_STATUS), {
    instance: METER_OBJECTS.OPERATING_STATUS,
    make: (_state, instance) => dataObject(() => ({ type: 'longUnsigned', value: 0 }), instance),
  });
  add('ASSOCIATION', (state, instance) =>
    associationObject(
      { objects: () => [...table.values()].map((entry) => entry.make(state, entry.instance)), clientSap: 1, serverSap: 1 },
      instance,
    ),
  );
  return table;
}

/** Base names of the objects of a table, for a meter with short names. */
export function shortNamesOf(table: ObjectTable, state: MeterState): ShortNamedObject[] {
  const objects = [...table.values()].map(({ make, instance }) => make(state, instance));
  return assignShortNames([...objects.filter(({ classId }) => classId !== associationLn.id), CURRENT_ASSOCIATION_SN_OBJECT]);
}

const CURRENT_ASSOCIATION_SN_OBJECT = {
  classId: associationSn.id,
  version: associationSn.version,
  instance: WELL_KNOWN.ASSOCIATION.instance,
};

const tables = new Map<string, ObjectTable>();

/** The object table of a meter's model, shared by all meters of that model. */
export function objectsOf(plan: MeterPlan): ObjectTable {
  const model = `${plan.kind === 'master'}/${plan.phase === 'abc'}`;
  const known = tables.get(model);
  if (known) return known;
  const table = tableOf(plan);
  tables.set(model, table);
  return table;
}
