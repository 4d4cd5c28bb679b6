import { z } from 'zod';
import { TRANSFORMER_EXAMPLE, pageOfOne } from '../examples.ts';
import { csv, cursoredPageOf, cursorQuery, day, id, idParams, instant, listOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { RULES } from '../core/rules.ts';
import { dcuOnlineStatus } from '../states/device.ts';
import { hasWholePosition, latitude, longitude, name, optionalText, WHOLE_POSITION } from './fields.ts';
import { nodeKey } from './tree.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** State of the row in the list. */
export const TRANSFORMER_STATES = ['no_dcu', 'all_online', 'some_offline', 'unknown'] as const;
export const transformerState = z.enum(TRANSFORMER_STATES);
export type TransformerState = z.infer<typeof transformerState>;

export const transformerRow = z.object({
  id,
  code: z.string(),
  name: z.string(),
  address: z.string().nullable(),
  /** Positive east, negative west. @spec seed §3 */
  longitude: z.number().nullable(),
  /** Positive north, negative south. @spec seed §3 */
  latitude: z.number().nullable(),
  levelId: id,
  levelName: z.string(),
  /** Name of the nearest feeder above the transformer; null: none. */
  feederName: z.string().nullable(),
  capacityKva: z.number().nullable(),
  ctRatio: z.number(),
  ptRatio: z.number(),
  publicOrPrivate: z.enum(['public', 'private']),
  note: z.string().nullable(),
  dcus: z.number().int(),
  dcusOnline: z.number().int(),
  meters: z.number().int(),
  masterMeterId: id.nullable(),
  masterMeterSn: z.string().nullable(),
  /** Newest day with a known balance; null: there is none. */
  lastLossPercent: z.number().nullable(),
  lastLossDay: day.nullable(),
  state: transformerState,
  updatedAt: instant,
  version: z.number().int(),
});
export type TransformerRow = z.infer<typeof transformerRow>;

const code = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9._-]{1,32}$/, RULES.typeCode.en);

const fields = z.object({
  name,
  /** Code of the transformer; if empty, the next free number is assigned. */
  code: code.or(z.literal('').transform(() => undefined)).optional(),
  address: optionalText(128),
  longitude,
  latitude,
  levelId: id,
  capacityKva: z.number().min(1).max(10_000).nullable().default(400),
  ctRatio: z.number().positive(RULES.ratio.en).max(99_999).default(1),
  ptRatio: z.number().positive(RULES.ratio.en).max(99_999).default(1),
  publicOrPrivate: z.enum(['public', 'private']).default('public'),
  note: optionalText(256),
});
export const newTransformer = fields.refine(hasWholePosition, WHOLE_POSITION);
/** A transformer as another system knows it: by its code. */
export const namedTransformer = fields.extend({ code }).refine(hasWholePosition, WHOLE_POSITION);
export const transformerChange = fields.extend({ version: z.number().int() }).refine(hasWholePosition, WHOLE_POSITION);

export const transformerDcu = z.object({
  id,
  sn: z.string(),
  name: z.string(),
  onlineStatus: dcuOnlineStatus,
  meters: z.number().int(),
  /** Transformer to which the DCU is bound; null: unbound. */
  transformerId: id.nullable(),
  transformerName: z.string().nullable(),
});
export type TransformerDcu = z.infer<typeof transformerDcu>;

/** One dot of the map: a transformer, or the number of transformers that this zoom level cannot separate. */
export const transformerDot = z.object({
  id: id.nullable(),
  name: z.string().nullable(),
  longitude: z.number(),
  latitude: z.number(),
  transformers: z.number().int(),
  dcus: z.number().int(),
  dcusOnline: z.number().int(),
});
export type TransformerDot = z.infer<typeof transformerDot>;

const page = PAGE_PATH.transformers;
const filter = {
  search: z.string().max(64).optional(),
  node: nodeKey.optional(),
  hasDcu: z.stringbool().optional(),
  hasPosition: z.stringbool().optional(),
  state: csv(transformerState).optional(),
};

export const transformer = {
  list: route({
    method: 'GET',
    path: '/asset/transformer',
    summary: 'Transformers',
    allow: { page, action: 'view' },
    query: pageQuery.safeExtend({ ...filter, ...cursorQuery }),
    v1: {
      description: 'Lists the transformers in your area. Read long lists with after: begin with 0 and continue with next.',
      example: { query: { after: '0', size: '500' }, response: { ...pageOfOne(TRANSFORMER_EXAMPLE), next: '12' } },
    },
    response: cursoredPageOf(transformerRow),
  }),
  /** Counts by state under the other filters of the list. */
  facets: route({
    method: 'GET',
    path: '/asset/transformer/facets',
    summary: 'Transformers by state',
    allow: { page, action: 'view' },
    query: z.object(filter).omit({ state: true }),
    response: z.object({ total: z.number().int(), state: z.record(transformerState, z.number().int()) }),
  }),
  map: route({
    method: 'GET',
    path: '/asset/transformer/map',
    summary: 'Transformers of a map section, clustered by zoom level',
    allow: { page, action: 'view' },
    query: z.object({
      node: nodeKey.optional(),
      /** west,south,east,north */
      bbox: csv(z.string().regex(/^-?\d{1,3}(\.\d{1,9})?$/)).optional(),
      /** Zoom level of the view; without `bbox` all transformers are clustered to fit. */
      zoom: z.coerce.number().min(0).max(22).default(12),
    }),
    response: listOf(transformerDot),
    errors: ['VALIDATION'],
  }),
  dcus: route({
    method: 'GET',
    path: '/asset/transformer/dcu',
    summary: 'DCUs that can be bound to a transformer, unbound ones first, with their present transformer',
    allow: { page, action: 'view' },
    query: z.object({ search: z.string().max(64).optional(), transformerId: id.optional() }),
    response: listOf(transformerDcu),
  }),
  get: route({
    method: 'GET',
    path: '/asset/transformer/{id}',
    summary: 'One transformer with its DCUs',
    allow: { page, action: 'view' },
    params: idParams,
    v1: {
      description: 'Returns one transformer with the DCUs that are bound to it.',
      example: { params: { id: '12' }, response: { ...TRANSFORMER_EXAMPLE, dcuList: [] } },
    },
    response: transformerRow.extend({ dcuList: z.array(transformerDcu) }),
    errors: ['NOT_FOUND'],
  }),
  meters: route({
    method: 'GET',
    path: '/asset/transformer/{id}/meter',
    summary: 'Meters that can be the master meter of a transformer, present master meters first',
    allow: { page, action: 'view' },
    params: idParams,
    query: z.object({ search: z.string().max(64).optional() }),
    response: listOf(z.object({ id, sn: z.string(), isMaster: z.boolean(), phase: z.enum(['1p2w', '3p3w', '3p4w']) })),
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/asset/transformer',
    summary: 'Add a transformer',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: newTransformer,
    response: transformerRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  put: route({
    method: 'PUT',
    path: '/asset/transformer/by-code',
    summary: 'Add the transformer with this code, or change it',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: namedTransformer,
    v1: {
      description:
        'Registers a transformer by its code in your own system. If the code is known, all given fields replace the stored ones; fields that are left out get their default. Repeating the call changes nothing. Adding also needs the right to add transformers.',
      example: { body: { code: 'T-0012', name: 'Harbour Street 4', levelId: '7' }, response: { ...TRANSFORMER_EXAMPLE, isNew: true } },
    },
    response: transformerRow.extend({ isNew: z.boolean() }),
    errors: ['VALIDATION', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  update: route({
    method: 'PUT',
    path: '/asset/transformer/{id}',
    summary: 'Change a transformer',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: transformerChange,
    response: transformerRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/asset/transformer/{id}',
    summary: 'Delete a transformer without DCUs and meters',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
  }),
  moveMany: route({
    method: 'PUT',
    path: '/asset/transformer/level',
    summary: 'Move transformers below another level',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    body: z.object({ ids: z.array(id).min(1, RULES.selectData.en).max(500), levelId: id }),
    response: z.object({ moved: z.number().int() }),
    errors: ['VALIDATION', 'NOT_FOUND', 'DUPLICATE', 'UNKNOWN_REFERENCE'],
  }),
  bindDcus: route({
    method: 'PUT',
    path: '/asset/transformer/{id}/dcu',
    summary: 'Bind unbound DCUs to a transformer',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ dcuIds: z.array(id).min(1, RULES.selectData.en).max(500) }),
    response: transformerRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'DCU_NOT_FOUND', 'ALREADY_BOUND'],
  }),
  unbindDcu: route({
    method: 'DELETE',
    path: '/asset/transformer/{id}/dcu/{dcuId}',
    summary: 'Unbind a DCU',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams.extend({ dcuId: id }),
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'DCU_NOT_FOUND', 'NOT_BOUND'],
  }),
  setMaster: route({
    method: 'PUT',
    path: '/asset/transformer/{id}/master',
    summary: 'Set or clear the master meter of a transformer',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: z.object({ meterId: id.nullable() }),
    response: transformerRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'METER_NOT_FOUND', 'NOT_AT_TRANSFORMER'],
  }),
};
