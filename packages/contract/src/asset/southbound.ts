import { z } from 'zod';
import { id } from '../core/page.ts';
import { DCU_ADAPTERS, DCU_PART_NAMES } from './dcu-part.ts';
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

const number = z.number().int();
const fieldName = z.string().regex(/^[a-z][A-Za-z0-9]{0,63}$/);
const arrayShape = z.object({
  /** Number of the array in the array manager. */
  id: number.min(0).max(255),
  fields: z
    .array(
      z.object({
        name: fieldName,
        /** Type of Data on the wire: `long-unsigned`, `octet-string`. */
        type: z.string().max(32),
        /** Numbers of the words of a choice. */
        values: z.record(z.string().max(32), number.min(-0x8000_0000).max(0xffff_ffff)).optional(),
      }),
    )
    .max(64),
});

/** Arrays and scripts of a DCU model: order and types of the fields, and numbers. The server compares the names with those it knows. */
export const profileShapes = z.object({
  arrays: z.record(z.string().max(32), arrayShape),
  scripts: z.record(z.string().max(64), number.min(0).max(0xffff)),
});
export type ProfileShapes = z.infer<typeof profileShapes>;

/** Objects and features of a device model; exported to and imported from files. */
export const profileBody = z.object({
  extends: z.string().max(64).optional(),
  /** Null: this profile lacks an object that its base profile has. */
  objects: z.record(z.string().max(64), profileObject.nullable()),
  quirks: z.record(z.string().max(64), z.unknown()),
  features: z.array(z.string().max(32)).optional(),
  /** How the head-end speaks to a DCU; default: `dlms`. */
  adapter: z.enum(DCU_ADAPTERS).optional(),
  /** Default: those of the reference profile. */
  shapes: profileShapes.optional(),
  /** Parameters of a DCU; default: those of the reference profile. */
  parameters: z.enum(['reference', 'none']).optional(),
});
export type ProfileBody = z.infer<typeof profileBody>;

export const profileRow = z.object({
  id,
  key: z.string(),
  name: z.string(),
  isBuiltin: z.boolean(),
  /** Number of objects, including those of the base profiles. */
  objects: z.number().int(),
  features: z.array(z.string()),
  /** What a DCU with this profile has besides forwarding. */
  parts: z.array(z.enum(DCU_PART_NAMES)),
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
