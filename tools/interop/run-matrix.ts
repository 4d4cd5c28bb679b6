import { setTimeout as wait } from 'node:timers/promises';
import { say } from '../lib/say.mjs';
import { Gateway } from './gateway.ts';
import { dialIn, dialledAt, passTo, type Line } from './lines.ts';
import { cellName, type Peer } from './matrix.ts';
import { peerMeters, settingsOf, type PeerMeter } from './peer-meters.ts';
import { STARTERS, type PeerProcess } from './peer-process.ts';
import { Product } from './product.ts';
import { Proof, type Proved } from './prove.ts';
import { certifyHeadEnd, Register } from './register.ts';

const ONLINE_WITHIN_MS = 60_000;
const LOOK_MS = 500;

export interface MatrixResult {
  cells: number;
  passed: number;
  failed: { cell: string; why: string }[];
  /** Peers whose tools this machine lacks, with the reason. */
  skipped: { peer: string; why: string }[];
}

interface Wanted {
  peers: readonly Peer[];
  isWanted(cell: string): boolean;
  /** Prints the log of the product and the errors of the peers in the end. */
  verbose: boolean;
}

type Starter = Exclude<Awaited<ReturnType<(typeof STARTERS)['pydlms']>>, { missing: string }>;

/** Starts the product and the peers, proves each cell and stops everything. */
export async function runMatrix({ peers, isWanted, verbose }: Wanted): Promise<MatrixResult> {
  const skipped: MatrixResult['skipped'] = [];
  const starters = new Map<Peer, Starter>();
  for (const peer of peers) {
    const starter = await STARTERS[peer.name]();
    if ('missing' in starter) skipped.push({ peer: peer.name, why: starter.missing });
    else starters.set(peer, starter);
  }
  const meters = peerMeters([...starters.keys()], isWanted, Date.now());
  const cells = meters.flatMap((meter) => meter.services.map((service) => cellName(meter, service)));
  const run = new Run();
  try {
    const failures = await run.prove(meters, starters);
    if (verbose) process.stderr.write(run.logs());
    const failed = [...failures].map(([cell, why]) => ({ cell, why }));
    return { cells: cells.length, passed: cells.length - failed.length, failed, skipped };
  } finally {
    await run.stop();
  }
}

/** Everything that one run has started. */
class Run {
  readonly #product = new Product();
  readonly #processes = new Map<Peer, PeerProcess>();
  readonly #lines: Line[] = [];

  async prove(meters: readonly PeerMeter[], starters: ReadonlyMap<Peer, Starter>): Promise<ReadonlyMap<string, string>> {
    say('starting the product');
    await this.#product.start();
    const headEnd = await certifyHeadEnd(this.#product);
    const ports = new Map<string, number>();
    await Promise.all(
      [...starters].map(async ([peer, start]) => {
        const own = meters.filter((meter) => meter.peer === peer);
        const child = start(settingsOf(own, headEnd.publicKeyOf));
        this.#processes.set(peer, child);
        for (const [sn, port] of await child.ports) ports.set(sn, port);
      }),
    );
    say(`registering ${meters.length} meters of ${starters.size} peers`);
    const register = new Register(this.#product);
    await register.prepare();
    await headEnd.certify(meters);
    const ids = await register.addMeters(meters, ports);
    await this.#addGateways(meters, ports, ids, register);
    for (const { sn, topology, direction } of meters)
      if (topology === 'direct' && direction === 'in') this.#lines.push(dialIn(this.#product.dlmsPort, passTo(ports.get(sn) ?? 0)));
    await this.#untilOnline(meters, ids);
    say(`proving the cells, ${Math.round(performance.now() / 1000)} s after the start`);
    const proof = new Proof(this.#product, ids);
    const proved: Proved[] = meters.flatMap((meter) => {
      const peer = this.#processes.get(meter.peer);
      return peer === undefined ? [] : [{ meter, peer }];
    });
    await proof.run(proved);
    return proof.failures;
  }

  /** One gateway for each framing and direction, with the meters of all peers behind it. */
  async #addGateways(
    meters: readonly PeerMeter[],
    ports: ReadonlyMap<string, number>,
    ids: ReadonlyMap<string, string>,
    register: Register,
  ): Promise<void> {
    for (const framing of ['wrapper', 'hdlc'] as const)
      for (const direction of ['in', 'out'] as const) {
        const own = meters.filter((meter) => meter.topology === 'gateway' && meter.framing === framing && meter.direction === direction);
        if (own.length === 0) continue;
        const sn = `GATEWAY${framing}${direction}`.toUpperCase();
        const gateway = new Gateway(sn, framing, ports);
        const dialled = direction === 'out' ? await dialledAt((socket) => gateway.serve(socket, false)) : undefined;
        if (dialled !== undefined) this.#lines.push(dialled);
        await register.addGateway(
          { sn, framing, direction, port: dialled?.port },
          own.flatMap((meter) => ids.get(meter.sn) ?? []),
        );
        if (dialled === undefined) this.#lines.push(dialIn(this.#product.dlmsPort, (socket) => gateway.serve(socket, true)));
      }
  }

  /** Waits for the connections of all endpoints; those that stay away fail in their cells. */
  async #untilOnline(meters: readonly PeerMeter[], ids: ReadonlyMap<string, string>): Promise<void> {
    const until = performance.now() + ONLINE_WITHIN_MS;
    let open = meters.filter(({ topology }) => topology === 'direct');
    while (open.length > 0 && performance.now() < until) {
      const online = await Promise.all(
        open.map(async ({ sn }) => {
          const { connection } = await this.#product.call('GET', `/asset/meter/${ids.get(sn)}/asset`);
          return connection?.onlineStatus === 'online';
        }),
      );
      open = open.filter((_meter, index) => !online[index]);
      if (open.length > 0) await wait(LOOK_MS);
    }
    if (open.length > 0) say(`not online: ${open.map((meter) => cellName(meter, 'register')).join('; ')}`);
  }

  logs(): string {
    return [this.#product.output, ...[...this.#processes.values()].map(({ errors }) => errors)].join('\n');
  }

  async stop(): Promise<void> {
    for (const line of this.#lines) line.stop();
    for (const child of this.#processes.values()) child.stop();
    await this.#product.stop();
  }
}
