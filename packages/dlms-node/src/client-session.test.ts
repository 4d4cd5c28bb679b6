import { expect, it } from 'vitest';
import type { Exchange } from '@hes/dlms/association/exchange.ts';
import type { ApduCarrier } from './apdu-carrier.ts';
import { ClientSession } from './client-session.ts';

/** A peer that echoes each APDU on request. */
function echo() {
  const sent: number[] = [];
  let hear: (apdu: Uint8Array) => void = () => {};
  let end: (why: string) => void = () => {};
  const carrier: ApduCarrier = {
    send: (apdu) => void sent.push(apdu[0] ?? 0),
    onApdu: (listener) => (hear = listener),
    onClose: (listener) => (end = listener),
    close: () => end('closed'),
  };
  return { carrier, sent, answer: (octet: number) => hear(Uint8Array.of(octet)), close: () => carrier.close() };
}

function* asking(...octets: number[]): Exchange<number[]> {
  const heard: number[] = [];
  for (const octet of octets) heard.push((yield Uint8Array.of(octet))[0] ?? 0);
  return heard;
}

function* failing(): Exchange<number[]> {
  yield* asking();
  throw new Error('not like this');
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('concurrent exchanges run one at a time, each with its responses', async () => {
  const { carrier, sent, answer } = echo();
  const session = new ClientSession(carrier);
  const both = Promise.all([session.run(asking(1, 2)), session.run(asking(3))]);
  await turn();
  expect(sent).toEqual([1]);
  answer(11);
  await turn();
  expect(sent).toEqual([1, 2]);
  answer(12);
  await turn();
  expect(sent).toEqual([1, 2, 3]);
  answer(13);
  expect(await both).toEqual([[11, 12], [13]]);
});

it('a failed exchange does not affect later ones', async () => {
  const { carrier, answer } = echo();
  const session = new ClientSession(carrier, { timeoutMs: 5000 });
  const [first, second] = [session.run(failing()), session.run(asking(1))];
  await expect(first).rejects.toThrow('not like this');
  await turn();
  answer(9);
  expect(await second).toEqual([9]);
});

it('a lost connection fails every waiting exchange', async () => {
  const { carrier, close } = echo();
  const session = new ClientSession(carrier);
  const all = Promise.allSettled([session.run(asking(1)), session.run(asking(2)), session.run(asking(3))]);
  await turn();
  close();
  expect((await all).map((one) => one.status === 'rejected' && one.reason)).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ code: 'CLOSED' })),
  );
});

it('a peer that never responded is distinguished from a late one', async () => {
  const { carrier, answer } = echo();
  const session = new ClientSession(carrier, { timeoutMs: 1 });
  await expect(session.run(asking(1))).rejects.toThrow(/are client and server SAP right, and is the framing/);
  answer(1);
  await expect(session.run(asking(1, 2))).rejects.toThrow(/^no answer within 1 ms$/);
});
