import type { ReadinessPart } from '@hes/contract/core/errors.ts';
import { fieldFeatures, periodicJobs } from '#features/every-feature.ts';
import { startSupervisor } from '#features/upgrade/port.ts';
import { startField, type Field } from '#field/start-field.ts';
import type { Context } from '#db/context.ts';
import type { NodeOptions } from '#nodes/node.ts';
import type { Config } from '#platform/config.ts';
import { SwitchLedger } from '#platform/switch-ledger.ts';
import type { Dispatcher } from '#tasks/dispatcher.ts';
import { startTasks } from '#tasks/start-tasks.ts';
import { Drain } from './drain.ts';
import { startEvenOut } from './even-out.ts';
import { explainPort } from './ports.ts';
import type { Stops } from './stops.ts';

interface FieldPlace {
  node: NodeOptions;
  dlmsPort: number;
  /** Ports of this process, which it must not dial. */
  ownPorts: number[];
  /** The demonstration's DCUs listen on this machine. */
  hasSimulator: boolean;
}

/** Starts the field engine of the role `field`: connections with devices. The queue starts later. */
export async function openField(
  ctx: Context,
  config: Config,
  stops: Stops,
  { node, dlmsPort, ownPorts, hasSimulator }: FieldPlace,
): Promise<Field> {
  const switches = new SwitchLedger(config.dataDir, ctx.clock.now());
  const field = await startField(ctx, {
    features: fieldFeatures({ switches }),
    dlmsPort,
    node,
    udpPort: config.dlmsUdpPort,
    host: config.dlmsHost,
    timeoutLimits: config.responseTimeout,
    limits: { perAddress: config.dlmsConnectionsPerAddress },
    tls: config.dlmsTls,
    proxies: config.dlmsProxies,
    traceSharePercent: config.traceSharePercent,
    plainPasswords: config.plainPasswords ? 'everywhere' : 'this_machine',
    dialRules: { mayReachLocal: config.dialLocal || hasSimulator, ownPorts, networks: config.dialNetworks },
  }).catch((error: unknown) => {
    const isOfDatagrams = error instanceof Error && 'syscall' in error && error.syscall === 'bind' && config.dlmsUdpPort !== undefined;
    const wanted = isOfDatagrams
      ? { port: config.dlmsUdpPort ?? 0, variable: 'HES_DLMS_UDP_PORT' }
      : { port: dlmsPort, variable: 'HES_DLMS_PORT' };
    throw explainPort(error, { ...wanted, host: config.dlmsHost });
  });
  stops.push(() => field.stop());
  return field;
}

interface Queue {
  dispatcher: Dispatcher;
  /** Hands the work over. */
  drain: Drain;
}

/** Starts the queue, the periodic jobs that place orders, and the supervision of upgrades. */
export async function startQueue(ctx: Context, config: Config, stops: Stops, field: Field): Promise<Queue> {
  const tasks = await startTasks(ctx, field, periodicJobs);
  stops.push(() => tasks.stop());
  const drain = new Drain({ field, dispatcher: tasks.dispatcher, log: ctx.log, limitMs: config.drainMs });
  stops.push(() => drain.stop());
  if (config.isBalanced) {
    const balance = startEvenOut({ pool: ctx.pool, field, dispatcher: tasks.dispatcher, log: ctx.log });
    stops.push(() => balance.stop());
  }
  const upgrades = startSupervisor(ctx);
  stops.push(() => upgrades.stop());
  return { dispatcher: tasks.dispatcher, drain };
}

/** Parts of the field engine that take no work. A port that is closed while the node drains is no reason of its own. */
export function missingOfField({ node, isListening }: Pick<Field, 'node' | 'isListening'>): ReadinessPart[] {
  if (node.isDraining) return ['draining'];
  return isListening ? [] : ['listener'];
}
