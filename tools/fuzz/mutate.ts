import type { Random } from './random.ts';

/** Maximum size of a frame in a stream. */
export const LARGEST_INPUT = 0x10000;
/** One input in this many is enlarged to the maximum size, because limits fail at their ends. */
const BLOW_UP_EVERY = 4096;
/** Significant octets: lengths, tags of Data, tags of APDUs. */
const INTERESTING = Uint8Array.of(
  0x00,
  0x01,
  0x02,
  0x04,
  0x06,
  0x09,
  0x0a,
  0x0c,
  0x0f,
  0x11,
  0x12,
  0x13,
  0x15,
  0x16,
  0x19,
  0x7e,
  0x7f,
  0x80,
  0x81,
  0x82,
  0x84,
  0x88,
  0xc0,
  0xc1,
  0xc3,
  0xc4,
  0xc8,
  0xd8,
  0xdb,
  0xe0,
  0xe6,
  0xfe,
  0xff,
  0x60,
  0x61,
);

type Mutation = (octets: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;

function joined(...pieces: Uint8Array[]): Uint8Array {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  const whole = new Uint8Array(Math.min(size, LARGEST_INPUT));
  let at = 0;
  for (const piece of pieces) {
    const left = whole.length - at;
    whole.set(piece.length > left ? piece.subarray(0, left) : piece, at);
    at += Math.min(piece.length, left);
  }
  return whole;
}

/** Changes one octet of a copy. */
const inPlace =
  (change: (octet: number, random: Random) => number): Mutation =>
  (octets, random) => {
    if (octets.length === 0) return octets;
    const at = random.below(octets.length);
    octets[at] = change(octets[at] ?? 0, random);
    return octets;
  };

const MUTATIONS: readonly Mutation[] = [
  inPlace((octet, random) => octet ^ (1 << random.below(8))),
  inPlace((_octet, random) => random.below(256)),
  inPlace((_octet, random) => INTERESTING[random.below(INTERESTING.length)] ?? 0),
  inPlace((octet, random) => octet + (random.below(2) === 0 ? 1 : -1)),
  (octets, random) => octets.slice(0, random.below(octets.length + 1)),
  (octets, random) => {
    const at = random.below(octets.length + 1);
    return joined(octets.subarray(0, at), octets.subarray(Math.min(octets.length, at + 1 + random.below(8))));
  },
  (octets, random) => {
    const at = random.below(octets.length + 1);
    const inserted = Uint8Array.from({ length: 1 + random.below(4) }, () => INTERESTING[random.below(INTERESTING.length)] ?? 0);
    return joined(octets.subarray(0, at), inserted, octets.subarray(at));
  },
  (octets, random) => {
    const from = random.below(octets.length + 1);
    const piece = octets.subarray(from, from + 1 + random.below(32));
    const at = random.below(octets.length + 1);
    return joined(octets.subarray(0, at), piece, octets.subarray(at));
  },
  (octets, random, other) => joined(octets.subarray(0, random.below(octets.length + 1)), other.subarray(random.below(other.length + 1))),
];

/** An input of the maximum size: the beginning of another one, followed by repeated octets of it. */
export function blowUp(octets: Uint8Array, random: Random): Uint8Array {
  if (octets.length === 0) return octets;
  const from = random.below(octets.length);
  const piece = octets.slice(from, from + 1 + random.below(16));
  const whole = new Uint8Array(LARGEST_INPUT);
  whole.set(octets.subarray(0, from));
  for (let at = from; at < whole.length; at += piece.length) whole.set(piece.subarray(0, whole.length - at), at);
  return whole;
}

/** A copy of a corpus input with one to four mutations. */
export function mutate(corpus: readonly Uint8Array[], random: Random): Uint8Array {
  let octets: Uint8Array = random.pick(corpus).slice();
  const count = 1 + random.below(4);
  for (let i = 0; i < count; i++) octets = random.pick(MUTATIONS)(octets, random, random.pick(corpus));
  return random.below(BLOW_UP_EVERY) === 0 ? blowUp(octets, random) : octets;
}
