import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { between, streamOf } from '#world/random.ts';
import { certificatesOf } from './certificates.ts';
import type { FleetContext } from './context.ts';
import type { ConnectedDevice } from './direct-meter.ts';

export interface HeadEndAddress {
  host: string;
  port: number;
}

const FIRST_WAIT_MS = { realistic: 1000, fast: 20 } as const;
const MAX_WAIT_MS = { realistic: 30_000, fast: 300 } as const;
/** A connection of at least this duration resets the back-off. */
const GOOD_CONNECTION_MS = 20_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Spreads the connections of the fleet at the start. */
const START_SPREAD_MS = { realistic: 1500, fast: 0 } as const;

/** Keeps a device connected to the head-end: dials, identifies, sends heartbeats, and reconnects with exponential back-off. */
export function dialIn(context: FleetContext, device: ConnectedDevice, headEnd: HeadEndAddress): { stop(): void } {
  const stream = streamOf(context.world.plan.seed, `dial/${device.sn}`);
  const firstWaitMs = FIRST_WAIT_MS[context.channel];
  const { startSpreadMs = START_SPREAD_MS[context.channel], longestWaitMs = MAX_WAIT_MS[context.channel] } = context.dialPace;
  let attempts = 0;
  let failures = 0;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let socket: Socket | undefined;

  function dial(): void {
    if (context.faults.has(device.sn, 'absent')) {
      context.faults.struck(device.sn, 'absent');
      timer = setTimeout(dial, waitMs());
      return;
    }
    let connectedAt = Number.NaN;
    const dialled = openSocket();
    socket = dialled;
    dialled.once('timeout', () => dialled.destroy());
    // 'close' follows every error and schedules the retry.
    dialled.on('error', () => {});
    dialled.once(context.tlsFolder === undefined ? 'connect' : 'secureConnect', () => {
      connectedAt = performance.now();
      dialled.setTimeout(0);
      dialled.removeAllListeners('timeout');
      device.serve(dialled);
      device.sendIdentification('hello');
      scheduleHeartbeat();
    });
    dialled.once('close', () => {
      clearTimeout(timer);
      failures = performance.now() - connectedAt > GOOD_CONNECTION_MS ? 0 : failures + 1;
      if (!isStopped) timer = setTimeout(dial, waitMs());
    });
  }

  function openSocket(): Socket {
    const address = { host: headEnd.host, port: headEnd.port, timeout: CONNECT_TIMEOUT_MS };
    if (context.tlsFolder === undefined) return connect(address);
    // The head-end is authenticated by its certificate authority, not by its address.
    return connectTls({ ...address, ...certificatesOf(context.tlsFolder, device.sn), checkServerIdentity: () => undefined });
  }

  function scheduleHeartbeat(): void {
    timer = setTimeout(() => {
      device.sendIdentification('heartbeat');
      scheduleHeartbeat();
    }, context.heartbeatSeconds * 1000);
  }

  const waitMs = (): number => Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures, 10)) * between(stream, attempts++, 0.8, 1.2);

  timer = setTimeout(dial, between(stream, attempts++, 0, startSpreadMs));
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      device.stop();
      socket?.destroy();
    },
  };
}
