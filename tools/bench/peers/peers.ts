import { readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeNotification } from '@hes/dlms/association/notification.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { quantile, type Block } from '../interleaved.ts';
import { PeerClient, type Command } from './peer-client.ts';
import { PEER_PROGRAMS } from './peer-programs.ts';
import { PEER_ROWS, type PeerRow } from './peer-rows.ts';

const HERE = import.meta.dirname;
const ROOT = path.resolve(HERE, '../../..');
const ROUNDS = 7;
const BLOCK_SECONDS = 0.6;
/** Compilers of Java and JavaScript need more than one second of a busy machine. */
const WARM_SECONDS = 4;
/** A plain push, and the reference for the count of values that each client must find. */
const PUSH_VECTOR = 'push-norway-aidon-1ph';

const ROWS = Object.keys(PEER_ROWS) as PeerRow[]; // as: keys of a constant

/** Figures of one client in one row, against ours in the same rounds. */
export interface PeerFigures {
  /** Our units per second over those of the peer: above 1 we are ahead. */
  throughput: number;
  /** Processor time of the peer for one unit over ours. */
  cpu: number;
  /** Smallest and largest `cpu` of a round. */
  range: [number, number];
  /** Microseconds of processor time for one unit, median: ours and that of the peer. */
  micros: [ours: number, peer: number];
}

export interface PeersReport {
  /** Smallest ratio of processor time over all peers and rows. */
  ratio: number;
  rows: Record<string, Record<string, PeerFigures | string>>;
  skipped: Record<string, string>;
}

/** Without the flags of the head-end: users of the library have none. */
export const node = (file: string, args: readonly string[] = []): Command => ({
  program: process.execPath,
  args: [path.join(HERE, file), ...args],
});

/** The push of a real meter, and the number of values in it. */
export function pushOfAMeter(): { hex: string; values: number } {
  const file = path.join(ROOT, 'packages/dlms/test/vectors/real-meter.json');
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as { name: string; hex: string }[]; // as: the vectors of this repository
  const hex = vectors.find(({ name }) => name === PUSH_VECTOR)?.hex ?? '';
  const body = decode(dataCodec, decodeNotification(fromHex(hex), () => undefined).body);
  return { hex, values: body.type === 'array' ? body.value.length : 0 };
}

/** Starts every client that this machine has; gives the reason for each other one. */
async function startClients(args: readonly string[]): Promise<{ clients: Map<string, PeerClient>; skipped: Record<string, string> }> {
  const skipped: Record<string, string> = {};
  const clients = new Map<string, PeerClient>();
  for (const { name, command } of PEER_PROGRAMS) {
    const found = await command();
    if ('missing' in found) {
      skipped[name] = found.missing;
      continue;
    }
    try {
      clients.set(name, (await PeerClient.start({ ...found, args: [...found.args, ...args] })).client);
    } catch (error) {
      skipped[name] = String(error);
    }
  }
  return { clients, skipped };
}

/** Blocks of one row, by client; a client that cannot do it has the reason instead. */
async function measureRow(row: PeerRow, ours: PeerClient, peers: ReadonlyMap<string, PeerClient>) {
  const reasons = new Map<string, string>();
  const measured = { ours: [] as Required<Block>[], peers: new Map<string, Required<Block>[]>() };
  await ours.run(row, WARM_SECONDS);
  for (const [name, client] of peers) {
    try {
      await client.run(row, WARM_SECONDS);
      measured.peers.set(name, []);
    } catch (error) {
      reasons.set(name, String(error));
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Alternating order, so that a drift of the machine favours no client.
    const order = round % 2 === 0 ? [...measured.peers.keys()] : [...measured.peers.keys()].toReversed();
    measured.ours.push(await ours.run(row, BLOCK_SECONDS));
    for (const name of order) {
      const client = peers.get(name);
      if (client !== undefined) measured.peers.get(name)?.push(await client.run(row, BLOCK_SECONDS));
    }
  }
  return { measured, reasons };
}

const speed = ({ units, seconds }: Block): number => units / seconds;
const microsOf = ({ units, cpuSeconds = Number.NaN }: Block): number => (cpuSeconds / units) * 1e6;
const round = (value: number): number => Number(value.toPrecision(3));

/** Ratios of the rounds; above 1 our client is ahead. */
export function figuresOf(ours: readonly Required<Block>[], theirs: readonly Required<Block>[]): PeerFigures {
  const ratios = (ratio: (mine: Block, other: Block) => number) =>
    ours.flatMap((mine, at) => theirs.slice(at, at + 1).map((other) => ratio(mine, other)));
  const cpu = ratios((mine, other) => microsOf(other) / microsOf(mine));
  return {
    throughput: round(
      quantile(
        ratios((mine, other) => speed(mine) / speed(other)),
        0.5,
      ),
    ),
    cpu: round(quantile(cpu, 0.5)),
    range: [round(Math.min(...cpu)), round(Math.max(...cpu))],
    micros: [round(quantile(ours.map(microsOf), 0.5)), round(quantile(theirs.map(microsOf), 0.5))],
  };
}

/**
 * Our client and those of independent stacks against one meter of ours, in rounds: each works through the same time of every row, measures
 * its own processor time (user and system, all threads) after a warm-up, and checks what it read.
 */
export async function peers(): Promise<PeersReport> {
  const push = pushOfAMeter();
  const meter = await PeerClient.start<{ port: number }>(node('our-meter.ts'));
  const args = [String(meter.said.port), push.hex, String(push.values)];
  const { client: ours } = await PeerClient.start(node('our-client.ts', args));
  const { clients, skipped } = await startClients(args);
  try {
    const rows: PeersReport['rows'] = {};
    for (const row of ROWS) {
      const { measured, reasons } = await measureRow(row, ours, clients);
      const figures = [...measured.peers].map(([name, blocks]): [string, PeerFigures] => [name, figuresOf(measured.ours, blocks)]);
      rows[PEER_ROWS[row]] = Object.fromEntries([...figures, ...reasons]);
    }
    const ratios = Object.values(rows).flatMap((row) => Object.values(row).flatMap((one) => (typeof one === 'string' ? [] : [one.cpu])));
    return { ratio: Math.min(...ratios), rows, skipped };
  } finally {
    for (const client of [ours, ...clients.values(), meter.client]) await client.end();
  }
}
