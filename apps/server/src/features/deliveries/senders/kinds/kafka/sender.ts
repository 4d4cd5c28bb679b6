import { bootstrapBrokers, kafka } from '@hes/contract/delivery/kinds/kafka.ts';
import {
  AuthenticationError,
  compatibilityPartitioner,
  ProduceAcks,
  stringSerializer,
  TimeoutError,
  type MessageToProduce,
} from '@platformatic/kafka';
import { within } from '#platform/within.ts';
import type { CloudEvent } from '../../cloud-events.ts';
import { clientOf, certificateRefusalOf } from '../client-certificate.ts';
import { commonFailureOf, DeliveryFailed, implementKind, requireReachable, type Batch, type Connection, type Opening } from '../kind.ts';
import { connectionOptionsOf, GuardedProducer, type Target } from './guarded-producer.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Of the broker, for the confirmation of all replicas. */
const CONFIRM_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const SEND_TIMEOUT_MS = 25_000;
const BATCH_ITEMS = 500;
/** Brokers take a megabyte for each partition of a request by default (`message.max.bytes`), and all records may be of one. */
const REQUEST_OCTETS = 900_000;
/** A partition that gets another leader is asked for again; numbers of records let the broker drop repetitions. */
const RETRIES = 3;
const RETRY_DELAY_MS = 300;

type Settings = Parameters<typeof kafka.target>[0];
type Secrets = { password: string; clientKey: string };
type KafkaRecord = MessageToProduce<Buffer, Buffer, string, string>;

/** Answers of brokers that blame the records themselves. */
const REFUSALS = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'CORRUPT_MESSAGE', 'INVALID_TIMESTAMP']);
const UNAUTHORIZED = new Set([
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'ILLEGAL_SASL_STATE',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/** An error and all that it was made of: the package nests those of its attempts. */
function* causesOf(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* causesOf(error.cause);
  if (error instanceof AggregateError) for (const one of error.errors) yield* causesOf(one);
}

const apiIdOf = (error: Error): string => {
  const { apiId } = error as { apiId?: unknown }; // as: answers of brokers carry their name there
  return typeof apiId === 'string' ? apiId : '';
};

/** The failure that an error of the package stands for. */
function failureOf(error: unknown): DeliveryFailed {
  const all = [...causesOf(error)];
  for (const one of all) {
    const common = commonFailureOf(one) ?? certificateRefusalOf(one);
    if (common !== undefined) return common;
  }
  // The innermost cause says most.
  const message = all.at(-1)?.message ?? String(error);
  const named = all.map(apiIdOf).find((id) => id !== '');
  const detail = named === undefined || message.includes(named) ? message : `${named} ${message}`;
  if (all.some((one) => one instanceof AuthenticationError) || (named !== undefined && UNAUTHORIZED.has(named)))
    return new DeliveryFailed('unauthorized', detail);
  if (named !== undefined) return new DeliveryFailed(REFUSALS.has(named) ? 'refused' : 'not_confirmed', detail);
  if (all.some((one) => one instanceof TimeoutError)) return new DeliveryFailed('timeout');
  const isUnknownTopic = all.some(({ message: text }) => text.startsWith('Unknown topic'));
  return new DeliveryFailed(isUnknownTopic ? 'not_confirmed' : 'unreachable', message);
}

/** An item as record: the Kafka binding of CloudEvents in binary mode, with attributes as headers and the meter as key. */
export function recordOf(template: string, kind: Batch['kind'], { subject, data, datacontenttype, ...event }: CloudEvent): KafkaRecord {
  const attributes = { ...event, ...(subject === undefined ? {} : { subject }) };
  return {
    topic: template.replaceAll('{kind}', kind),
    ...(subject === undefined ? {} : { key: Buffer.from(subject) }),
    value: Buffer.from(JSON.stringify(data)),
    headers: {
      'content-type': datacontenttype,
      ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce_${name}`, value])),
    },
  };
}

/** Records in order, in parts that a broker takes with its defaults. A record that is larger alone is a part of its own. */
export function inRequests(records: readonly KafkaRecord[], octets: number = REQUEST_OCTETS): KafkaRecord[][] {
  const parts: KafkaRecord[][] = [];
  let left = 0;
  for (const record of records) {
    const size = record.value?.length ?? 0;
    if (size > left || parts.length === 0) {
      parts.push([]);
      left = octets;
    }
    parts.at(-1)?.push(record);
    left -= size;
  }
  return parts;
}

/** Throws what `work` throws as failure, and a timeout if it takes longer than the engine waits. */
async function guard(producer: GuardedProducer, work: Promise<unknown>): Promise<void> {
  const late = new DeliveryFailed('timeout');
  try {
    if ((await within(work, SEND_TIMEOUT_MS, late)) === late) throw late;
  } catch (error) {
    // A broker that refuses a certificate does so after the handshake has ended, and then closes.
    throw certificateRefusalOf(producer.connectionError) ?? failureOf(error);
  }
}

function producerOf({ settings, secrets, ref, networks }: Opening<Settings, Secrets>): GuardedProducer {
  const { isEncrypted, ca, username, mechanism } = settings;
  const [first = settings, ...others] = bootstrapBrokers(settings);
  const target: Target = { brokers: [first, ...others], isEncrypted, ca, networks, client: clientOf(settings, secrets) };
  return new GuardedProducer(target, {
    clientId: `hes-${ref}`,
    bootstrapBrokers: [...target.brokers],
    ...connectionOptionsOf(target),
    ...(username === '' ? {} : { sasl: { mechanism, username, password: secrets.password } }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    timeout: CONFIRM_TIMEOUT_MS,
    retries: RETRIES,
    retryDelay: RETRY_DELAY_MS,
    // A topic that the broker creates would have its defaults for partitions, replicas and retention.
    autocreateTopics: false,
    idempotent: true,
    acks: ProduceAcks.ALL,
    serializers: { headerKey: stringSerializer, headerValue: stringSerializer },
    // As the clients of the project in Java, so that topics of other producers can be joined by the meter.
    partitioner: compatibilityPartitioner,
  });
}

function open(opening: Opening<Settings, Secrets>): Connection {
  const { isEncrypted, topic } = opening.settings;
  for (const { host } of bootstrapBrokers(opening.settings)) requireReachable(host, isEncrypted, opening.networks);
  const producer = producerOf(opening);
  return {
    isOpen: () => !producer.closed,
    async send({ kind, events }) {
      for (const messages of inRequests(events.map((event) => recordOf(topic, kind, event))))
        await guard(producer, producer.send({ messages }));
    },
    close: () => producer.close(true),
  };
}

export const kafkaSender = implementKind(kafka, { batchItems: BATCH_ITEMS, open });
