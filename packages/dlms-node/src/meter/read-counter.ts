import { ClientAssociation } from '@hes/dlms/association/client.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import type { ClientSession } from '../client-session.ts';
import { nodeCipher } from '../node-cipher.ts';

/**
 * Reads the invocation counter of our key as the public client, over a session of that client, which is closed then; the next counter must
 * be higher. Undefined when the object holds no number or may not be read. Fails with `SessionError` and `AssociationError`.
 */
export async function readInvocationCounter(
  session: ClientSession,
  { systemTitle, maxPduSize, counterObject }: { systemTitle: Uint8Array; maxPduSize: number; counterObject: Obis },
): Promise<number | undefined> {
  try {
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
    const answer = await session.run(visitor.get(attributeRef({ cosemClass: data, instance: counterObject }, 'value')));
    await session.run(visitor.release());
    const value = answer.ok ? decode(dataCodec, answer.data) : undefined;
    return value !== undefined && 'value' in value && typeof value.value === 'number' ? value.value : undefined;
  } finally {
    session.close();
  }
}
