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

it('exchanges that are begun at once run one after the other, each with its own answers', async () => {
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

it('an exchange that fails does not fail those after it', async () => {
  const { carrier, answer } = echo();
  const session = new ClientSession(carrier, { timeoutMs: 5000 });
  const [first, second] = [session.run(failing()), session.run(asking(1))];
  await expect(first).rejects.toThrow('not like this');
  await turn();
  answer(9);
  expect(await second).toEqual([9]);
});

it('a peer that is gone fails every exchange that waits', async () => {
  const { carrier, close } = echo();
  const session = new ClientSession(carrier);
  const all = Promise.allSettled([session.run(asking(1)), session.run(asking(2)), session.run(asking(3))]);
  await turn();
  close();
  expect((await all).map((one) => one.status === 'rejected' && one.reason)).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ code: 'CLOSED' })),
  );
});

it('a peer that has never answered is told from one that is late', async () => {
  const { carrier, answer } = echo();
  const session = new ClientSession(carrier, { timeoutMs: 1 });
  await expect(session.run(asking(1))).rejects.toThrow(/are client and server SAP right, and is the framing/);
  answer(1);
  await expect(session.run(asking(1, 2))).rejects.toThrow(/^no answer within 1 ms$/);
});
