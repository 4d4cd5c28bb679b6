import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientAssociation } from '@hes/dlms/association/client.ts';
import type { ClientOptions } from '@hes/dlms/association/client-options.ts';
import type { ShortNamedObject } from '@hes/dlms/catalogue/short-names.ts';
import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { entrySelection } from '@hes/dlms/cosem/selective-access.ts';
import { connectSession, type ClientSession } from '../../src/client-session.ts';
import { nodeCipher } from '../../src/node-cipher.ts';
import { javaStack, reportMissing } from './tools.ts';

const INSTALL_MS = 300_000;
const ENERGY = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };
const RELAY = { classId: 70, instance: obis('0.0.96.3.10.255') };
const PROFILE = { classId: 7, instance: obis('1.0.99.1.0.255'), attributeId: 2 };
const MISSING = { ...ENERGY, instance: obis('1.0.99.99.99.255') };

const octets = (data: Data): Uint8Array => encode(dataCodec, data);
const number = (value: number): Uint8Array => octets({ type: 'doubleLongUnsigned', value });
const INTEGER_0 = octets({ type: 'integer', value: 0 });

const java = await javaStack('jdlms', path.join(import.meta.dirname, 'JdlmsShortNameMeter.java'));
reportMissing([java]);

describe.skipIf('missing' in java)('our client and a meter of jDLMS with short names', { timeout: 30_000 }, () => {
  let meter: ChildProcess;
  let port = 0;
  let session: ClientSession | undefined;

  beforeAll(async () => {
    if ('missing' in java) return;
    meter = spawn('java', ['-cp', java.classPath, 'JdlmsShortNameMeter'], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (meter.stdout === null) throw new Error('The meter has no output');
    const [line] = (await once(createInterface({ input: meter.stdout }), 'line')) as [string]; // as: the event's arguments
    port = Number(line);
  }, INSTALL_MS);
  afterEach(() => session?.close());
  afterAll(() => void meter.stdin?.end());

  async function opened(clientSap: number, options: Pick<ClientOptions, 'mechanism' | 'ciphered'> & Partial<ClientOptions>) {
    const talking = await connectSession({ host: '127.0.0.1', port, clientSap, serverSap: 1 });
    session = talking;
    const association = new ClientAssociation({
      systemTitle: fromHex('4D4D4D0000000001'),
      password: new TextEncoder().encode('12345678'),
      cipher: nodeCipher,
      maxPduSize: 1024,
      nextCounter: () => 0,
      peer: { counter: -1 },
      shortNames: {},
      ...options,
    });
    await talking.run(association.open());
    return { association, run: talking.run.bind(talking) };
  }

  const WAYS = [
    ['without security', 16, { mechanism: 'none', ciphered: false }],
    ['with a password', 3, { mechanism: 'low', ciphered: false }],
  ] as const;

  describe.each(WAYS)('%s', (_, clientSap, options) => {
    it('reads, alone and by list, writes, and is released', async () => {
      const { association, run } = await opened(clientSap, options);
      expect(await run(association.set(ENERGY, number(5010)))).toEqual({ ok: true });
      expect(await run(association.getList([ENERGY, MISSING, { ...ENERGY, attributeId: 1 }]))).toEqual([
        { ok: true, data: number(5010) },
        { ok: false, result: 'objectUndefined' },
        { ok: true, data: octets({ type: 'octetString', value: fromHex('0100010800FF') }) },
      ]);
      // This server serves methods by READ only, that of Gurux by WRITE only; without a return value our client uses WRITE.
      expect(await run(association.invoke({ ...RELAY, methodId: 1 }, INTEGER_0))).toEqual({ ok: false, result: 'objectUndefined' });
      await run(association.release());
    });

    it('selects rows of a profile', async () => {
      const { association, run } = await opened(clientSap, options);
      const some = await run(association.get(PROFILE, entrySelection({ fromEntry: 3, toEntry: 6 })));
      const rows = some.ok ? decode(dataCodec, some.data) : undefined;
      expect(rows?.type === 'array' && rows.value).toEqual(
        [1002, 1003, 1004, 1005].map((value) => ({ type: 'structure', value: [{ type: 'doubleLongUnsigned', value }] })),
      );
    });

    it('uses the object list of an earlier association', async () => {
      const learnt: ShortNamedObject[] = [];
      const first = await opened(clientSap, { ...options, shortNames: { onLearnt: (objects) => void learnt.push(...objects) } });
      await first.run(first.association.get(ENERGY));
      session?.close();
      expect(learnt).toContainEqual({ baseName: 0x9000, classId: 70, version: 0, instance: RELAY.instance });
      const onLearnt = () => {
        throw new Error('The list was read again');
      };
      const { association, run } = await opened(clientSap, { ...options, shortNames: { known: learnt, onLearnt } });
      expect(await run(association.get(ENERGY))).toMatchObject({ ok: true });
    });
  });
});
