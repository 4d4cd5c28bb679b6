import { objectKey, type ClientRule, type LogicalDeviceOptions } from '@hes/dlms/association/server-options.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { DescribedObject } from '@hes/dlms/server/server-object.ts';
import { demoProfile } from '@hes/dlms/testing/demo-profile.ts';
import { doubleLongUnsigned, octets, plainObject, text } from '@hes/dlms/testing/plain-object.ts';
import { nodeCipher } from '../../src/node-cipher.ts';

export const OUR_TITLE = fromHex('4845534D00000002');

/** An octet string that a client may replace. */
function notes(instance: string): DescribedObject {
  let value: Data = octets(new Uint8Array(0));
  return plainObject(
    [1, 0, obis(instance)],
    { 2: () => value },
    {
      writable: [2],
      methods: [1],
      write: (_attributeId, data) => {
        value = data;
        return 'success';
      },
      // Returns its argument.
      invoke: (_methodId, argument) => ({ result: 'success', ...(argument === undefined ? {} : { data: encode(dataCodec, argument) }) }),
    },
  );
}

/** A clock whose time zone a client may set, which is allowed under the broadcast key. */
function clock(): DescribedObject {
  let zone: Data = { type: 'long', value: 0 };
  const write = (_attributeId: number, data: Data) => {
    zone = data;
    return 'success' as const;
  };
  return plainObject([8, 0, obis('0.0.1.0.0.255')], { 3: () => zone }, { writable: [3], write });
}

function relay(): DescribedObject {
  let isConnected = true;
  return plainObject(
    [70, 0, obis('0.0.96.3.10.255')],
    { 2: () => ({ type: 'boolean', value: isConnected }) },
    {
      methods: [1, 2],
      invoke: (methodId) => {
        isConnected = methodId === 2;
        return { result: 'success' };
      },
    },
  );
}

/** Our meter with keys and rules of a test. Each connection gets a separate logical device over shared objects and counters. */
export function ourMeter(
  options: Pick<LogicalDeviceOptions, 'keys' | 'suite' | 'privateKey' | 'generalCiphering' | 'generalBlockTransfer'> & {
    rules: readonly [number, ClientRule][];
    now: number;
  },
): () => LogicalDevice {
  const { rules, now, ...device } = options;
  const accepted = new Map<string, number>();
  let sent = 0;
  const objects = [
    plainObject([1, 0, obis('0.0.42.0.0.255')], { 2: () => text('HES0000000000002') }),
    plainObject([3, 0, obis('1.0.1.8.0.255')], { 2: () => doubleLongUnsigned(5009) }),
    notes('0.0.96.1.1.255'),
    notes('0.0.96.1.2.255'),
    demoProfile(now, 1),
    relay(),
    clock(),
  ];
  return () =>
    new LogicalDevice({
      objects: new Map(objects.map((object) => [objectKey(object.classId, object.instance), object])),
      systemTitle: OUR_TITLE,
      cipher: nodeCipher,
      rules: new Map(rules),
      maxPduSize: 1024,
      counters: {
        next: () => sent++,
        last: (title) => accepted.get(toHex(title)) ?? -1,
        accept: (title, counter) => void accepted.set(toHex(title), counter),
      },
      ...device,
    });
}
