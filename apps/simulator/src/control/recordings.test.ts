import { encode } from '@hes/dlms/codec/codec.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { getRequest, getResponse, type GetRequest, type GetResponse } from '@hes/dlms/xdlms/get.ts';
import { expect, it } from 'vitest';
import { createRecordings, type RecordedApdu } from './recordings.ts';

const invoke = { id: 1, confirmed: true, highPriority: true };
const attribute = (instance: string) => ({ classId: 1, instance: obis(instance), attributeId: 2 });
const down = (request: GetRequest): RecordedApdu => ({ direction: 'down', apdu: encode(getRequest, request) });
const up = (response: GetResponse): RecordedApdu => ({ direction: 'up', apdu: encode(getResponse, response) });
const octets = (...values: number[]) => Uint8Array.from(values);
const object = (instance: string) => ({ classId: 1, version: 0, instance: obis(instance), read: () => octets(0x11, 99) });

it('a device replays its recorded responses in order, with blocks reassembled, and no other object', () => {
  const recordings = createRecordings();
  const count = recordings.play('M1', [
    { direction: 'down', apdu: octets(0x60, 0) },
    down({ kind: 'normal', invoke, attribute: attribute('0.0.96.1.0.255'), selection: undefined }),
    up({ kind: 'normal', invoke, result: { ok: true, data: octets(0x11, 1) } }),
    down({ kind: 'normal', invoke, attribute: attribute('0.0.96.1.0.255'), selection: undefined }),
    up({ kind: 'normal', invoke, result: { ok: false, result: 'temporaryFailure' } }),
    down({ kind: 'normal', invoke, attribute: attribute('0.0.96.2.0.255'), selection: undefined }),
    up({ kind: 'withDatablock', invoke, lastBlock: false, blockNumber: 1, result: { ok: true, data: octets(0x12) } }),
    down({ kind: 'next', invoke, blockNumber: 1 }),
    up({ kind: 'withDatablock', invoke, lastBlock: true, blockNumber: 2, result: { ok: true, data: octets(3, 4) } }),
  ]);
  expect(count).toBe(3);
  const first = recordings.replayed('M1', object('0.0.96.1.0.255'));
  expect([first.read(2), first.read(2), first.read(2), first.read(3)]).toEqual([
    octets(0x11, 1),
    'temporaryFailure',
    'temporaryFailure',
    octets(0x11, 99),
  ]);
  expect(Uint8Array.from(recordings.replayed('M1', object('0.0.96.2.0.255')).read(2) as Uint8Array)).toEqual(octets(0x12, 3, 4)); // as: it was answered
  expect(recordings.replayed('M2', object('0.0.96.1.0.255')).read(2)).toEqual(octets(0x11, 99));
  recordings.stop();
  expect(recordings.replayed('M1', object('0.0.96.1.0.255')).read(2)).toEqual(octets(0x11, 99));
});
