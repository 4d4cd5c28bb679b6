import fc, { type Arbitrary } from 'fast-check';
import type { HdlcAddress } from '../../src/framing/hdlc/address.ts';
import type { HdlcControl } from '../../src/framing/hdlc/control.ts';
import type { HdlcFrame } from '../../src/framing/hdlc/frame.ts';

const part = (bits: number): Arbitrary<number> => fc.integer({ min: 0, max: 2 ** bits - 1 });

export const anyAddress: Arbitrary<HdlcAddress> = fc.oneof(
  fc.record({ upper: part(7), size: fc.constant(1 as const) }),
  fc.record({ upper: part(7), lower: part(7), size: fc.constant(2 as const) }),
  fc.record({ upper: part(14), lower: part(14), size: fc.constant(4 as const) }),
);

const sequence = part(3);
const pollFinal = fc.boolean();

export const anyControl: Arbitrary<HdlcControl> = fc.oneof(
  fc.record({ kind: fc.constant('i' as const), sendSequence: sequence, receiveSequence: sequence, pollFinal }),
  fc.record({ kind: fc.constantFrom('rr' as const, 'rnr' as const), receiveSequence: sequence, pollFinal }),
  fc.record({ kind: fc.constantFrom('snrm', 'disc', 'ua', 'dm', 'frmr', 'ui'), pollFinal }),
);

export const anyFrame: Arbitrary<HdlcFrame> = fc.record({
  destination: anyAddress,
  source: anyAddress,
  control: anyControl,
  segmented: fc.boolean(),
  information: fc.uint8Array({ maxLength: 300 }),
});
