import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BlockRules } from '@hes/dlms/association/block-stream.ts';
import { parseDay } from '#world/calendar.ts';
import type { MeterPlan } from '#world/plan.ts';
import { FLEET_LANGUAGES } from '#world/names.ts';
import { networkAt, type NetworkState } from '#world/network.ts';
import type { World } from '#world/world.ts';
import { type DcuArchive, textOf } from '#devices/dcu-archive.ts';
import { pemOf, requestIn, type Authority } from '#devices/authority.ts';
import type { Tally } from '#devices/context.ts';
import type { FirmwareRegistry, FirmwareTarget } from '#devices/firmware.ts';
import { makeImage } from '#devices/firmware-image.ts';
import { DRIFT_KINDS, driftArchive, type DriftKind } from '#devices/drift.ts';
import type { Commissioning } from './commissioning.ts';
import { pressButton } from '#behaviours/relay.ts';
import type { Meter } from '#devices/meter.ts';
import { FAULT_KINDS, type Fault, type Faults } from './faults.ts';
import type { Recordings } from './recordings.ts';
import { pastOf } from './past.ts';
import { pastOfTown } from './past-of-town.ts';
import { dailyTruth, replacementTruth, flowTruth, instantTruth, profileTruth } from './truth.ts';
import type { WorldClock } from './world-clock.ts';

/** Access of the control API to the simulation. It is for tests and demonstrations and listens on loopback only. */
export interface ControlledSimulation {
  world: World;
  commissioning(): Commissioning;
  authority: Authority;
  /** Certificates of the authority and of the meters that sign. PEM. */
  certificates(): string;
  faults: Faults;
  tally: Tally;
  foreign: Map<string, number>;
  recordings: Recordings;
  firmware: FirmwareRegistry;
  /** Closes the DCU's connection; false if the DCU is unknown. */
  disconnect(dcuSn: string): boolean;
  /** Sends alarms over a DCU in the name of a meter, which may be unknown; false if the DCU is unknown. */
  alarm(dcuSn: string, meterSn: string, numbers: readonly number[]): boolean;
  /** Makes a meter push its daily freeze; false if its DCU is not connected or the meter does not respond. */
  push(meterSn: string, number: number, blocks?: BlockRules): boolean;
  /** Serial numbers of connected DCUs. */
  connected(): string[];
  clock: WorldClock;
  network: NetworkState;
  archive(dcuSn: string): DcuArchive | undefined;
  meter(sn: string): Meter | undefined;
  /** Replaces the meter; `isRecorded`: the DCU's archive is updated, too. */
  replaceMeter(meter: MeterPlan, atMs: number, isRecorded: boolean): void;
}

export interface ControlApi {
  port: number;
  close(): Promise<void>;
}

interface ApiResponse {
  status: number;
  body: unknown;
}

/** Octets; a recorded session may be long. */
const MAX_BODY = 16 * 1024 * 1024;
const MAX_IMAGE = 4 * 1024 * 1024;
const FIRMWARE_TARGETS: readonly FirmwareTarget[] = ['dcu', 'rt', 'sta', 'meter', 'meters'];
const LOCAL = '127.0.0.1';
const PROFILES = ['lpa', 'lpb', 'energy'] as const;
const MAX_TRUTH_MS = 62 * 86_400_000;

const ok = (body: unknown): ApiResponse => ({ status: 200, body });
const reject = (status: number, error: string): ApiResponse => ({ status, body: { error } });

/** Starts the control API. Callers must send `secret` as bearer token; undefined, as in tests within one process: no authentication. */
export async function startControlApi(simulation: ControlledSimulation, port: number, secret?: string): Promise<ControlApi> {
  const server = createServer((request, response) => void reply(simulation, request, response, secret));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOCAL, resolve);
  });
  const address = server.address() as AddressInfo; // as: it listens on TCP
  return { port: address.port, close: () => closeServer(server) };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();
const isAuthorised = (authorization: string | undefined, secret: string | undefined): boolean =>
  secret === undefined || timingSafeEqual(digestOf(authorization ?? ''), digestOf(`Bearer ${secret}`));

async function reply(
  simulation: ControlledSimulation,
  request: IncomingMessage,
  response: ServerResponse,
  secret: string | undefined,
): Promise<void> {
  let result: ApiResponse;
  try {
    if (!isAuthorised(request.headers.authorization, secret)) {
      request.resume();
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"error":"The bearer token is missing or wrong"}');
      return;
    }
    const url = new URL(request.url ?? '/', 'http://control-api');
    const segments = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
    const text = await bodyOf(request);
    result = route(simulation, request.method ?? 'GET', segments, url.searchParams, text);
  } catch (error) {
    result = reject(400, error instanceof Error ? error.message : 'The request failed');
  }
  response.writeHead(result.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(result.body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    // as: without an encoding a request gives octets
    size += chunk.length;
    if (size > MAX_BODY) throw new RangeError('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function route(simulation: ControlledSimulation, method: string, path: string[], query: URLSearchParams, body: string): ApiResponse {
  const [head, second, third] = path;
  switch (`${method} ${head ?? ''}`) {
    case 'GET world':
      return ok({ ...simulation.commissioning(), truth: { problems: problemsOf(simulation.world) } });
    case 'GET certificate':
      return ok({ pem: simulation.certificates() });
    case 'POST certificate':
      return ok({ pem: pemOf(simulation.authority.certify(requestIn((JSON.parse(body) as { request: string }).request))) }); // as: documented
    case 'GET past':
      return pastOfTransformer(simulation, second, query);
    case 'GET truth':
      return readTruth(simulation, path, query);
    case 'GET dcu':
      if (third === 'archive' && second !== undefined) return archiveOf(simulation, second);
      return ok({ connected: simulation.connected() });
    case 'POST dcu':
      if (third === 'drift' && second !== undefined) return changeArchive(simulation, second, body);
      if (third === 'alarm' && second !== undefined) return sendAlarms(simulation, second, body);
      if (third !== 'disconnect' || second === undefined) return reject(404, 'Unknown path');
      return simulation.disconnect(second) ? ok({ disconnected: second }) : reject(404, 'Unknown DCU');
    case 'POST push':
      return sendPushes(simulation, second, body);
    case 'GET relay':
    case 'POST relay':
      return relayOf(simulation, second, method === 'POST');
    case 'GET firmware':
      return firmwareOf(simulation, second, third);
    case 'POST firmware':
      return setFirmwareVersion(simulation, third, body);
    case 'GET image':
      return imageOf(query);
    case 'GET exchange':
      return ok({ exchanges: simulation.world.replacements().map((one) => replacementTruth(simulation.world, one)) });
    case 'POST exchange':
      return replaceMeter(simulation, second, body);
    case 'GET fault':
      return ok({ faults: simulation.faults.list() });
    case 'POST fault':
      return addFault(simulation, body);
    case 'DELETE fault':
      simulation.faults.clear(
        query.get('target') ?? undefined,
        FAULT_KINDS.find((kind) => kind === query.get('kind')),
      );
      return ok({ faults: simulation.faults.list() });
    case 'GET tally':
      return ok(tallyOf(simulation));
    case 'POST foreign':
      return replaceByForeign(simulation, second, body);
    case 'GET network':
      return networkOf(simulation, second ?? '', query);
    case 'POST network':
      return changeNetwork(simulation, second ?? '', body);
    case 'POST replay':
      return replaySessions(simulation, body);
    case 'DELETE replay':
      simulation.recordings.stop();
      return ok({ stopped: true });
    case 'GET clock':
      return clockState(simulation.clock);
    case 'POST clock':
      return setClock(simulation.clock, body);
    default:
      return reject(404, 'Unknown path');
  }
}

/** Longest past of one answer. */
const MAX_PAST_DAYS = 62;

/** The past of the meters of a transformer; without its code that of the town. */
function pastOfTransformer({ world, clock }: ControlledSimulation, code: string | undefined, query: URLSearchParams): ApiResponse {
  const [from, to] = [parseDay(query.get('from') ?? ''), parseDay(query.get('to') ?? '')];
  if (from === undefined || to === undefined || to - from > MAX_PAST_DAYS)
    return reject(400, `from and to must be YYYY-MM-DD, at most ${MAX_PAST_DAYS} days apart`);
  if (code === undefined) return ok(pastOfTown(world, { from, to }, FLEET_LANGUAGES.find((one) => one === query.get('language')) ?? 'en'));
  if (!world.plan.transformers.some((one) => one.code === code)) return reject(404, 'Unknown transformer');
  return ok({ meters: pastOf(world, code, { from, to }, clock.now()) });
}

/** The relay of a meter with its number of executed commands; POST presses the button at the meter. */
function relayOf(simulation: ControlledSimulation, sn: string | undefined, isPressed: boolean): ApiResponse {
  const relay = sn === undefined ? undefined : simulation.meter(sn)?.relay;
  if (!relay) return reject(404, 'Unknown meter');
  if (isPressed) pressButton(relay);
  return ok({ ...relay });
}

function addFault(simulation: ControlledSimulation, body: string): ApiResponse {
  const fault = JSON.parse(body) as Partial<Fault>; // as: every field is looked at below
  const { target, kind, count, delayMs, skip, at, to, octets } = fault;
  if (typeof target !== 'string' || (!simulation.world.meterBySn.has(target) && !simulation.world.dcuBySn.has(target)))
    return reject(404, 'Unknown target');
  if (kind === undefined || !FAULT_KINDS.includes(kind)) return reject(400, `kind must be one of ${FAULT_KINDS.join(', ')}`);
  if (to !== undefined && !simulation.world.meterBySn.has(to)) return reject(404, 'Unknown meter');
  for (const number of [count, delayMs, skip, at, octets])
    if (number !== undefined && !(typeof number === 'number' && number >= 0))
      return reject(400, 'count, delayMs, skip, at and octets must be numbers from 0');
  simulation.faults.add({
    target,
    kind,
    ...(count === undefined ? {} : { count }),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(skip === undefined ? {} : { skip }),
    ...(at === undefined ? {} : { at }),
    ...(to === undefined ? {} : { to }),
    ...(octets === undefined ? {} : { octets }),
  });
  return ok({ faults: simulation.faults.list() });
}

/** `{"devices":[{"sn":"…","session":[{"direction":"down","hex":"C001…"},…]}]}`: devices replay their recorded responses for 15 minutes. */
function replaySessions({ recordings, world }: ControlledSimulation, body: string): ApiResponse {
  const { devices } = JSON.parse(body) as { devices?: { sn: string; session: { direction: 'down' | 'up'; hex: string }[] }[] }; // as: looked at below
  if (!Array.isArray(devices) || devices.some(({ sn }) => !world.meterBySn.has(sn) && !world.dcuBySn.has(sn)))
    return reject(404, 'Unknown device');
  const answers = devices.map(({ sn, session }) =>
    recordings.play(
      sn,
      session.map(({ direction, hex }) => ({ direction, apdu: Buffer.from(hex, 'hex') })),
    ),
  );
  return ok({ devices: devices.length, answers: answers.reduce((sum, count) => sum + count, 0) });
}

const clockState = (clock: WorldClock): ApiResponse => ok({ now: new Date(clock.now()).toISOString(), held: clock.isHeld() });

/**
 * `{"hold":true}` stops time, `{"hold":true,"at":ISO}` at a moment, `{"hold":false}` resumes, `{"aheadMs":N}` sets an
 * offset from real time.
 */
function setClock(clock: WorldClock, body: string): ApiResponse {
  const { hold, at, aheadMs } = JSON.parse(body) as { hold?: unknown; at?: unknown; aheadMs?: unknown }; // as: all are looked at below
  if (typeof aheadMs === 'number') {
    clock.runAhead(aheadMs);
    return clockState(clock);
  }
  const moment = at === undefined ? undefined : Date.parse(String(at));
  if (typeof hold !== 'boolean' || Number.isNaN(moment)) return reject(400, 'hold must be true or false, at an ISO instant');
  if (hold) clock.hold(moment);
  else clock.release();
  return clockState(clock);
}

/** The archive of a DCU, read without DLMS. */
function archiveOf(simulation: ControlledSimulation, sn: string): ApiResponse {
  const archive = simulation.archive(sn);
  if (!archive) return reject(404, 'Unknown DCU');
  const entries = archive
    .entries()
    .map(({ serialNumber, measurementPoint, phase }) => ({ sn: textOf(serialNumber), measurementPoint, phase }));
  return ok({ entries, capacity: archive.capacity, changes: archive.changes() });
}

/** `firmware/meter/<sn>`: the firmware state of a device, read without DLMS. */
function firmwareOf({ firmware }: ControlledSimulation, target: string | undefined, sn: string | undefined): ApiResponse {
  const found =
    FIRMWARE_TARGETS.includes(target as FirmwareTarget) && sn !== undefined ? firmware.find(target as FirmwareTarget, sn) : undefined; // as: just looked at
  if (!found) return reject(404, 'This device has no firmware state yet: it has received no request');
  const { version, isBroken, flashedSha256, octetsReceived, unverifiedOrders, store } = found;
  return ok({ version, isBroken, flashedSha256, octetsReceived, unverifiedOrders, status: store.status });
}

/** `{"version":"…"}`: changes the running version of the meter, as a service visit of its manufacturer would. */
function setFirmwareVersion({ firmware, meter }: ControlledSimulation, sn: string | undefined, body: string): ApiResponse {
  const { version } = JSON.parse(body) as { version?: unknown }; // as: looked at below
  // A meter has firmware state once it is created.
  const found = sn !== undefined && meter(sn) !== undefined ? firmware.find('meter', sn) : undefined;
  if (!found) return reject(404, 'Unknown meter');
  if (typeof version !== 'string') return reject(400, 'version must be a string');
  found.version = version;
  return ok({ version });
}

/** `{"port":N}`: a server of another DLMS stack on this machine responds in place of a meter, behind the same DCU and address. */
function replaceByForeign({ world, foreign }: ControlledSimulation, sn: string | undefined, body: string): ApiResponse {
  const { port } = JSON.parse(body) as { port?: unknown }; // as: looked at below
  if (sn === undefined || !world.meterBySn.has(sn)) return reject(404, 'Unknown meter');
  if (typeof port !== 'number' || !(port > 0 && port < 65_536)) return reject(400, 'port must be a number from 1 to 65535');
  foreign.set(sn, port);
  return ok({ sn, port });
}

function tallyOf({ tally, faults }: ControlledSimulation) {
  const { blocks, buffers, longest, foreign } = tally;
  return {
    blocks,
    strikes: faults.strikes(),
    buffers: [...buffers].map(([instance, counts]) => ({ instance, ...counts })),
    longest: Object.fromEntries(longest),
    foreign: Object.fromEntries(foreign),
  };
}

/** `image?model=HES-MP&version=HES-MP 2.5.0&octets=20000`: a firmware file that simulated devices of this model accept. */
function imageOf(query: URLSearchParams): ApiResponse {
  const octets = Number(query.get('octets') ?? 20_000);
  if (!(octets >= 1 && octets <= MAX_IMAGE)) return reject(400, `octets must be from 1 to ${MAX_IMAGE}`);
  const image = makeImage({ model: query.get('model') ?? '', version: query.get('version') ?? '' }, octets);
  return ok({ base64: Buffer.from(image).toString('base64') });
}

/** `{"kind":"remove","place":3,"target":"DCU…"}`: changes the archive without the head-end. */
function changeArchive(simulation: ControlledSimulation, sn: string, body: string): ApiResponse {
  const { kind, place = 1, target } = JSON.parse(body) as { kind?: DriftKind; place?: unknown; target?: unknown }; // as: looked at below
  const archive = simulation.archive(sn);
  if (!archive) return reject(404, 'Unknown DCU');
  if (kind === undefined || !DRIFT_KINDS.includes(kind)) return reject(400, `kind must be one of ${DRIFT_KINDS.join(', ')}`);
  if (typeof place !== 'number') return reject(400, 'place must be a number');
  return ok({ touched: driftArchive(kind, archive, place, typeof target === 'string' ? simulation.archive(target) : undefined) });
}

/**
 * Replaces a meter at the ISO time `at`, by default now. If `told` is true, the new meter is also written into the archive of the DCU.
 * Otherwise the archive keeps the old meter.
 */
function replaceMeter(simulation: ControlledSimulation, sn: string | undefined, body: string): ApiResponse {
  const { world, clock } = simulation;
  const { at, told = false } = JSON.parse(body || '{}') as { at?: unknown; told?: unknown }; // as: both are looked at below
  const meter = world.meterBySn.get(sn ?? '');
  const atMs = at === undefined ? clock.now() : Date.parse(String(at));
  if (!meter) return reject(404, 'Unknown meter');
  if (Number.isNaN(atMs) || typeof told !== 'boolean') return reject(400, 'at must be an ISO instant, told true or false');
  simulation.replaceMeter(meter, atMs, told);
  const done = world.replacements().at(-1);
  return done ? ok(replacementTruth(world, done)) : reject(500, 'The meter was not replaced');
}

/** `{"meter":"…","numbers":[2,1,2]}`: sends alarms in this order; a repeated number repeats the same alarm. */
function sendAlarms(simulation: ControlledSimulation, dcuSn: string, body: string): ApiResponse {
  const { meter, numbers } = JSON.parse(body) as { meter?: unknown; numbers?: unknown }; // as: both are looked at below
  if (typeof meter !== 'string' || !Array.isArray(numbers) || !numbers.every((one) => Number.isInteger(one)))
    return reject(400, 'meter must be a serial number, numbers an array of integers');
  return simulation.alarm(dcuSn, meter, numbers) ? ok({ told: numbers.length }) : reject(404, 'Unknown DCU');
}

/**
 * `push/<meter>` with `{"numbers":[7,7]}`: the meter pushes its daily freeze; a repeated number repeats the same push.
 * With `"blocks":{"maxPduSize":128,"window":3}` a longer APDU is sent as general-block-transfer, three blocks per
 * acknowledgement; with a window of 0 the blocks are unconfirmed.
 */
function sendPushes({ world, push: send }: ControlledSimulation, sn: string | undefined, body: string): ApiResponse {
  const { numbers, blocks } = JSON.parse(body) as { numbers?: unknown; blocks?: BlockRules }; // as: both are looked at below
  if (sn === undefined || !world.meterBySn.has(sn)) return reject(404, 'Unknown meter');
  if (!Array.isArray(numbers) || !numbers.every((one) => Number.isInteger(one))) return reject(400, 'numbers must be an array of integers');
  if (blocks !== undefined && !(Number.isInteger(blocks.maxPduSize) && Number.isInteger(blocks.window)))
    return reject(400, 'blocks must have an integer maxPduSize and window');
  return ok({ sent: numbers.filter((number: number) => send(sn, number, blocks)).length });
}

/** The topology of a DCU's network at a moment, by default now: the reference for the topology in the head-end. */
function networkOf({ world, network, clock }: ControlledSimulation, sn: string, query: URLSearchParams): ApiResponse {
  const dcu = world.dcuBySn.get(sn);
  const at = query.has('at') ? instant(query, 'at') : clock.now();
  if (!dcu || at === undefined) return reject(404, 'Unknown DCU or moment');
  const nodes = networkAt(world, network, dcu, at);
  const snOf = new Map(nodes.map(({ nodeId, meter }) => [nodeId, meter.sn]));
  return ok({
    nodes: nodes.map(({ meter, parentId, level, isRelay, signal, mac }) => ({
      sn: meter.sn,
      mac,
      parentSn: snOf.get(parentId) ?? null,
      level,
      isRelay,
      signal,
      link: meter.mode,
      phase: meter.phase,
    })),
  });
}

/** `{"kind":"lose","sn":"…"}`, `restore`, or `move` with the target DCU in `to`. */
function changeNetwork({ world, network, clock }: ControlledSimulation, dcuSn: string, body: string): ApiResponse {
  const { kind, sn, to } = JSON.parse(body) as { kind?: unknown; sn?: unknown; to?: unknown }; // as: looked at below
  if (!world.dcuBySn.has(dcuSn)) return reject(404, 'Unknown DCU');
  if (typeof sn !== 'string' || !world.meterBySn.has(sn)) return reject(404, 'Unknown meter');
  if (kind === 'lose') network.lost.add(sn);
  else if (kind === 'restore') {
    network.lost.delete(sn);
    network.backMs.set(sn, clock.now());
  } else if (kind === 'move' && typeof to === 'string' && world.dcuBySn.has(to)) network.moved.set(sn, to);
  else return reject(400, 'kind must be lose, restore or move to another DCU');
  return ok({ lost: [...network.lost], moved: [...network.moved] });
}

/** Deliberate problems of the fleet. The head-end must detect them without this list. */
function problemsOf(world: World): Record<string, string[]> {
  const { plan } = world;
  const meters = (is: (meter: MeterPlan) => boolean): string[] => plan.meters.filter(is).map((meter) => meter.sn);
  return {
    silentMeters: meters((meter) => meter.isSilent),
    wrongKeyMeters: meters((meter) => meter.hasWrongKey),
    tamperedMeters: meters((meter) => meter.isTampered),
    absentDcus: plan.dcus.filter((dcu) => dcu.isAbsent).map((dcu) => dcu.sn),
    unknownMeters: meters((meter) => meter.isUncommissioned === true),
    thefts: meters((meter) => meter.stolenDailyWh !== undefined),
    unrecordedGenerators: meters((meter) => meter.isUnrecordedGenerator === true),
    wrongPhaseMeters: meters((meter) => meter.recordedPhase !== undefined),
    driftingClocks: meters((meter) => Math.abs(meter.driftSeconds) > 60),
    archiveMismatches: plan.archiveDrift.map(({ meter }) => meter.sn),
    exchangedMeters: world.replacements().map(({ old }) => old.sn),
    strangerDcus: plan.dcus.filter((dcu) => dcu.isUnregistered).map((dcu) => dcu.sn),
  };
}

function readTruth({ world, clock }: ControlledSimulation, [, kind, sn, what, profile]: string[], query: URLSearchParams): ApiResponse {
  const meter = kind === 'meter' && sn !== undefined ? world.meterBySn.get(sn) : undefined;
  if (!meter) return reject(404, 'Unknown meter');
  if (what === 'registers') {
    const at = query.has('at') ? instant(query, 'at') : clock.now();
    return at === undefined ? reject(400, 'at must be an ISO instant') : ok(instantTruth(world, meter, at));
  }
  if (what === 'daily') {
    const day = parseDay(query.get('date') ?? '');
    return day === undefined ? reject(400, 'date must be YYYY-MM-DD') : ok({ date: query.get('date'), ...dailyTruth(world, meter, day) });
  }
  if (what === 'flow') {
    const [from, to] = [instant(query, 'from'), instant(query, 'to')];
    return from === undefined || to === undefined ? reject(400, 'from and to must be ISO instants') : ok(flowTruth(world, meter, from, to));
  }
  const name = what === 'profile' ? PROFILES.find((known) => known === profile) : undefined;
  if (!name) return reject(404, 'Unknown truth');
  const [from, to] = [instant(query, 'from'), instant(query, 'to')];
  if (from === undefined || to === undefined || to - from > MAX_TRUTH_MS)
    return reject(400, 'from and to must be ISO instants, at most 62 days apart');
  return ok({ rows: profileTruth(world, meter, name, from, to) });
}

function instant(query: URLSearchParams, name: string): number | undefined {
  const at = Date.parse(query.get(name) ?? '');
  return Number.isNaN(at) ? undefined : at;
}
