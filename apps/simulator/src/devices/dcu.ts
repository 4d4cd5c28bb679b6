import type { Socket } from 'node:net';
import type { LogicalDevice } from '@hes/dlms/association/server.ts';
import { BlockSender, isBlock, readBlock, unconfirmedBlocks, type BlockRules } from '@hes/dlms/association/block-stream.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { decodeGateway, encodeGateway, type GatewayFrame } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, type WrapperFrame } from '@hes/dlms/framing/wrapper.ts';
import { exceptionResponse } from '@hes/dlms/xdlms/exception-response.ts';
import { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import { airOf, type Heard } from '#world/air.ts';
import { membersOf } from '#world/network.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';
import { streamOf } from '#world/random.ts';
import { type Channel, type ChannelModel, CHANNELS, createChannel, createFastChannel, fasterBy, POWER_LINE } from './channel.ts';
import type { FleetContext } from './context.ts';
import { confirmedIn, encodeAlarm } from './alarm.ts';
import { createDcuArchive, type DcuArchive } from './dcu-archive.ts';
import { createDcuDevice } from './dcu-device.ts';
import { createDcuNetwork, type DcuNetwork } from './dcu-network.ts';
import { createDcuParameters, type DcuParameters } from './dcu-parameters.ts';
import { createDcuSearch, type DcuSearch } from './dcu-search.ts';
import { createDcuTasks, type DcuTasks } from './dcu-tasks.ts';
import type { ConnectedDevice } from './direct-meter.ts';
import { createForeignLine, type ForeignLine } from './foreign-line.ts';
import { encodeIdentification } from './identification.ts';
import { titleOfDcu } from './keys.ts';
import { initialArchive } from './initial-archive.ts';
import { createMeter, type Meter } from './meter.ts';
import { FaultyWriter } from './faulty-writer.ts';
import { noise } from './noise.ts';
import { CLIENT_SAPS, MANAGEMENT_SERVER_SAP } from './rules.ts';

/** Wrapper addresses of unsolicited messages of the DCU. */
const UNSOLICITED = { source: 1, destination: 1 };
const FRAME_TIMEOUT_MS = 30_000;
const MAX_APDU_SIZE = 0xffff;
const GARBAGE_SIZE = 64;
const DEFAULT_DELAY_MS = 2000;
/** Speed of a quick line relative to a power line. */
const QUICK = 10_000;
const RESTART_MS = { realistic: 8000, fast: 200 } as const;
const UNKNOWN_ADDRESS = encode(exceptionResponse, { stateError: 'serviceNotAllowed', serviceError: 'operationNotPossible' });
const TOO_LONG = encode(exceptionResponse, { stateError: 'serviceNotAllowed', serviceError: 'pduTooLong' });

interface HeadEndConnection {
  connection: DlmsConnection;
  channel: Channel;
  writer: FaultyWriter;
}

/** A DCU over one connection at a time: its own logical device, and the gateway to its meters. */
export class Dcu implements ConnectedDevice {
  readonly plan: DcuPlan;
  readonly archive: DcuArchive;
  readonly tasks: DcuTasks;
  readonly #context: FleetContext;
  readonly #network: DcuNetwork;
  readonly #search: DcuSearch;
  readonly #parameters: DcuParameters;
  readonly #device: LogicalDevice;
  readonly #foreign: ForeignLine;
  readonly #systemTitle: Uint8Array;
  readonly #meters = new Map<string, Meter>();
  /** Confirmed block transfers in progress, by serial number of the meter. */
  readonly #transfers = new Map<string, BlockSender>();
  #identifications = 0;
  #refusesUntil = 0;
  #current: HeadEndConnection | undefined;

  constructor(context: FleetContext, plan: DcuPlan) {
    const { world } = context;
    this.plan = plan;
    this.#context = context;
    this.archive = createDcuArchive(plan, initialArchive(world, plan, plan.isUnregistered ? [] : world.metersOf(plan)));
    this.tasks = createDcuTasks(context);
    this.#search = createDcuSearch({ air: () => this.#metersInReach(), now: context.now, channel: context.channel });
    this.#network = createDcuNetwork(context, plan);
    this.#parameters = createDcuParameters(() => this.disconnect(), plan.connectionType === 'dial_out');
    this.#foreign = createForeignLine(context);
    this.#systemTitle = titleOfDcu(plan);
    this.#device = createDcuDevice(context, plan, {
      archive: this.archive,
      tasks: this.tasks,
      search: this.#search,
      network: this.#network,
      parameters: this.#parameters,
      restart: () => this.#restart(),
      broadcastClock: (aheadMs) => this.#broadcastClock(aheadMs),
      broadcastReceivers: () => this.#broadcastReceivers(),
    });
  }

  get sn(): string {
    return this.plan.sn;
  }

  /** Serves a head-end over a socket until it closes. A new connection closes the previous one. */
  serve(socket: Socket, onClose?: () => void): void {
    if (!this.#parameters.reachesHeadEnd() || this.#isRestarting()) return void socket.destroy();
    this.disconnect();
    const connection = new DlmsConnection(socket, { frameTimeoutMs: FRAME_TIMEOUT_MS });
    const current = { connection, channel: this.#createChannel(), writer: new FaultyWriter(this.#context.faults, this.plan.sn, socket) };
    this.#current = current;
    connection.onFrame((frame) => this.#receive(frame, socket, current));
    connection.onClose(() => {
      current.channel.close();
      if (this.#current === current) this.#endAssociations();
      onClose?.();
    });
  }

  sendIdentification(kind: 'hello' | 'heartbeat'): void {
    const { faults } = this.#context;
    const isMute = (['mute_heartbeat', 'half_open', 'silence'] as const).some((fault) => faults.has(this.plan.sn, fault));
    if (kind === 'heartbeat' && isMute) return;
    this.#current?.writer.send(
      encodeWrapper(UNSOLICITED, encodeIdentification(kind, this.plan.sn, this.#systemTitle, this.#identifications++)),
    );
  }

  /** Sends alarms in the name of a meter, which may be unknown. */
  sendAlarms(sn: string, numbers: readonly number[]): void {
    for (const number of numbers) this.#sendUnsolicited(sn, number, [this.meter(sn)?.alarm(number) ?? encodeAlarm(number)]);
  }

  /**
   * Sends a push of one of its meters, as general-block-transfer if it is longer than `blocks.maxPduSize`;
   * false if the meter is unreachable or no head-end is connected.
   */
  push(sn: string, number: number, blocks?: BlockRules): boolean {
    const apdu = this.#network.hears(sn) ? this.meter(sn)?.push(number) : undefined;
    if (apdu === undefined) return false;
    if (blocks === undefined) return this.#sendUnsolicited(sn, number, [apdu]);
    const isUnconfirmed = blocks.window === 0 || apdu.length <= blocks.maxPduSize;
    return this.#sendUnsolicited(
      sn,
      number,
      isUnconfirmed ? unconfirmedBlocks(apdu, blocks.maxPduSize) : this.#startTransfer(sn, apdu, blocks),
    );
  }

  /** One of its meters, created on first access. */
  meter(sn: string): Meter | undefined {
    const meterPlan = this.#context.world.meterBySn.get(sn);
    const dcuSn = this.#context.network.moved.get(sn) ?? meterPlan?.dcu.sn;
    if (!meterPlan || this.plan.sn !== dcuSn) return undefined;
    let meter = this.#meters.get(sn);
    if (!meter) this.#meters.set(sn, (meter = createMeter(this.#context, meterPlan)));
    return meter;
  }

  isConnected(): boolean {
    return this.#current !== undefined;
  }

  disconnect(): void {
    this.#current?.connection.close();
  }

  stop(): void {
    this.#parameters.stop();
    this.#foreign.close();
    this.#current?.channel.close();
    this.disconnect();
  }

  #createChannel(): Channel {
    const { channel, lineSpeed, world } = this.#context;
    return channel === 'fast' && lineSpeed === undefined ? createFastChannel() : createChannel(streamOf(world.plan.seed, this.plan.sn));
  }

  #isRestarting(): boolean {
    const { firmware } = this.#context;
    return performance.now() < this.#refusesUntil || firmware.find('dcu', this.plan.sn)?.awayUntil === Number.POSITIVE_INFINITY;
  }

  /** Closes the connection, which resets the associations; connections are refused until the DCU is up again. */
  #restart(): void {
    this.#refusesUntil = performance.now() + RESTART_MS[this.#context.channel];
    // The response to the command is sent first.
    setImmediate(() => this.disconnect());
  }

  #endAssociations(): void {
    this.#foreign.close();
    this.#current = undefined;
    this.#transfers.clear();
    for (const sap of CLIENT_SAPS) this.#device.reset(sap);
    for (const meter of this.#meters.values()) meter.disconnect();
  }

  #metersInReach(): Heard[] {
    if (this.plan.isUnregistered) return [];
    const { world, network, now } = this.#context;
    const at = now();
    return airOf(world.plan.seed, this.plan, membersOf(world, network, this.plan, at), world.neighboursAt(this.plan, at));
  }

  #attachedMeters(): readonly MeterPlan[] {
    return this.plan.isUnregistered ? [] : this.#context.world.metersAt(this.plan, this.#context.now());
  }

  /** Broadcasts are unconfirmed: a meter that misses it keeps its clock. */
  #broadcastClock(aheadMs: number): void {
    for (const { sn } of this.#attachedMeters()) this.meter(sn)?.receiveClock(aheadMs);
  }

  /** A broadcast reaches meters on the power line within reach of the network. */
  *#broadcastReceivers(): Generator<Meter> {
    for (const { sn, mode } of this.#attachedMeters()) {
      const meter = mode === 'plc' && this.#network.hears(sn) ? this.meter(sn) : undefined;
      if (meter) yield meter;
    }
  }

  #receive(frame: WrapperFrame, socket: Socket, { connection, channel, writer }: HeadEndConnection): void {
    const { faults, oracle } = this.#context;
    const { sn } = this.plan;
    oracle?.recordRequest(sn, frame.apdu);
    if (frame.destination !== MANAGEMENT_SERVER_SAP || this.#isDiscarded(socket)) return;
    const send = (apdu: Uint8Array): void => writer.send(encodeWrapper({ source: frame.destination, destination: frame.source }, apdu));
    const gateway = gatewayOf(frame.apdu);
    if (gateway === 'broken') return;
    if (gateway?.response) return this.#receiveAcknowledgement(gateway);
    if (gateway) return this.#forward(channel, frame, gateway, send);
    if (faults.strike(sn, 'cut')) return connection.close();
    const responses = this.#device.receiveAll(frame.source, frame.apdu);
    if (faults.strike(sn, 'cut_after')) return connection.close();
    if (responses.length > 0 && !faults.strike(sn, 'lost_answer')) responses.forEach(send);
  }

  /** Applies the faults of the DCU itself; true if the frame is discarded. */
  #isDiscarded(socket: Socket): boolean {
    const { faults } = this.#context;
    const { sn } = this.plan;
    if (faults.strike(sn, 'half_open') || faults.strike(sn, 'silence') || faults.strike(sn, 'drop')) return true;
    if (!faults.strike(sn, 'garbage')) return false;
    socket.write(noise(GARBAGE_SIZE));
    return true;
  }

  #forward(channel: Channel, frame: WrapperFrame, gateway: GatewayFrame, send: (apdu: Uint8Array) => void): void {
    const { faults, foreign } = this.#context;
    const { networkId, apdu } = gateway;
    // The octets are a view of the socket's buffer, which is reused before a queued request is sent.
    const address = gateway.address.slice();
    const reply = (response: Uint8Array): void => {
      const prefixed = encodeGateway({ response: true, networkId, address }, response);
      send(prefixed.length > MAX_APDU_SIZE ? encodeGateway({ response: true, networkId, address }, TOO_LONG) : prefixed);
    };
    const sn = String.fromCharCode(...address);
    const serial = this.#serialAt(sn);
    if (serial === undefined) return this.#context.dcuModel.isPlainGateway ? undefined : reply(UNKNOWN_ADDRESS);
    const meter = this.meter(faults.strike(serial, 'crossed')?.to ?? serial);
    // In the archive, but on another line or unreachable: no response.
    if (!meter || !this.#network.hears(serial)) return this.#countUnreachable(serial);
    if (foreign.has(serial)) return this.#foreign.ask(serial, frame.source, apdu.slice(), reply);
    const request = apdu.slice();
    channel.send({
      model: this.#lineModelTo(meter),
      request,
      hops: meter.plan.hops,
      extraMs: this.#delayOf(this.plan.sn) + this.#delayOf(meter.plan.sn),
      perform: () => meter.receive(frame.source, request),
      deliver: reply,
    });
  }

  /** Serial number of the meter at an address. A plain gateway knows no addresses: it forwards, and the meter responds or not. */
  #serialAt(address: string): string | undefined {
    if (this.#context.dcuModel.isPlainGateway) return this.meter(address)?.plan.sn;
    return this.archive.serialOf(address) ?? (this.#search.hasHeard(address) ? address : undefined);
  }

  /** Counts a request that failed because of a network fault. */
  #countUnreachable(sn: string): void {
    const { network, faults } = this.#context;
    if (network.lost.has(sn)) faults.struck(sn, 'lost');
    else if (network.moved.has(sn)) faults.struck(sn, 'moved');
  }

  #lineModelTo(meter: Meter): ChannelModel {
    const { lineSpeed, faults } = this.#context;
    if (lineSpeed === undefined) return CHANNELS[meter.plan.mode];
    return faults.strike(this.plan.sn, 'quick_line') ? { ...fasterBy(POWER_LINE, QUICK), loss: 0 } : fasterBy(POWER_LINE, lineSpeed);
  }

  #delayOf(sn: string): number {
    const fault = this.#context.faults.strike(sn, 'slow');
    return fault ? (fault.delayMs ?? DEFAULT_DELAY_MS) : 0;
  }

  /** Forwards an unsolicited message of a meter unchanged, with its address. */
  #sendUnsolicited(sn: string, number: number, apdus: readonly Uint8Array[]): boolean {
    if (this.#current === undefined) return false;
    this.#context.oracle?.recordPush(sn, 'pushed', number);
    this.#sendToHeadEnd(sn, apdus);
    return true;
  }

  #sendToHeadEnd(sn: string, apdus: readonly Uint8Array[]): void {
    const address = Uint8Array.from(sn, (letter) => letter.charCodeAt(0));
    for (const apdu of apdus) this.#current?.writer.send(encodeWrapper(UNSOLICITED, encodeGateway({ networkId: 0, address }, apdu)));
  }

  /** Starts a confirmed block transfer and returns its first window; acknowledgements drive the rest. */
  #startTransfer(sn: string, apdu: Uint8Array, rules: BlockRules): Uint8Array[] {
    const sender = new BlockSender(apdu, rules);
    this.#transfers.set(sn, sender);
    return sender.after(0, rules.window, 0);
  }

  /** Handles an acknowledgement of blocks or, alone or in a block, the confirmation of the push. */
  #receiveAcknowledgement({ address, apdu }: GatewayFrame): void {
    const sn = String.fromCharCode(...address);
    const block = isBlock(apdu) ? readBlock(apdu) : undefined;
    const number = confirmedIn(block?.data ?? apdu);
    if (number !== undefined) this.#context.oracle?.recordPush(sn, 'confirmed', number);
    const sender = this.#transfers.get(sn);
    if (block === undefined || sender === undefined) return;
    if (block.blockNumberAck < sender.count) this.#sendToHeadEnd(sn, sender.after(block.blockNumberAck, block.control.window, 0));
    else this.#transfers.delete(sn);
  }
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
