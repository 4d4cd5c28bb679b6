import type { Socket } from 'node:net';
import { BlockSender, isBlock, readBlock, unconfirmedBlocks, type BlockRules } from '@hes/dlms/association/block-stream.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { decodeGateway, encodeGateway, type GatewayFrame } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';
import { exceptionResponse } from '@hes/dlms/xdlms/exception-response.ts';
import { WrapperConnection } from '@hes/dlms-node/wrapper-connection.ts';
import { airOf } from '#world/air.ts';
import { membersOf } from '#world/network.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import { streamOf } from '#world/random.ts';
import { type Channel, type ChannelModel, CHANNELS, createChannel, createFastChannel, fasterBy, POWER_LINE } from './channel.ts';
import type { FleetContext } from './context.ts';
import { confirmedIn, encodeAlarm } from './alarm.ts';
import { createDcuArchive, type DcuArchive } from './dcu-archive.ts';
import { createDcuDevice } from './dcu-device.ts';
import { createDcuNetwork } from './dcu-network.ts';
import { createDcuParameters } from './dcu-parameters.ts';
import { createDcuSearch } from './dcu-search.ts';
import { createDcuTasks, type DcuTasks } from './dcu-tasks.ts';
import { createForeignLine } from './foreign-line.ts';
import { encodeGreeting } from './greeting.ts';
import { titleOfDcu } from './keys.ts';
import { initialArchive } from './initial-archive.ts';
import { createMeter, type Meter } from './meter.ts';
import { Outlet } from './mangle.ts';
import { noise } from './noise.ts';
import { CLIENT_SAPS, MANAGEMENT_SERVER_SAP } from './rules.ts';

/** Wrapper addresses of unsolicited messages of the DCU. */
const UNASKED = { source: 1, destination: 1 };
const FRAME_TIMEOUT_MS = 30_000;
const MAX_APDU_SIZE = 0xffff;
const GARBAGE_SIZE = 64;
const DEFAULT_DELAY_MS = 2000;
/** Speed of a quick line relative to a power line. */
const QUICK = 10_000;
const RESTART_MS = { town: 8000, fast: 200 } as const;
const UNKNOWN_ADDRESS = encode(exceptionResponse, { stateError: 'serviceNotAllowed', serviceError: 'operationNotPossible' });
const TOO_LONG = encode(exceptionResponse, { stateError: 'serviceNotAllowed', serviceError: 'pduTooLong' });

/** A DCU over one connection at a time: its own logical device, and the gateway to its meters. */
export interface Dcu {
  plan: DcuPlan;
  archive: DcuArchive;
  tasks: DcuTasks;
  /** Serves a head-end over a socket until it closes. A new connection closes the previous one. */
  serve(socket: Socket, onClose?: () => void): void;
  greet(kind: 'hello' | 'heartbeat'): void;
  /** Sends alarms in the name of a meter, which may be unknown. */
  alarm(sn: string, numbers: readonly number[]): void;
  /**
   * Sends a push of one of its meters, as general-block-transfer if it is longer than `blocks.maxPduSize`; false if the
   * meter is unreachable or no head-end is connected.
   */
  push(sn: string, number: number, blocks?: BlockRules): boolean;
  /** One of its meters, created on first access. */
  meter(sn: string): Meter | undefined;
  isConnected(): boolean;
  disconnect(): void;
  stop(): void;
}

export function createDcu(context: FleetContext, plan: DcuPlan): Dcu {
  const { world, faults } = context;
  const archive = createDcuArchive(plan, initialArchive(world, plan, plan.isStranger ? [] : world.metersOf(plan)));
  const tasks = createDcuTasks(context);
  const search = createDcuSearch({
    air() {
      if (plan.isStranger) return [];
      const at = context.now();
      return airOf(world.plan.seed, plan, membersOf(world, context.network, plan, at), world.neighboursAt(plan, at));
    },
    now: context.now,
    channel: context.channel,
  });
  const network = createDcuNetwork(context, plan);
  const parameters = createDcuParameters(() => current?.connection.close(), plan.connectionType === 'dial_out');
  const device = createDcuDevice(context, plan, { archive, tasks, search, network, restart, broadcastClock, audience, parameters });
  const title = titleOfDcu(plan);
  const meters = new Map<string, Meter>();
  const makeChannel = (): Channel =>
    context.channel === 'fast' && context.lineSpeed === undefined ? createFastChannel() : createChannel(streamOf(world.plan.seed, plan.sn));
  const foreign = createForeignLine(context);
  /** Confirmed block transfers in progress, by serial number of the meter. */
  const sending = new Map<string, BlockSender>();
  let greetings = 0;
  let silentUntil = 0;
  let current: { connection: WrapperConnection; channel: Channel; outlet: Outlet } | undefined;

  /** Closes the connection, which resets the associations; connections are refused until the DCU is up again. */
  function restart(): void {
    silentUntil = performance.now() + RESTART_MS[context.channel];
    // The response to the command is sent first.
    setImmediate(() => current?.connection.close());
  }

  const hanging = (): readonly MeterPlan[] => (plan.isStranger ? [] : world.metersAt(plan, context.now()));

  /** Broadcasts are unconfirmed: a meter that misses it keeps its clock. */
  function broadcastClock(aheadMs: number): void {
    for (const { sn } of hanging()) meterOf(sn)?.hearClock(aheadMs);
  }

  /** A broadcast reaches meters on the power line within reach of the network. */
  function* audience(): Generator<Meter> {
    for (const { sn, mode } of hanging()) {
      const meter = mode === 'plc' && network.hears(sn) ? meterOf(sn) : undefined;
      if (meter) yield meter;
    }
  }

  function meterOf(sn: string): Meter | undefined {
    const movedTo = context.network.moved.get(sn);
    const meterPlan = world.meterBySn.get(sn);
    if (!meterPlan || plan.sn !== (movedTo ?? meterPlan.dcu.sn)) return undefined;
    let meter = meters.get(sn);
    if (!meter) meters.set(sn, (meter = createMeter(context, meterPlan)));
    return meter;
  }

  /** Applies the faults of the DCU itself; true if the frame is discarded. */
  function isSwallowed(socket: Socket): boolean {
    if (faults.strike(plan.sn, 'half_open') || faults.strike(plan.sn, 'silence') || faults.strike(plan.sn, 'drop')) return true;
    if (!faults.strike(plan.sn, 'garbage')) return false;
    socket.write(noise(GARBAGE_SIZE));
    return true;
  }

  /** Counts a request that failed because of a network fault. */
  function missed(sn: string): void {
    if (context.network.lost.has(sn)) faults.struck(sn, 'lost');
    else if (context.network.moved.has(sn)) faults.struck(sn, 'moved');
  }

  function lineTo(meter: Meter): ChannelModel {
    if (context.lineSpeed === undefined) return CHANNELS[meter.plan.mode];
    return faults.strike(plan.sn, 'quick_line') ? { ...fasterBy(POWER_LINE, QUICK), loss: 0 } : fasterBy(POWER_LINE, context.lineSpeed);
  }

  function delayOf(sn: string): number {
    const fault = faults.strike(sn, 'slow');
    return fault ? (fault.delayMs ?? DEFAULT_DELAY_MS) : 0;
  }

  function forward(channel: Channel, frame: WrapperFrame, gateway: GatewayFrame, send: (apdu: Uint8Array) => void): void {
    const { networkId, apdu } = gateway;
    // The octets are a view of the socket's buffer, which is reused before a queued request is sent.
    const address = gateway.address.slice();
    const reply = (answer: Uint8Array): void => {
      const prefixed = encodeGateway({ response: true, networkId, address }, answer);
      send(prefixed.length > MAX_APDU_SIZE ? encodeGateway({ response: true, networkId, address }, TOO_LONG) : prefixed);
    };
    const sn = String.fromCharCode(...address);
    const serial = archive.serialOf(sn) ?? (search.hasHeard(sn) ? sn : undefined);
    if (serial === undefined) return reply(UNKNOWN_ADDRESS);
    const meter = meterOf(faults.strike(serial, 'crossed')?.to ?? serial);
    // In the archive, but on another line or unreachable: no response.
    if (!meter || !network.hears(serial)) return missed(serial);
    if (context.foreign.has(serial)) return foreign.ask(serial, frame.source, apdu.slice(), reply);
    const request = apdu.slice();
    channel.send({
      model: lineTo(meter),
      request,
      hops: meter.plan.hops,
      extraMs: delayOf(plan.sn) + delayOf(meter.plan.sn),
      perform: () => meter.receive(frame.source, request),
      deliver: reply,
    });
  }

  /** Forwards an unsolicited message of a meter unchanged, with its address. */
  function passOn(sn: string, number: number, apdus: readonly Uint8Array[]): boolean {
    if (current === undefined) return false;
    context.witness?.told(sn, 'pushed', number);
    sendUp(sn, apdus);
    return true;
  }

  function sendUp(sn: string, apdus: readonly Uint8Array[]): void {
    const address = Uint8Array.from(sn, (letter) => letter.charCodeAt(0));
    for (const apdu of apdus) current?.outlet.send(encodeWrapper(UNASKED, encodeGateway({ networkId: 0, address }, apdu)));
  }

  /** Starts a confirmed block transfer and returns its first window; acknowledgements drive the rest. */
  function beginBlocks(sn: string, apdu: Uint8Array, rules: BlockRules): Uint8Array[] {
    const sender = new BlockSender(apdu, rules);
    sending.set(sn, sender);
    return sender.after(0, rules.window, 0);
  }

  /** Handles an acknowledgement of blocks or, alone or in a block, the confirmation of the push. */
  function hearReply({ address, apdu }: GatewayFrame): void {
    const sn = String.fromCharCode(...address);
    const block = isBlock(apdu) ? readBlock(apdu) : undefined;
    const number = confirmedIn(block?.data ?? apdu);
    if (number !== undefined) context.witness?.told(sn, 'confirmed', number);
    const sender = sending.get(sn);
    if (block === undefined || sender === undefined) return;
    if (block.blockNumberAck < sender.count) sendUp(sn, sender.after(block.blockNumberAck, block.control.window, 0));
    else sending.delete(sn);
  }

  function serve(socket: Socket, onClose?: () => void): void {
    if (!parameters.reachesHeadEnd()) return void socket.destroy();
    if (performance.now() < silentUntil || context.firmware.find('dcu', plan.sn)?.awayUntil === Number.POSITIVE_INFINITY)
      return void socket.destroy();
    current?.connection.close();
    const connection = new WrapperConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS });
    const channel = makeChannel();
    const outlet = new Outlet(faults, plan.sn, socket);
    current = { connection, channel, outlet };
    connection.onFrame((frame) => {
      context.witness?.heard(plan.sn, frame.apdu);
      if (frame.destination !== MANAGEMENT_SERVER_SAP || isSwallowed(socket)) return;
      const send = (apdu: Uint8Array): void => outlet.send(encodeWrapper({ source: frame.destination, destination: frame.source }, apdu));
      const gateway = gatewayOf(frame.apdu);
      if (gateway === 'broken') return;
      if (gateway?.response) return hearReply(gateway);
      if (gateway) return forward(channel, frame, gateway, send);
      if (faults.strike(plan.sn, 'cut')) return connection.close();
      const answers = device.receiveAll(frame.source, frame.apdu);
      if (faults.strike(plan.sn, 'cut_after')) return connection.close();
      if (answers.length > 0 && !faults.strike(plan.sn, 'lost_answer')) answers.forEach(send);
    });
    connection.onClose(() => {
      channel.close();
      if (current?.connection === connection) {
        foreign.close();
        current = undefined;
        sending.clear();
        for (const sap of CLIENT_SAPS) device.reset(sap);
        for (const meter of meters.values()) meter.disconnect();
      }
      onClose?.();
    });
  }

  return {
    plan,
    archive,
    tasks,
    serve,
    greet(kind) {
      if (
        kind === 'heartbeat' &&
        (faults.has(plan.sn, 'mute_heartbeat') || faults.has(plan.sn, 'half_open') || faults.has(plan.sn, 'silence'))
      )
        return;
      current?.outlet.send(encodeWrapper(UNASKED, encodeGreeting(kind, plan.sn, title, greetings++)));
    },
    alarm(sn, numbers) {
      for (const number of numbers) passOn(sn, number, [meterOf(sn)?.alarm(number) ?? encodeAlarm(number)]);
    },
    push(sn, number, blocks) {
      const apdu = network.hears(sn) ? meterOf(sn)?.push(number) : undefined;
      if (apdu === undefined) return false;
      if (blocks === undefined) return passOn(sn, number, [apdu]);
      const isAlone = blocks.window === 0 || apdu.length <= blocks.maxPduSize;
      return passOn(sn, number, isAlone ? unconfirmedBlocks(apdu, blocks.maxPduSize) : beginBlocks(sn, apdu, blocks));
    },
    meter: meterOf,
    isConnected: () => current !== undefined,
    disconnect: () => current?.connection.close(),
    stop() {
      parameters.stop();
      foreign.close();
      current?.channel.close();
      current?.connection.close();
    },
  };
}

/** The gateway prefix, if any; an undecodable one makes the frame be dropped, as a real gateway does. */
function gatewayOf(apdu: Uint8Array): GatewayFrame | 'broken' | undefined {
  try {
    return decodeGateway(apdu);
  } catch (error) {
    if (error instanceof DecodeError) return 'broken';
    throw error;
  }
}
