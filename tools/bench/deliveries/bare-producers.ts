import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ProduceAcks, Producer, stringSerializers } from '@platformatic/kafka';
import { connectAsync } from 'mqtt';
import type { CloudEvent } from '../../../apps/server/src/features/deliveries/senders/cloud-events.ts';
import type { Receiver } from '../../deliveries/receiver.ts';

/** Items that are sent together, about as many as the senders of the product send: days of profiles have ten kilobytes. */
const BATCH_ITEMS = { webhook: 100, kafka: 50, mqtt: 100, nats: 100 } as const;
type Kind = keyof typeof BATCH_ITEMS;

interface BareProducer {
  send(events: readonly CloudEvent[]): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Sends events by the library alone, as a program without outbox, areas and positions would. */
const OPEN: Record<Kind, (settings: Receiver['sender']['settings']) => Promise<BareProducer>> = {
  webhook: ({ url }) =>
    Promise.resolve({
      send: async (events) => {
        const headers = { 'content-type': 'application/cloudevents-batch+json' };
        const answer = await fetch(String(url), { method: 'POST', headers, body: JSON.stringify(events) });
        if (!answer.ok) throw new Error(`The receiver answered ${answer.status}`);
      },
      close: () => Promise.resolve(),
    }),
  kafka: ({ host, port }) => {
    const producer = new Producer({
      clientId: 'bare',
      bootstrapBrokers: [{ host: String(host), port: Number(port) }],
      idempotent: true,
      acks: ProduceAcks.ALL,
      serializers: stringSerializers,
    });
    return Promise.resolve({
      send: (events) =>
        producer.send({
          messages: events.map(({ subject = '', data }) => ({ topic: 'hes.readings', key: subject, value: JSON.stringify(data) })),
        }),
      close: () => producer.close(true),
    });
  },
  mqtt: async ({ host, port }) => {
    const client = await connectAsync(`mqtt://${String(host)}:${String(port)}`, { protocolVersion: 5, clientId: 'bare' });
    return {
      send: (events) =>
        Promise.all(events.map((event) => client.publishAsync(`hes/readings/${event.subject ?? ''}`, JSON.stringify(event), { qos: 1 }))),
      close: () => client.endAsync(),
    };
  },
  nats: async ({ host, port }) => {
    const connection = await connect({ servers: `${String(host)}:${String(port)}` });
    const stream = jetstream(connection);
    return {
      send: (events) => Promise.all(events.map((event) => stream.publish(`hes.readings.${event.subject ?? ''}`, JSON.stringify(event)))),
      close: () => connection.close(),
    };
  },
};

const isCompared = (kind: string): kind is Kind => Object.hasOwn(OPEN, kind);

/** Items a second that the library alone sends to a receiver, batch after batch. */
export async function bareRate({ sender }: Receiver, events: readonly CloudEvent[]): Promise<number> {
  if (!isCompared(sender.kind)) throw new Error(`No bare producer is known for ${sender.kind}`);
  const producer = await OPEN[sender.kind](sender.settings);
  const size = BATCH_ITEMS[sender.kind];
  const begun = performance.now();
  for (let at = 0; at < events.length; at += size) await producer.send(events.slice(at, at + size));
  const seconds = (performance.now() - begun) / 1000;
  await producer.close();
  return events.length / seconds;
}
