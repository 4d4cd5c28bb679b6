import { localDay } from './calendar.ts';
import { drawCustomer } from './customers.ts';
import type { DcuPlan, LevelPlan, MeterPlan, Plan, PushWay, TransformerPlan } from './plan.ts';
import { between, streamOf, unitAt } from './random.ts';

export interface Scale {
  dcus: number;
  metersPerDcu: number;
}

/** Spreads direct meters over the transformers; prime, so that no number of households divides it. */
const STRIDE = 97;

/** Direct meters of a fleet. */
export interface DirectScale {
  count: number;
  /** The first meters that speak HDLC; the others have the wrapper. Default: none. */
  hdlc?: number;
  /** Number of every second meter, from the second one on, that is dialled; the others dial in. Default: none. */
  dialled?: number;
  /** Meters in addition that are dialled and push in another way, in each in turn. Default: none. */
  pushing?: number;
}

const PUSH_WAYS: readonly PushWay[] = ['mbus_tcp', 'mbus_udp', 'wrapper_udp', 'hdlc_udp'];

function connectionOf(n: number, { count, hdlc = 0, dialled = 0 }: DirectScale): Pick<MeterPlan, 'framing' | 'isDialled' | 'pushes'> {
  const pushes = n < count ? undefined : PUSH_WAYS[(n - count) % PUSH_WAYS.length];
  if (pushes !== undefined) return { isDialled: true, pushes };
  return { ...(n < hdlc ? { framing: 'hdlc' } : {}), ...(n % 2 === 1 && n < 2 * dialled ? { isDialled: true } : {}) };
}

/** Adds direct meters to a fleet: households of its transformers with modems of their own. */
export function addDirectMeters(plan: Plan, direct: DirectScale): void {
  const households = plan.meters.filter(
    ({ kind, isSilent, hasWrongKey, dcu }) => kind === 'household' && !isSilent && !hasWrongKey && !dcu.isUnregistered,
  );
  for (let n = 0; n < direct.count + (direct.pushing ?? 0); n++) {
    const like = households[(n * STRIDE) % households.length];
    if (like === undefined) return;
    const index = plan.meters.length;
    const number = String(n + 1).padStart(5, '0');
    const customer = drawCustomer(streamOf(plan.seed, 'direct'), n, 'household');
    plan.meters.push({
      ...like,
      ...customer,
      index,
      sn: `2799${String(plan.seed).padStart(3, '0').slice(-3)}${number}`,
      isDirect: true,
      ...connectionOf(n, direct),
      customerNo: `D${number}`,
      customerName: like.customerName,
      driftSeconds: 0,
    });
  }
}

/** Size of the simulation: the test fleet (`town`), the utility of the demonstration, the one of former versions, or a uniform fleet. */
export type WorldSize = 'town' | 'utility' | 'utility-even' | Scale;

/** Parses `town`, `utility`, `utility-even`, or `50x400`: 50 DCUs of 400 meters each. */
export function parseScale(text: string): WorldSize | undefined {
  if (text === 'town' || text === 'utility' || text === 'utility-even') return text;
  const match = /^(\d{1,5})x(\d{1,4})$/.exec(text);
  return match ? { dcus: Number(match[1]), metersPerDcu: Number(match[2]) } : undefined;
}

/** A uniform fleet for benchmarks: every DCU dials in, every device responds, no master meters. */
export function drawUniformFleet(seed: number, scale: Scale): Plan {
  const level: LevelPlan = { code: 'FLEET', name: 'Fleet', type: 'company', parentCode: null, longitude: 120.864, latitude: 31.352 };
  const plan: Plan = { seed, levels: [level], transformers: [], dcus: [], meters: [], archiveDrift: [] };
  for (let d = 0; d < scale.dcus; d++) {
    const at = { longitude: level.longitude + 0.01 * (d % 100), latitude: level.latitude + 0.01 * Math.floor(d / 100) };
    const transformer: TransformerPlan = {
      index: d,
      code: `F${String(d + 1).padStart(5, '0')}`,
      name: `Transformer ${d + 1}`,
      address: `Fleet ${d + 1}`,
      level,
      capacityKva: 2000,
      lossShare: 0.035,
      skyStream: streamOf(seed, 'sky'),
      ...at,
    };
    const dcu: DcuPlan = {
      index: d,
      sn: `DCU27${String(d + 1).padStart(6, '0')}`,
      name: `Fleet DCU ${d + 1}`,
      transformer,
      connectionType: 'dial_in',
      communicateType: d % 3 === 2 ? 'ethernet' : 'g4',
      dataChannel: 'plc',
      isAbsent: false,
      isUnregistered: false,
      ...at,
    };
    plan.transformers.push(transformer);
    plan.dcus.push(dcu);
    for (let m = 0; m < scale.metersPerDcu; m++) plan.meters.push(drawFleetMeter(plan, dcu, m));
  }
  return plan;
}

function drawFleetMeter(plan: Plan, dcu: DcuPlan, m: number): MeterPlan {
  const index = plan.meters.length;
  const stream = streamOf(plan.seed, 'fleet');
  return {
    index,
    sn: `27${String(dcu.index + 1).padStart(5, '0')}${String(m + 1).padStart(5, '0')}`,
    transformer: dcu.transformer,
    dcu,
    kind: 'household',
    mode: 'plc',
    distance: between(stream, index, 0.05, 1),
    hops: 1,
    ...drawCustomer(stream + 1, index, 'household'),
    installedDay: localDay(Date.UTC(2020, 0, 1)) + Math.floor(unitAt(stream, index, 1) * 365),
    driftSeconds: 0,
    customerNo: `C${String(index + 1).padStart(7, '0')}`,
    customerName: null,
    address: `Fleet ${dcu.index + 1}/${m + 1}`,
    longitude: dcu.longitude,
    latitude: dcu.latitude,
    isSilent: false,
    hasWrongKey: false,
    isTampered: false,
  };
}
