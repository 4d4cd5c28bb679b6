import { mqtt } from '@hes/contract/delivery/kinds/mqtt.ts';
import { MqttClient, type IClientPublishOptions, type IConnackPacket, type IDisconnectPacket } from 'mqtt';
import { openGuardedSocket } from '#platform/guarded-socket.ts';
import { measures } from '#platform/measures.ts';
import { within } from '#platform/within.ts';
import { EVENT_TYPE, type CloudEvent } from '../../cloud-events.ts';
import { clientOf, certificateRefusalOf } from '../client-certificate.ts';
import { commonFailureOf, DeliveryFailed, implementKind, requireReachable, type Batch, type Connection, type Opening } from '../kind.ts';

const TIMEOUT_MS = 15_000;
const BATCH_ITEMS = 100;
const KEEPALIVE_S = 30;
/** Of a packet beside topic and payload, more than header and properties of a message need. */
const OVERHEAD_OCTETS = 256;
/** A broker that names no limit takes this many unconfirmed messages (MQTT 5, 3.2.2.3.3); batches are smaller. */
const NO_LIMIT = 65_535;

/** Reason codes of MQTT 5, 2.4, that blame the message itself: topic name invalid, packet too large, payload format invalid. */
const REFUSALS = new Set([0x90, 0x95, 0x99]);
/** Bad user name or password, not authorized, bad authentication method. */
const UNAUTHORIZED = new Set([0x86, 0x87, 0x8c]);

type PublishProperties = NonNullable<IClientPublishOptions['properties']>;
type Settings = Parameters<typeof mqtt.target>[0];
type Secrets = { password: string; clientKey: string };

function failureOf(error: unknown): DeliveryFailed {
  const common = commonFailureOf(error) ?? certificateRefusalOf(error);
  if (common !== undefined) return common;
  const code = (error as { code?: unknown }).code; // as: errors of the client carry the reason code as number
  const message = error instanceof Error ? error.message : String(error);
  if (typeof code !== 'number') return new DeliveryFailed('unreachable', message);
  const name = `0x${code.toString(16)} ${message}`;
  if (UNAUTHORIZED.has(code)) return new DeliveryFailed('unauthorized', name);
  return new DeliveryFailed(REFUSALS.has(code) ? 'refused' : 'not_confirmed', name);
}

/** The topic of an item. Characters with a meaning in topics are replaced, so that a name adds no level. */
export const topicOf = (template: string, kind: Batch['kind'], meter: string | undefined): string =>
  template.replaceAll('{kind}', kind).replaceAll('{meter}', (meter ?? '-').replaceAll(/[/+#\p{Cc}]/gu, '_'));

/** A client without reconnection: the engine decides about the next attempt. `failure` is why it ended. */
class Broker {
  readonly #client: MqttClient;
  readonly #settings: Settings;
  #limits: NonNullable<IConnackPacket['properties']> = {};
  #failure: DeliveryFailed | undefined;
  #isEnded = false;
  /** Ends of the work in progress. A promise for the whole connection would keep the payloads of each batch that was raced with it. */
  readonly #waiting = new Set<() => void>();

  constructor({ settings, secrets, ref, networks }: Opening<Settings, Secrets>) {
    const { username } = settings;
    this.#settings = settings;
    const client = clientOf(settings, secrets);
    const connect = () => openGuardedSocket({ ...settings, networks, client }).on('error', (error) => this.#fail(failureOf(error)));
    this.#client = new MqttClient(connect, {
      protocolVersion: 5,
      // A second node with the same name takes the place of the first one.
      clientId: `hes-${ref}`,
      clean: true,
      reconnectPeriod: 0,
      connectTimeout: TIMEOUT_MS,
      keepalive: KEEPALIVE_S,
      ...(username === '' ? {} : { username, password: secrets.password }),
    });
    this.#client.on('error', (error) => this.#fail(failureOf(error)));
    this.#client.on('disconnect', ({ reasonCode = 0 }: IDisconnectPacket) =>
      this.#fail(failureOf(Object.assign(new Error('The broker ended the connection'), { code: reasonCode }))),
    );
    this.#client.once('close', () => {
      this.#isEnded = true;
      for (const end of this.#waiting) end();
    });
  }

  /** The first failure tells the reason; those that follow are its consequences. */
  #fail(failure: DeliveryFailed): void {
    this.#failure ??= failure;
  }

  /** The result of work with the broker. Throws when the connection ends or the time is over. */
  async #guard<T>(work: Promise<T>): Promise<T> {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const end = () => reject(this.#failure ?? new DeliveryFailed('unreachable', 'The broker closed the connection'));
    this.#waiting.add(end);
    if (this.#isEnded) end();
    const late = new DeliveryFailed('timeout');
    try {
      const result = await within(Promise.race([work, ended]), TIMEOUT_MS, late);
      if (result === late) throw late;
      return result as T; // as: anything but the marker is the result of the work
    } catch (error) {
      throw failureOf(error);
    } finally {
      this.#waiting.delete(end);
    }
  }

  async connect(): Promise<void> {
    const { properties = {} } = await this.#guard(new Promise<IConnackPacket>((resolve) => this.#client.once('connect', resolve)));
    if (properties.maximumQoS === 0) throw new DeliveryFailed('not_confirmed', 'The broker does not support QoS 1');
    this.#limits = properties;
  }

  /** Topic and octets of an item; throws if the broker does not take as many. */
  #packetOf(kind: Batch['kind'], event: CloudEvent): { topic: string; payload: Buffer } {
    const topic = topicOf(this.#settings.topic, kind, event.subject);
    const payload = Buffer.from(JSON.stringify(event));
    const size = payload.length + Buffer.byteLength(topic) + OVERHEAD_OCTETS;
    const { maximumPacketSize } = this.#limits;
    if (maximumPacketSize !== undefined && size > maximumPacketSize)
      throw new DeliveryFailed('refused', `The broker takes at most ${maximumPacketSize} octets`);
    return { topic, payload };
  }

  async send({ kind, events }: Batch): Promise<void> {
    const { expirySeconds } = this.#settings;
    const properties = { contentType: EVENT_TYPE, ...(expirySeconds === 0 ? {} : { messageExpiryInterval: expirySeconds }) };
    const packets = events.map((event) => this.#packetOf(kind, event));
    const unconfirmed = this.#limits.receiveMaximum ?? NO_LIMIT;
    for (let first = 0; first < packets.length; first += unconfirmed) {
      const part = packets.slice(first, first + unconfirmed);
      const octets = part.reduce((sum, { payload }) => sum + payload.length, 0);
      measures.mqttUnconfirmed.publish({ octets });
      await this.#publish(part, properties).finally(() => measures.mqttUnconfirmed.publish({ octets: -octets }));
    }
  }

  /** Resolves when the broker has confirmed all packets. */
  async #publish(packets: readonly { topic: string; payload: Buffer }[], properties: PublishProperties): Promise<void> {
    const published = packets.map(({ topic, payload }) => this.#client.publishAsync(topic, payload, { qos: 1, properties }));
    // The confirmations carry the packets; nothing keeps them.
    await this.#guard(Promise.all(published).then(() => undefined));
  }

  get isOpen(): boolean {
    return this.#client.connected && this.#failure === undefined;
  }

  close(): void {
    this.#client.end(true);
  }
}

async function open(opening: Opening<Settings, Secrets>): Promise<Connection> {
  requireReachable(opening.settings.host, opening.settings.isEncrypted, opening.networks);
  const broker = new Broker(opening);
  try {
    await broker.connect();
  } catch (error) {
    broker.close();
    throw error;
  }
  return { isOpen: () => broker.isOpen, send: (batch) => broker.send(batch), close: () => broker.close() };
}

export const mqttSender = implementKind(mqtt, { batchItems: BATCH_ITEMS, open });
