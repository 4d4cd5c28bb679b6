import { ClientAssociation, type AttributeRef } from '@hes/dlms/association/client.ts';
import type { Exchange } from '@hes/dlms/association/exchange.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Selection } from '@hes/dlms/cosem/selective-access.ts';
import { connectSession, type ClientSession } from '../client-session.ts';
import { nodeCipher } from '../node-cipher.ts';
import { kebab } from './data-shape.ts';
import type { MeterTarget } from './meter-options.ts';

const PUBLIC_CLIENT = 16;
const DATA_CLASS = 1;

/** The meter refused the request, or its response is unusable. */
export class MeterRefusal extends Error {}

/** An open association with a meter. */
export interface MeterLink {
  association: ClientAssociation;
  run<T>(exchange: Exchange<T>): Promise<T>;
  /** Reads one encoded Data; fails with `MeterRefusal`. */
  read(ref: AttributeRef, selection?: Selection): Promise<Uint8Array>;
  close(): Promise<void>;
}

async function openSession(target: MeterTarget, clientSap: number): Promise<ClientSession> {
  const { host, port, serverSap, timeoutMs, gateway, hdlc, udp } = target;
  return await connectSession({ host, port, clientSap, serverSap, timeoutMs, gateway, hdlc, udp });
}

/** Reads the invocation counter of our key as the public client; the next counter must be higher. */
async function nextCounterOf(target: MeterTarget): Promise<number> {
  const session = await openSession(target, PUBLIC_CLIENT);
  try {
    const { systemTitle, maxPduSize } = target;
    const visitor = new ClientAssociation({
      mechanism: 'none',
      ciphered: false,
      systemTitle,
      cipher: nodeCipher,
      maxPduSize,
      nextCounter: () => 0,
      peer: { counter: -1 },
    });
    await session.run(visitor.open());
    const answer = await session.run(visitor.get({ classId: DATA_CLASS, instance: target.counterObject, attributeId: 2 }));
    await session.run(visitor.release());
    const data = answer.ok ? decode(dataCodec, answer.data) : undefined;
    if (data !== undefined && 'value' in data && typeof data.value === 'number') return data.value + 1;
    throw new MeterRefusal(`${target.counterObject} has no counter; give --counter`);
  } finally {
    session.close();
  }
}

/** Opens an association with the meter. */
export async function openMeter(target: MeterTarget): Promise<MeterLink> {
  let counter = target.counter ?? (target.keys === undefined ? 0 : await nextCounterOf(target));
  const session = await openSession(target, target.clientSap);
  const { mechanism, ciphered, systemTitle, password, keys, maxPduSize, meterTitle } = target;
  const association = new ClientAssociation({
    mechanism,
    ciphered,
    systemTitle,
    ...(password === undefined ? {} : { password }),
    ...(keys === undefined ? {} : { keys }),
    cipher: nodeCipher,
    maxPduSize,
    nextCounter: () => counter++,
    peer: { counter: -1, ...(meterTitle === undefined ? {} : { systemTitle: meterTitle }) },
  });
  const run = <T>(exchange: Exchange<T>) => session.run(exchange);
  try {
    await run(association.open());
  } catch (error) {
    session.close();
    throw error;
  }
  return {
    association,
    run,
    async read(ref, selection) {
      const result = await run(association.get(ref, selection));
      if (result.ok) return result.data;
      throw new MeterRefusal(`${ref.classId}/${ref.instance}/${ref.attributeId}: ${kebab(result.result)}`);
    },
    async close() {
      try {
        if (association.state === 'associated') await run(association.release());
      } finally {
        session.close();
      }
    },
  };
}

/** Opens an association, runs `use`, and always releases it. */
export async function withMeter<T>(target: MeterTarget, use: (meter: MeterLink) => Promise<T>): Promise<T> {
  const meter = await openMeter(target);
  try {
    return await use(meter);
  } finally {
    await meter.close();
  }
}
