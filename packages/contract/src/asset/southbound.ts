import { z } from 'zod';
import { id } from '../core/page.ts';
import { isSpokenQuirks, refusalOf, SPOKEN } from './spoken.ts';
import { nameOf } from '../core/rules.ts';

/** Location of a value in the device. */
export const profileObject = z.object({
  classId: z.number().int().min(0).max(65_535),
  obis: z.string().regex(/^\d{1,3}(\.\d{1,3}){5}$/),
  attribute: z.number().int().min(-128).max(127),
  version: z.number().int().optional(),
  unit: z.number().int().optional(),
  /** Keys of the profile's columns. */
  captures: z.array(z.string().max(64)).readonly().optional(),
  /** Capacity of the profile in rows, for meters that do not report it. */
  entries: z.number().int().min(1).max(0xffff_ffff).optional(),
});
export type ProfileObject = z.infer<typeof profileObject>;

/** Objects and features of a device model; exported to and imported from files. */
export const profileBody = z.object({
  extends: z.string().max(64).optional(),
  /** Null: this profile lacks an object that its base profile has. */
  objects: z.record(z.string().max(64), profileObject.nullable()),
  quirks: z.record(z.string().max(64), z.unknown()),
  features: z.array(z.string().max(32)).optional(),
});

export const profileRow = z.object({
  id,
  key: z.string(),
  name: z.string(),
  isBuiltin: z.boolean(),
  /** Number of objects, including those of the base profiles. */
  objects: z.number().int(),
  features: z.array(z.string()),
});
export type ProfileRow = z.infer<typeof profileRow>;

/** A profile in a file is self-contained: it extends no other profile. */
export const profileFile = z.object({
  key: z.string().trim().min(1).max(64),
  name: nameOf(64),
  body: profileBody.refine(({ quirks }) => isSpokenQuirks(quirks), {
    path: ['quirks'],
    error: () => refusalOf(SPOKEN.profileQuirks, 'some')?.en,
  }),
});
