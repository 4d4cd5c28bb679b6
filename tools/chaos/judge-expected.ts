import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { Line, Violation } from './history.ts';
import type { Truth } from './judge-truth.ts';

type Of<T extends Line['t']> = Extract<Line, { t: T }>;

/** Faults that make a DCU unresponsive for longer than its heartbeats allow. */
const SILENCING: ReadonlySet<string> = new Set(['half-open', 'silent-dcu']);
/** Faults that may delay heartbeats, too; a direct meter that is silent sends none. */
const DELAYING: ReadonlySet<string> = new Set([...SILENCING, 'trickle', 'overlong', 'silence']);
const CROSSING: ReadonlySet<string> = new Set(['crossed', 'crossed-plain']);
const ENDLESS = /^endless-/;
/** The response was aborted; or the meter was paused because one was, and the aborted item has been repeated since. */
const STOPPED: ReadonlySet<string> = new Set(['ANSWER_TOO_LONG', 'SET_ASIDE']);
/** The limit of a GET response, plus one block. */
const MOST_OCTETS = 4 * 1024 * 1024 + 65_536;
/** Buffers with more rows than an APDU holds. */
const LONG_BUFFERS = (['LPA', 'LPB', 'ENERGY', 'DAILY'] as const).map((key) => WELL_KNOWN[key].instance);

const of = <T extends Line['t']>(notes: readonly Line[], t: T): Of<T>[] => notes.filter((line): line is Of<T> => line.t === t);

/** Missing effects of the faults, and effects without a fault. */
export function* expectationsOf(notes: readonly Line[], truth: Truth | undefined): Generator<Violation> {
  const faults = of(notes, 'fault');
  yield* strikes(faults, of(notes, 'struck'), of(notes, 'blocks'));
  yield* presence(faults, of(notes, 'session'), of(notes, 'told'));
  yield* identity(faults, of(notes, 'told'));
  yield* limits(faults, notes, truth);
}

function* strikes(faults: Of<'fault'>[], struck: Of<'struck'>[], blocks: Of<'blocks'>[]): Generator<Violation> {
  // A history without counters of effects was written by an older version.
  if (struck.length === 0) return;
  for (const { kind, targets } of faults) {
    const isOf = (target: string): boolean => (targets.length === 0 ? target === '' : targets.includes(target));
    if (!struck.some((strike) => strike.kind === kind && isOf(strike.target) && strike.times > 0))
      yield { guarantee: 'strike', what: `${kind} did not strike ${targets.join(' ')}`.trim() };
  }
  for (const { buffers } of blocks)
    for (const instance of LONG_BUFFERS)
      if (!buffers.some((buffer) => buffer.instance === instance && buffer.inBlocks > 0))
        yield { guarantee: 'strike', what: `No buffer of ${instance} was transferred in blocks` };
}

function* presence(faults: Of<'fault'>[], sessions: Of<'session'>[], told: Of<'told'>[]): Generator<Violation> {
  const targetsOf = (kinds: ReadonlySet<string>): Set<string> =>
    new Set(faults.filter(({ kind }) => kinds.has(kind)).flatMap(({ targets }) => targets));
  const lost = new Set(sessions.filter(({ reason }) => reason === 'heartbeat_lost').map(({ dcu }) => dcu));
  for (const dcu of targetsOf(SILENCING))
    if (!lost.has(dcu))
      yield { guarantee: 'presence', what: `${dcu} was unresponsive for longer than its heartbeats allow, and was not set offline` };
  const delayed = targetsOf(DELAYING);
  for (const dcu of lost) if (!delayed.has(dcu)) yield { guarantee: 'presence', what: `${dcu} was connected, and was set offline` };
  for (const dcu of targetsOf(new Set(['imposter']))) {
    if (sessions.some((session) => session.dcu === dcu && session.reason === 'replaced'))
      yield { guarantee: 'presence', what: `${dcu} was replaced by a caller without keys` };
    if (!told.some(({ sn, code }) => sn === dcu && code === FIELD_EVENT.notProved))
      yield { guarantee: 'presence', what: `${dcu}: an unauthenticated caller in its name was not reported` };
  }
}

function* identity(faults: Of<'fault'>[], told: Of<'told'>[]): Generator<Violation> {
  const crossed = new Set(faults.filter(({ kind }) => CROSSING.has(kind)).flatMap(({ targets }) => targets));
  const mismatched = new Set(told.filter(({ code }) => code === FIELD_EVENT.identityMismatch).map(({ sn }) => sn));
  for (const sn of crossed)
    if (!mismatched.has(sn)) yield { guarantee: 'identity', what: `${sn}: another meter responded without a report` };
  for (const sn of mismatched) if (!crossed.has(sn)) yield { guarantee: 'identity', what: `${sn}: wrongly reported as another meter` };
}

/** Serial number of the DCU of a meter; undefined: it is direct or unknown. */
function dcuOf(truth: Truth | undefined, sn: string): string | undefined {
  const meter = truth?.meter(sn);
  return meter?.isDirect === true ? undefined : meter?.dcu.sn;
}

function* limits(faults: Of<'fault'>[], notes: readonly Line[], truth: Truth | undefined): Generator<Violation> {
  for (const { sn, octets } of of(notes, 'longest'))
    if (octets > MOST_OCTETS) yield { guarantee: 'limits', what: `${sn}: ${octets} octets of one response were accepted` };
  for (const { sn, by } of of(notes, 'starved'))
    yield { guarantee: 'limits', what: `${sn} was not read because of ${by} at its neighbour` };
  const stopped = new Set(
    of(notes, 'ended')
      .filter(({ reason }) => STOPPED.has(reason))
      .map(({ sn }) => sn),
  );
  for (const { kind, targets } of faults.filter((fault) => ENDLESS.test(fault.kind)))
    for (const target of targets) {
      const isStopped = [...stopped].some((sn) => sn === target || dcuOf(truth, sn) === target);
      if (!isStopped) yield { guarantee: 'limits', what: `${target}: no response was aborted under ${kind}` };
    }
}
