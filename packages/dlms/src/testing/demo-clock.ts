import { decode, encode } from '../codec/codec.ts';
import { dateTimeCodec, fromEpochMs, toEpochMs } from '../cosem/date-time.ts';
import { obis } from '../cosem/obis.ts';
import type { DescribedObject } from '../server/server-object.ts';
import { enumValue, octets, plainObject, unsigned } from './plain-object.ts';

const NO_CHANGE = 'FFFFFFFFFFFFFFFFFF800000';
const SHIFT_TIME = 6;
const TIME = 2;

/** A settable clock, stored as its offset from the system clock. */
export class DemoClock {
  readonly object: DescribedObject;
  readonly #now: () => number;
  #aheadMs = 0;

  constructor(now: () => number) {
    this.#now = now;
    const change = octets(Uint8Array.from({ length: 12 }, (_, i) => Number.parseInt(NO_CHANGE.slice(2 * i, 2 * i + 2), 16)));
    this.object = plainObject(
      [8, 0, obis('0.0.1.0.0.255')],
      {
        2: () => octets(encode(dateTimeCodec, fromEpochMs(this.now(), 0))),
        3: () => ({ type: 'long', value: 0 }),
        4: () => unsigned(0),
        5: () => change,
        6: () => change,
        7: () => ({ type: 'integer', value: 0 }),
        8: () => ({ type: 'boolean', value: false }),
        9: () => enumValue(1),
      },
      {
        writable: [TIME],
        methods: [SHIFT_TIME],
        write: (_attributeId, data) => {
          if (data.type !== 'octetString' && data.type !== 'dateTime') return 'typeUnmatched';
          const epochMs = toEpochMs(decode(dateTimeCodec, data.value), 0);
          if (epochMs === null) return 'otherReason';
          this.#aheadMs = epochMs - this.#now();
          return 'success';
        },
        invoke: (_methodId, argument) => {
          if (argument?.type !== 'long') return { result: 'typeUnmatched' };
          this.#aheadMs += argument.value * 1000;
          return { result: 'success' };
        },
      },
    );
  }

  /** Time shown by the clock, in epoch milliseconds. */
  now(): number {
    return this.#now() + this.#aheadMs;
  }
}
