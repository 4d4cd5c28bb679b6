import { z } from 'zod';
import { nameOf, RULES } from '../core/rules.ts';

/** An empty field is nothing, not an empty text. */
export const optionalText = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .default(null);

export const name = nameOf(64);

/** Codes are kept in upper case: `t-01` and `T-01` are one. */
export const typeCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9._-]{1,32}$/, RULES.typeCode.en);

export const longitude = z.number().min(-180, RULES.longitude.en).max(180, RULES.longitude.en).nullable().default(null);
export const latitude = z.number().min(-90, RULES.latitude.en).max(90, RULES.latitude.en).nullable().default(null);

/** Half a position is none. */
export const hasWholePosition = (place: { longitude: number | null; latitude: number | null }): boolean =>
  (place.longitude === null) === (place.latitude === null);
export const WHOLE_POSITION = { path: ['latitude'], message: RULES.position.en };

/** ISO 3166 of two letters. */
export const country = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{2}$/)
  .or(z.literal('').transform(() => null))
  .nullable()
  .default(null);

/** Each choice once, at least one. */
export const someOf = <const T extends readonly string[]>(words: T) =>
  z
    .array(z.enum(words))
    .min(1, RULES.selectOne.en)
    .transform((chosen) => [...new Set(chosen)]);

/** Shorter prefixes would let in a large part of the internet. */
const MIN_PREFIX = { v4: 8, v6: 32 };
const prefixOf = (range: string): number => Number(range.split('/')[1] ?? Number.POSITIVE_INFINITY);

/** One address, or a network with its prefix length. */
const addressRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine((range) => prefixOf(range) >= (range.includes(':') ? MIN_PREFIX.v6 : MIN_PREFIX.v4), RULES.addressRange.en);
export const addressRanges = z.array(addressRange).max(32);
