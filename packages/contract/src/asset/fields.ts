import { z } from 'zod';
import { nameOf, RULES } from '../core/rules.ts';

/** Optional text: an empty field becomes null. */
export const optionalText = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .default(null);

export const name = nameOf(64);

/** Codes are stored in upper case: `t-01` and `T-01` are the same code. */
export const typeCode = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9._-]{1,32}$/, RULES.typeCode.en);

export const longitude = z.number().min(-180, RULES.longitude.en).max(180, RULES.longitude.en).nullable().default(null);
export const latitude = z.number().min(-90, RULES.latitude.en).max(90, RULES.latitude.en).nullable().default(null);

/** Longitude and latitude are either both set or both null. */
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

/** A non-empty list without duplicates. */
export const someOf = <const T extends readonly string[]>(words: T) =>
  z
    .array(z.enum(words))
    .min(1, RULES.selectOne.en)
    .transform((chosen) => [...new Set(chosen)]);

/** Minimum prefix length; shorter prefixes would admit a large part of the internet. */
const MIN_PREFIX = { v4: 8, v6: 32 };
const prefixOf = (range: string): number => Number(range.split('/')[1] ?? Number.POSITIVE_INFINITY);

/** An IP address, or a network in CIDR notation. */
const addressRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine((range) => prefixOf(range) >= (range.includes(':') ? MIN_PREFIX.v6 : MIN_PREFIX.v4), RULES.addressRange.en);
export const addressRanges = z.array(addressRange).max(32);
