import { ClientAssociation, type AttributeRef } from '@hes/dlms/association/client.ts';
import type { Exchange } from '@hes/dlms/association/exchange.ts';
import { PUBLIC_CLIENT_SAP } from '@hes/dlms/association/server-options.ts';
import type { Selection } from '@hes/dlms/cosem/selective-access.ts';
import { connectSession, type ClientSession } from '../client-session.ts';
import { readInvocationCounter } from '../meter/read-counter.ts';
import { nodeCipher } from '../node-cipher.ts';
import { kebab } from './data-shape.ts';
import type { MeterTarget } from './meter-options.ts';

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

/** The invocation counter that follows the one of the meter. */
async function nextCounterOf(target: MeterTarget): Promise<number> {
  const last = await readInvocationCounter(await openSession(target, PUBLIC_CLIENT_SAP), target);
  if (last === undefined) throw new MeterRefusal(`${target.counterObject} has no counter; give --counter`);
  return last + 1;
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
