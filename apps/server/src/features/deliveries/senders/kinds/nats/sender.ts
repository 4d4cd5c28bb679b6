import { isIP } from 'node:net';
import { nats } from '@hes/contract/delivery/kinds/nats.ts';
import { jetstream, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { resolveGuarded } from '#platform/guarded-network.ts';
import { tlsOptionsOf } from '#platform/guarded-socket.ts';
import type { CloudEvent } from '../../cloud-events.ts';
import { clientOf, certificateRefusalOf } from '../client-certificate.ts';
import { commonFailureOf, DeliveryFailed, implementKind, requireReachable, type Batch, type Connection, type Opening } from '../kind.ts';

const TIMEOUT_MS = 15_000;
const BATCH_ITEMS = 100;
/** Headers of a message, which count for the limit of the server. */
const OVERHEAD_OCTETS = 256;
/** Error code of JetStream for a message that is larger than its stream permits. */
const EXCEEDS_MAXIMUM = 10_054;

type Settings = Parameters<typeof nats.target>[0];
type Secrets = { password: string; clientKey: string };

function failureOf(error: unknown): DeliveryFailed {
  const common = commonFailureOf(error) ?? certificateRefusalOf(error);
  if (common !== undefined) return common;
  const message = error instanceof Error ? error.message : String(error);
  // The package does not export the class.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled')
    return new DeliveryFailed('not_confirmed', 'No stream takes this subject');
  if (error instanceof JetStreamApiError && error.code === EXCEEDS_MAXIMUM) return new DeliveryFailed('refused', message);
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError)
    return new DeliveryFailed('unauthorized', message);
  if (error instanceof errors.TimeoutError) return new DeliveryFailed('timeout');
  if (error instanceof errors.ClosedConnectionError || error instanceof errors.ConnectionError)
    return new DeliveryFailed('unreachable', message);
  return new DeliveryFailed('not_confirmed', message);
}

/** Failure of an attempt to connect. No message was sent yet, so an unknown error means that the server cannot be reached. */
function openingFailureOf(error: unknown): DeliveryFailed {
  const failure = failureOf(error);
  return failure.failure === 'not_confirmed' ? new DeliveryFailed('unreachable', failure.detail) : failure;
}

/** The subject of an item. Characters with a meaning in subjects are replaced, so that a name adds no token. */
export const subjectOf = (template: string, kind: Batch['kind'], meter: string | undefined): string =>
  template.replaceAll('{kind}', kind).replaceAll('{meter}', (meter ?? '-').replaceAll(/[\s.*>]/g, '_') || '-');

/** Connects once: the engine decides about the next attempt, and other servers that the cluster names are not tried. */
async function connectTo({ settings, secrets, networks }: Opening<Settings, Secrets>): Promise<NatsConnection> {
  const { host, port, isEncrypted, ca, username } = settings;
  const address = await resolveGuarded(host, isEncrypted, networks);
  const tls = { ...tlsOptionsOf({ ca, client: clientOf(settings, secrets) }), ...(isIP(host) === 0 ? { servername: host } : {}) };
  return connect({
    servers: `${isIP(address) === 6 ? `[${address}]` : address}:${port}`,
    name: 'hes-deliveries',
    reconnect: false,
    ignoreClusterUpdates: true,
    timeout: TIMEOUT_MS,
    ...(isEncrypted ? { tls } : {}),
    ...(username === '' ? {} : { user: username, pass: secrets.password }),
  });
}

interface Message {
  subject: string;
  kind: Batch['kind'];
  event: CloudEvent;
}

/** Stores a message in its stream. The id lets the stream recognize a repetition. */
async function publish(stream: JetStreamClient, { ref, limit }: { ref: string; limit: number }, message: Message): Promise<void> {
  const { subject, kind, event } = message;
  const payload = Buffer.from(JSON.stringify(event));
  if (payload.length + OVERHEAD_OCTETS > limit) throw new DeliveryFailed('refused', `The server takes at most ${limit} octets`);
  await stream.publish(subject, payload, { msgID: `${ref}/${kind}/${event.id}`, timeout: TIMEOUT_MS });
}

/** Stores messages of one subject one after another: a repetition that follows a failure must not come behind later messages. */
async function publishAll(stream: JetStreamClient, limits: { ref: string; limit: number }, messages: readonly Message[]): Promise<void> {
  for (const message of messages) await publish(stream, limits, message);
}

async function open(opening: Opening<Settings, Secrets>): Promise<Connection> {
  const { settings, ref, networks } = opening;
  requireReachable(settings.host, settings.isEncrypted, networks);
  const connection = await connectTo(opening).catch((error: unknown) => {
    throw openingFailureOf(error);
  });
  const stream = jetstream(connection, { timeout: TIMEOUT_MS });
  const limits = { ref, limit: connection.info?.max_payload ?? 0 };
  return {
    isOpen: () => !connection.isClosed(),
    async send({ kind, events }) {
      const messages = events.map((event): Message => ({ subject: subjectOf(settings.subject, kind, event.subject), kind, event }));
      const published = [...Map.groupBy(messages, ({ subject }) => subject).values()].map((same) => publishAll(stream, limits, same));
      // All of them are awaited, so that no failure is left without a handler.
      const outcomes = await Promise.allSettled(published);
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failureOf(failed.reason);
    },
    close: () => connection.close(),
  };
}

export const natsSender = implementKind(nats, { batchItems: BATCH_ITEMS, open });
