import { setTimeout as wait } from 'node:timers/promises';
import { wrongKeysOf } from '../../apps/simulator/src/devices/keys.ts';
import type { ReplacementTruth } from '../../apps/simulator/src/control/truth.ts';
import type { Random } from '../fuzz/random.ts';
import { callAs, impersonate } from './callers.ts';
import type { Trouble } from './faults.ts';
import { neighbourOf } from './fleet.ts';
import type { Draw, Fleet } from './fleet-shape.ts';
import type { History } from './history.ts';
import type { Subject } from './subject.ts';
import { shuffled } from './targets.ts';
import type { KnownMeter } from './work.ts';

/** Number of effects of faults that the field does not count, by name and target. */
export type Struck = Map<string, number>;

export interface FaultTools {
  product: Subject;
  tell: History;
  random: Random;
  fleet: Fleet;
  struck: Struck;
  strike: Strike;
}

/** Applies a fault of head-ends or their database. */
export type Strike = (tools: FaultTools, draw: Draw) => Promise<void>;

const MINUTE_MS = 60_000;
/** Time limit of a dispatch to an archive, which may wait for the end of all faults. */
const MOVE_WITHIN_MS = 600_000;
const IMPOSTER_MS = 30_000;
const ALARMS = 3;
/** Number of meters behind DCUs, and of direct meters, with repeated alarms. */
const PUSHING = 4;
const ASK_EVERY_MS = 500;
const ASK_WITHIN_MS = 60_000;
/** Longest time between the last read capture and the change of a meter. */
const CHANGE_WITHIN_MINUTES = 90;

/** Counts effects of a fault that the field does not count. */
export const count = (struck: Struck, name: string, target = '', times = 1): void =>
  void struck.set(`${name} ${target}`, (struck.get(`${name} ${target}`) ?? 0) + times);

/** The meter with an endless response behind a DCU with a quick line. */
const endlessBehind = ({ meters }: Fleet, dcu: string): string => meters.find((meter) => meter.dcu === dcu)?.sn ?? '';

async function injectField({ product, fleet }: FaultTools, trouble: Trouble & { of: 'dcu' | 'meter' }, target: string): Promise<void> {
  const { kind, count: times, delayMs, octets } = trouble;
  const set = (fault: object) => product.field('POST', '/fault', fault);
  if (kind === 'crossed') {
    const to = neighbourOf(fleet, target);
    if (trouble.who === 'none') await set({ target: to, kind: 'unprotected' });
    return void (await set({ target, kind, to }));
  }
  await set({ target, kind, count: times, delayMs, octets });
  if (kind === 'quick_line') await set({ target: endlessBehind(fleet, target), kind: 'endless_blocks' });
  if (kind === 'absent') await product.field('POST', `/dcu/${target}/disconnect`);
}

/** Changes meters from a moment soon after now, when their last capture has just been read. */
export async function change({ product, tell, random }: FaultTools, draws: readonly Draw[]): Promise<void> {
  for (const { name, spec, targets } of draws) {
    const { trouble } = spec;
    for (const target of targets) {
      const at = product.now() + (2 + random.below(CHANGE_WITHIN_MINUTES)) * MINUTE_MS;
      const set = async (kind: string, skip?: number): Promise<void> => {
        await product.field('POST', '/fault', { target, kind, at, skip });
        tell({ t: 'altered', sn: target, kind, at });
      };
      if (trouble.of === 'meter' && trouble.isChange === true) await set(trouble.kind, trouble.skip);
      if (trouble.of === 'meter' && trouble.kind === 'full_register') tell({ t: 'altered', sn: target, kind: trouble.kind, at });
      if (trouble.of === 'parameter' && trouble.what === 'firmware') {
        await product.field('POST', `/firmware/meter/${target}`, { version: `${name} ${at}` });
        await set('other_scaler');
      }
      if (trouble.of === 'parameter' && trouble.what === 'keys') await set('wrong_key');
      if (trouble.of === 'parameter' && trouble.what === 'type') await set('unprotected');
    }
  }
}

/** Activates faults. Returns work that continues until an operator has acted. */
export async function inject(tools: FaultTools, draws: readonly Draw[], meters: readonly KnownMeter[]): Promise<Promise<void>[]> {
  const { product, fleet } = tools;
  const going: Promise<void>[] = [];
  for (const { spec, targets } of draws) {
    const { trouble } = spec;
    for (const target of targets) {
      const dcu = fleet.meters.find(({ sn }) => sn === target)?.dcu ?? '';
      if ((trouble.of === 'dcu' || trouble.of === 'meter') && !(trouble.of === 'meter' && trouble.isChange === true))
        await injectField(tools, trouble, target);
      else if (trouble.of === 'place' && trouble.what === 'lost')
        await product.field('POST', `/network/${dcu}`, { kind: 'lose', sn: target });
      else if (trouble.of === 'place' && trouble.what === 'moved') going.push(move(tools, draws, meters, target));
      else if (trouble.of === 'place') going.push(exchange(tools, meters, target));
    }
  }
  return going;
}

/** Clears the faults of the wave. Changed meters stay changed. */
export async function clear({ product, fleet }: FaultTools, draws: readonly Draw[]): Promise<void> {
  const end = (target: string, kind: string) => product.field('DELETE', `/fault?target=${target}&kind=${kind}`);
  for (const { spec, targets } of draws) {
    const { trouble } = spec;
    for (const target of targets) {
      if ((trouble.of === 'dcu' || trouble.of === 'meter') && (trouble.of === 'dcu' || trouble.isChange !== true)) {
        await end(target, trouble.kind);
        if (trouble.kind === 'crossed') await end(neighbourOf(fleet, target), 'unprotected');
        if (trouble.kind === 'quick_line') await end(endlessBehind(fleet, target), 'endless_blocks');
      }
      if (trouble.of === 'meter' && trouble.kind === 'rollover') await end(target, 'rollover');
      const dcu = fleet.meters.find(({ sn }) => sn === target)?.dcu ?? '';
      if (trouble.of === 'place' && trouble.what === 'lost')
        await product.field('POST', `/network/${dcu}`, { kind: 'restore', sn: target });
    }
  }
}

/** Applies faults to processes, connections and archives, one after the other. */
export async function strikeProcess(tools: FaultTools, draw: Draw, meters: readonly KnownMeter[]): Promise<void> {
  const { trouble } = draw.spec;
  switch (trouble.of) {
    case 'server':
    case 'database':
    case 'node':
      return tools.strike(tools, draw);
    case 'line':
      return cutAgainAndAgain(tools, draw, trouble.everyMs);
    case 'pushes':
      return push(tools, draw.name, trouble.from, meters);
    case 'imposter':
      return strikeByImposter(tools, draw);
    case 'parameter':
      return tellParameter(tools, draw, meters, trouble.what);
    case 'caller':
      return count(tools.struck, draw.name);
    default:
      return;
  }
}

async function strikeByImposter({ product, struck }: FaultTools, { name, targets }: Draw): Promise<void> {
  for (const target of targets) count(struck, name, target, await impersonate(product, target, IMPOSTER_MS));
}

async function cutAgainAndAgain({ product, struck }: FaultTools, { name, spec, targets }: Draw, everyMs: number): Promise<void> {
  for (const until = performance.now() + spec.lastsMs; performance.now() < until; await wait(everyMs))
    for (const target of targets) {
      await product.field('POST', `/dcu/${target}/disconnect`);
      count(struck, name, target);
    }
}

/** Sends each alarm twice, the later ones first; unknown senders include unregistered meters and DCUs. */
async function push(
  { product, random, struck }: FaultTools,
  name: string,
  from: 'meters' | 'strangers',
  meters: readonly KnownMeter[],
): Promise<void> {
  const numbers = Array.from({ length: ALARMS }, (_, index) => index + 1);
  // A direct meter forwards no alarms of others.
  const behindDcus = meters.filter(({ sn, dcu }) => sn !== dcu);
  const direct = from === 'meters' ? meters.filter(({ sn, dcu }) => sn === dcu) : [];
  const chosen = [...shuffled(behindDcus, random).slice(0, PUSHING), ...shuffled(direct, random).slice(0, PUSHING)];
  for (const meter of chosen) {
    const sn = from === 'meters' ? meter.sn : `NOBODY${random.below(1000)}`;
    await product.field('POST', `/dcu/${meter.dcu}/alarm`, { meter: sn, numbers: [...numbers.toReversed(), ...numbers] });
    count(struck, name, '', 2 * ALARMS);
  }
  if (from === 'strangers') await callAs(product, `STRANGE${random.below(1_000_000)}`);
}

/** Errors that confirm an executed order whose first response was lost. */
const DONE_BEFORE: ReadonlySet<unknown> = new Set(['ALREADY_BOUND', 'NOT_BOUND', 'DUPLICATE', 'METER_STATE', 'NOTHING_TO_DO']);
const isDoneBefore = (body: unknown): boolean => typeof body === 'object' && body !== null && 'code' in body && DONE_BEFORE.has(body.code);

/** Repeats an order of an operator until it is accepted; returns the response. */
async function order<Body>({ product }: FaultTools, method: 'POST' | 'PUT', path: string, body: object): Promise<Body> {
  for (const until = performance.now() + ASK_WITHIN_MS; ; await wait(ASK_EVERY_MS)) {
    const answer = await product.call(method, path, body);
    if (answer !== undefined && (answer.status < 300 || isDoneBefore(answer.body))) return answer.body as Body; // as: the contract of the route
    if (performance.now() > until) throw new Error(`${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
  }
}

const idOf = (meters: readonly KnownMeter[], target: string): string => meters.find(({ sn }) => sn === target)?.id ?? '';

/** Updates the record of a meter as an operator. */
async function tellParameter(
  tools: FaultTools,
  { name, targets }: Draw,
  meters: readonly KnownMeter[],
  what: (Trouble & { of: 'parameter' })['what'],
): Promise<void> {
  const { product, struck } = tools;
  for (const target of targets) {
    const id = idOf(meters, target);
    if (what === 'keys') {
      // The wrong keys must take effect before the correction.
      await untilStruck(tools, target, 'wrong_key');
      const { ek, ak } = wrongKeysOf(product.options.seed, target);
      await order(tools, 'PUT', `/asset/meter/${id}/keys`, { ek: Buffer.from(ek).toString('hex'), ak: Buffer.from(ak).toString('hex') });
    } else if (what === 'type') {
      const [type] = await product.rows<{ id: string }>(
        `select t.id from meter_type t, meter m join meter_type own on own.id = m.meter_type_id
         where m.id = $1 and t.code = own.code || '-none'`,
        [id],
      );
      await order(tools, 'PUT', '/asset/meter/type', { ids: [id], meterTypeId: type?.id });
    }
    count(struck, name, target);
  }
}

async function untilStruck({ product }: FaultTools, target: string, kind: string): Promise<void> {
  for (const until = performance.now() + ASK_WITHIN_MS; performance.now() < until; await wait(ASK_EVERY_MS)) {
    const { strikes } = await product.tally();
    if (strikes.some((strike) => strike.target === target && strike.kind === kind && strike.times > 0)) return;
  }
}

/** Moves a meter behind another DCU; an operator binds it there and dispatches it to the archive of that DCU. */
async function move(tools: FaultTools, draws: readonly Draw[], meters: readonly KnownMeter[], target: string): Promise<void> {
  const { product, fleet, tell } = tools;
  const struckDcus = draws.flatMap(({ targets }) => targets);
  const from = fleet.meters.find(({ sn }) => sn === target)?.dcu ?? '';
  const to = fleet.dcus.find((sn) => sn !== from && !struckDcus.includes(sn)) ?? '';
  await product.field('POST', `/network/${from}`, { kind: 'move', sn: target, to });
  tell({ t: 'moved', sn: target, from, to });
  await untilStruck(tools, target, 'moved');
  const [record] = await product.rows<{ id: string }>('select id from archive_record where sn = $1', [target]);
  const [dcu] = await product.rows<{ id: string }>('select id from dcu where sn = $1', [to]);
  await order(tools, 'POST', '/asset/archive/unbind', { recordIds: [record?.id] });
  await order(tools, 'POST', '/asset/archive/bind', { dcuId: dcu?.id, meterIds: [idOf(meters, target)] });
  // The operator retries failures, as the console proposes.
  const until = performance.now() + MOVE_WITHIN_MS;
  for (let isDone = false; !isDone;) {
    const { taskId } = await order<{ taskId?: string }>(tools, 'POST', '/asset/archive/dispatch', { dcuId: dcu?.id, all: true });
    // Without a task there is nothing to dispatch: an earlier one was executed, and its result was lost with the database.
    isDone = taskId === undefined || (await hasSucceeded(tools, taskId, until));
  }
}

async function hasSucceeded({ product }: FaultTools, taskId: string, until: number): Promise<boolean> {
  for (;;) {
    if (performance.now() > until) throw new Error(`Task ${taskId} did not end in time`);
    const answer = await product.call('GET', `/task/${taskId}`);
    const state = answer?.status === 200 ? (answer.body as { state: string }).state : 'running'; // as: the contract of the route
    if (state !== 'running' && state !== 'waiting') return state === 'finished';
    await wait(ASK_EVERY_MS);
  }
}

/** Replaces a meter and updates the DCU; an operator records the replacement. */
async function exchange(tools: FaultTools, meters: readonly KnownMeter[], target: string): Promise<void> {
  const { product, tell, struck } = tools;
  const slip = (await product.field('POST', `/exchange/${target}`, { told: true })) as ReplacementTruth; // as: the type of the response
  tell({ t: 'exchanged', sn: target, at: Date.parse(slip.at) });
  const { sn, systemTitle, ek, ak } = slip.new;
  const [former] = await product.rows<{ typeId: string; mode: string }>(
    'select meter_type_id as "typeId", communication_mode as mode from meter where sn = $1',
    [target],
  );
  await order(tools, 'POST', '/asset/meter', {
    sn,
    meterTypeId: former?.typeId,
    communicationMode: former?.mode,
    systemTitle,
    keys: { ek, ak },
  });
  const [made] = await product.rows<{ id: string }>('select id from meter where sn = $1', [sn]);
  const kwh = ({ ePlus }: { ePlus: number }): number => ePlus / 1000;
  await order(tools, 'POST', `/asset/meter/${idOf(meters, target)}/replace`, {
    newMeterId: made?.id,
    finalKwh: kwh(slip.final),
    initialKwh: kwh(slip.initial),
    at: slip.at,
  });
  count(struck, 'exchanged-meter', target);
}

/** Present number of effects of each fault. */
export async function struckTimes(product: Subject, struck: Struck): Promise<(draw: Draw, target: string) => number> {
  const { strikes, foreign } = await product.tally();
  const byField = (target: string, kind: string): number =>
    strikes.find((strike) => strike.target === target && strike.kind === kind)?.times ?? 0;
  return ({ name, spec }, target) => {
    const { trouble } = spec;
    if (trouble.of === 'dcu' || trouble.of === 'meter') return byField(target, trouble.kind);
    if (trouble.of === 'place' && trouble.what !== 'exchanged') return byField(target, trouble.what);
    if (trouble.of === 'foreign') return foreign[target] ?? 0;
    return struck.get(`${name} ${target}`) ?? 0;
  };
}
