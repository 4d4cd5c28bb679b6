import { z } from 'zod';
import { LEVEL_EXAMPLE } from '../examples.ts';
import { id, idParams, instant, listOf } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import type { Text } from '../core/text.ts';
import { hasWholePosition, latitude, longitude, name, optionalText, WHOLE_POSITION } from './fields.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const LEVEL_TYPES = ['company', 'region', 'district', 'substation', 'feeder', 'other'] as const;
export const levelType = z.enum(LEVEL_TYPES);
export type LevelType = z.infer<typeof levelType>;

export const LEVEL_TYPE_TEXT: Record<LevelType, Text> = {
  company: { en: 'Company', zh: '公司' },
  region: { en: 'Region', zh: '地区' },
  district: { en: 'District', zh: '区县' },
  substation: { en: 'Substation', zh: '变电站' },
  feeder: { en: 'Feeder', zh: '馈线' },
  other: { en: 'Other', zh: '其他' },
};

export const MAX_LEVEL_DEPTH = 8;

/** Usual type of the levels below a level of this type. */
export const typeBelow = (type: LevelType): LevelType => LEVEL_TYPES[LEVEL_TYPES.indexOf(type) + 1] ?? 'other';

export const levelRow = z.object({
  id,
  parentId: id.nullable(),
  parentCode: z.string().nullable(),
  name: z.string(),
  code: z.string(),
  type: levelType,
  sort: z.number().int(),
  /** Depth in the tree; 1 is the top. */
  depth: z.number().int(),
  longitude: z.number().nullable(),
  latitude: z.number().nullable(),
  note: z.string().nullable(),
  /** Counts include all levels below. */
  transformers: z.number().int(),
  dcus: z.number().int(),
  dcusOnline: z.number().int(),
  meters: z.number().int(),
  /** Whether the level lies in the caller's network area; ancestors of the area are listed as its path. */
  isWithin: z.boolean(),
  updatedAt: instant,
  version: z.number().int(),
});
export type LevelRow = z.infer<typeof levelRow>;

const fields = z.object({
  name,
  code: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z0-9-]{1,32}$/, RULES.levelCode.en),
  type: levelType,
  sort: z.number().int().min(0).max(9999).optional(),
  longitude,
  latitude,
  note: optionalText(256),
});
export const newLevel = fields.extend({ parentId: id.nullable() }).refine(hasWholePosition, WHOLE_POSITION);
export const levelChange = fields.extend({ version: z.number().int() }).refine(hasWholePosition, WHOLE_POSITION);

const page = PAGE_PATH.network;

export const level = {
  list: route({
    method: 'GET',
    path: '/asset/level',
    summary: 'Levels of the network that the caller may see, parents before children',
    allow: { page, action: 'view' },
    v1: {
      description: 'Lists the levels of the network in your area, such as districts and feeders. A transformer belongs to one of them.',
      example: { response: { items: [LEVEL_EXAMPLE] } },
    },
    response: listOf(levelRow),
  }),
  create: route({
    method: 'POST',
    path: '/asset/level',
    summary: 'Add a level at the top or below another level',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: newLevel,
    response: levelRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS', 'LEVEL_DEPTH'],
  }),
  update: route({
    method: 'PUT',
    path: '/asset/level/{id}',
    summary: 'Change a level',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: levelChange,
    response: levelRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE'],
  }),
  move: route({
    method: 'PUT',
    path: '/asset/level/{id}/move',
    summary: 'Move a level with its subtree below another level, before one of its siblings or last',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ parentId: id.nullable(), beforeId: id.nullable().default(null), version: z.number().int() }),
    response: levelRow,
    errors: ['NOT_FOUND', 'STALE', 'DUPLICATE', 'UNKNOWN_REFERENCE', 'BEYOND_OWN_RIGHTS', 'LEVEL_CYCLE', 'LEVEL_DEPTH'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/asset/level/{id}',
    summary: 'Delete an empty level',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'NOT_EMPTY', 'IN_USE'],
  }),
};
