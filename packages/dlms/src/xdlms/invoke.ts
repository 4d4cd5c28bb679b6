import { mapped, uint32, uint8, type Codec } from '../codec/codec.ts';

/** Pairs a response with its request. */
export interface Invoke {
  /** 0 to 15; changes with every request, which identifies late responses. */
  id: number;
  confirmed: boolean;
  highPriority: boolean;
}

const CONFIRMED = 0x40;
const HIGH_PRIORITY = 0x80;

/** Decodes the invoke-id-and-priority octet. */
export const invokeOf = (raw: number): Invoke => ({
  id: raw & 0x0f,
  confirmed: (raw & CONFIRMED) !== 0,
  highPriority: (raw & HIGH_PRIORITY) !== 0,
});

/**
 * ```asn1
 * Invoke-Id-And-Priority ::= Unsigned8   -- bits 0-3 invoke-id, 6 service-class (confirmed), 7 priority (high)
 * ```
 * @spec GB 9.5
 */
export const invokeIdAndPriority: Codec<Invoke> = mapped(
  uint8,
  invokeOf,
  (value) => (value.id & 0x0f) | (value.confirmed ? CONFIRMED : 0) | (value.highPriority ? HIGH_PRIORITY : 0),
);

/** Pairs a response with its request in services with long invoke ids: push and ACCESS. */
export interface LongInvoke {
  /** 0 to 16 777 215. */
  id: number;
  selfDescriptive: boolean;
  breakOnError: boolean;
  confirmed: boolean;
  highPriority: boolean;
}

const ID_MASK = 0x00ff_ffff;
const FLAG_BITS = { selfDescriptive: 28, breakOnError: 29, confirmed: 30, highPriority: 31 } as const;

/**
 * ```asn1
 * Long-Invoke-Id-And-Priority ::= Unsigned32
 *   -- bits 0-23 invoke-id, 28 self-descriptive, 29 break on error, 30 service-class (confirmed), 31 priority (high)
 * ```
 * @spec GB 9.5
 */
export const longInvokeIdAndPriority: Codec<LongInvoke> = mapped(
  uint32,
  (raw) => ({
    id: raw & ID_MASK,
    selfDescriptive: ((raw >>> FLAG_BITS.selfDescriptive) & 1) === 1,
    breakOnError: ((raw >>> FLAG_BITS.breakOnError) & 1) === 1,
    confirmed: ((raw >>> FLAG_BITS.confirmed) & 1) === 1,
    highPriority: ((raw >>> FLAG_BITS.highPriority) & 1) === 1,
  }),
  (value) => {
    let raw = value.id & ID_MASK;
    for (const [name, bit] of Object.entries(FLAG_BITS)) if (value[name as keyof typeof FLAG_BITS]) raw |= 1 << bit; // as: entries() widens the keys
    return raw >>> 0;
  },
);
