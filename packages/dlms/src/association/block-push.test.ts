import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VECTORS } from '../../test/support/vectors.ts';
import { fromHex } from '../codec/hex.ts';
import type { GeneralBlockTransfer } from '../xdlms/general-block-transfer.ts';
import { PushReceiver, type PushStep } from './block-push.ts';
import { BlockSender, readBlock, unconfirmedBlocks } from './block-stream.ts';

const octets = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => i % 251);

describe('an unsolicited APDU', () => {
  const apdu = octets(1000);
  const receiver = () => new PushReceiver({ maxOctets: 4096, window: 5 });
  const unconfirmed = unconfirmedBlocks(apdu, 128).map(readBlock);
  /** The blocks that a sender sends after this acknowledgement. */
  const heard = (window: number, acknowledged = 0) =>
    new BlockSender(apdu, { maxPduSize: 128, window: 2 }).after(acknowledged, window, 0).map(readBlock);
  const takeAll = (by: PushReceiver, blocks: GeneralBlockTransfer[]) => blocks.map((block) => by.take(block)).at(-1);
  const ackOf = (step: PushStep | undefined) => (step?.kind === 'dropped' || step?.reply === undefined ? undefined : readBlock(step.reply));

  it('is sent without blocks when it fits', () => {
    expect(unconfirmedBlocks(apdu, 2000)).toEqual([apdu]);
  });

  it('announces window 0 for unacknowledged blocks, as meters in the field do', () => {
    expect(unconfirmed).toHaveLength(9);
    for (const { control, blockNumber, blockNumberAck } of unconfirmed)
      expect([control.window, control.streaming, control.lastBlock, blockNumberAck]).toEqual([0, true, blockNumber === 9, 0]);
  });

  it('is reassembled, and a repeated block is ignored', () => {
    expect(takeAll(receiver(), [...unconfirmed.slice(0, 3), ...unconfirmed.slice(2)])).toEqual({ kind: 'whole', apdu, reply: undefined });
  });

  it('is dropped for a missing block when its sender accepts no acknowledgements', () => {
    const by = receiver();
    takeAll(by, unconfirmed.slice(0, 4));
    expect(by.take(unconfirmed[5] as GeneralBlockTransfer)).toEqual({ kind: 'dropped', why: 'BLOCK_MISSING' });
  });

  it('is acknowledged at the end of each window with rising block numbers, and answered in the next block', () => {
    const by = receiver();
    const ends = [0, 3, 6].map((acknowledged) => takeAll(by, heard(3, acknowledged)));
    expect(ends.map(ackOf)).toMatchObject([
      { blockNumber: 1, blockNumberAck: 3, control: { lastBlock: true, streaming: false, window: 5 }, data: { length: 0 } },
      { blockNumber: 2, blockNumberAck: 6 },
      { blockNumber: 3, blockNumberAck: 9 },
    ]);
    expect(ends.at(-1)).toMatchObject({ kind: 'whole', apdu });
    expect(readBlock(by.answer(Uint8Array.of(0x10)))).toMatchObject({ blockNumber: 4, blockNumberAck: 9, data: Uint8Array.of(0x10) });
  });

  it('is requested again from a lost block on, and with window 0 the response is sent without blocks', () => {
    const by = receiver();
    expect(ackOf(takeAll(by, heard(4).toSpliced(1, 1)))).toMatchObject({ blockNumberAck: 1 });
    expect(takeAll(by, heard(9, 1))).toMatchObject({ kind: 'whole', apdu });
    const other = receiver();
    takeAll(other, unconfirmed);
    expect(other.answer(Uint8Array.of(0x10))).toEqual(Uint8Array.of(0x10));
  });

  it('whose last block is repeated is acknowledged again', () => {
    const by = receiver();
    takeAll(by, heard(9));
    expect(ackOf(by.take(heard(9).at(-1) as GeneralBlockTransfer))).toMatchObject({ blockNumber: 2, blockNumberAck: 9 });
  });

  it('is dropped after too many repeated blocks or too many octets', () => {
    const by = receiver();
    const [first] = heard(9) as [GeneralBlockTransfer];
    const steps = Array.from({ length: 200 }, () => by.take(first));
    expect(steps.findIndex(({ kind }) => kind === 'dropped')).toBe(190);
    expect(steps[190]).toEqual({ kind: 'dropped', why: 'BLOCKS_REPEATED' });
    expect(takeAll(new PushReceiver({ maxOctets: 200, window: 1 }), unconfirmed.slice(0, 2))).toEqual({
      kind: 'dropped',
      why: 'BLOCKS_TOO_LONG',
    });
  });

  it('of a real meter is reassembled', () => {
    const hexOf = (name: string) => fromHex(VECTORS.find((vector) => vector.name === name)?.hex ?? '');
    const blocks = [1, 2, 3].map((number) => readBlock(hexOf(`push-lg-e450-gbt-block${number}`)));
    expect(takeAll(receiver(), blocks)).toEqual({ kind: 'whole', apdu: hexOf('push-lg-e450'), reply: undefined });
  });

  it('made of noise is refused, dropped or awaited, and stays within the limit', () => {
    const numbered = fc.record({
      window: fc.nat(2),
      lastBlock: fc.boolean(),
      streaming: fc.boolean(),
      blockNumber: fc.nat(5),
      data: fc.uint8Array(),
    });
    fc.assert(
      fc.property(fc.array(numbered), (all) => {
        const by = new PushReceiver({ maxOctets: 20, window: 1 });
        for (const { window, lastBlock, streaming, blockNumber, data } of all) {
          const step = by.take({ control: { window, lastBlock, streaming }, blockNumber, blockNumberAck: 0, data });
          if (step.kind === 'whole') expect(step.apdu.length).toBeLessThanOrEqual(20);
        }
      }),
    );
  });

  it('is distinguished from another by its first block', () => {
    const by = receiver();
    const [first, second] = unconfirmed as [GeneralBlockTransfer, GeneralBlockTransfer];
    expect([by.expects(first), by.expects(second)]).toEqual([true, false]);
    takeAll(by, [first, second]);
    expect([by.isAnother(first), by.isAnother({ ...first, data: octets(5) }), by.isAnother(second)]).toEqual([false, true, false]);
  });
});
