import { z } from 'zod';
import { csv, id, idParams, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { email, optionalName, phone, RULES } from '../core/rules.ts';
import { country, name, optionalText } from './fields.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const supplierRow = z.object({
  id,
  code: z.string(),
  name: z.string(),
  /** FLAG id: three letters assigned by the DLMS User Association, with which logical device names of the supplier begin. */
  flagId: z.string().nullable(),
  contact: z.string().nullable(),
  address: z.string().nullable(),
  phone: z.string().nullable(),
  email: z.string().nullable(),
  country: z.string().nullable(),
  note: z.string().nullable(),
  /** A disabled supplier keeps its types and is not offered for new ones. */
  enabled: z.boolean(),
  /** The entry is part of the installation. */
  isBuiltin: z.boolean(),
  types: z.number().int(),
  devices: z.number().int(),
  updatedAt: instant,
  version: z.number().int(),
});
export type SupplierRow = z.infer<typeof supplierRow>;

export const newSupplier = z.object({
  code: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z0-9_-]{2,16}$/, RULES.supplierCode.en),
  name,
  flagId: z
    .string()
    .trim()
    .regex(/^[A-Z]{3}$/, RULES.flagId.en)
    .or(z.literal('').transform(() => null))
    .nullable()
    .default(null),
  contact: optionalName(64),
  address: optionalText(128),
  phone: phone.default(null),
  email: email.default(null),
  country,
  note: optionalText(256),
  enabled: z.boolean().default(true),
});
export const supplierChange = newSupplier.extend({ version: z.number().int() });

const page = PAGE_PATH.suppliers;

export const supplier = {
  list: route({
    method: 'GET',
    path: '/asset/supplier',
    summary: 'Suppliers',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      search: z.string().max(64).optional(),
      country: csv(z.string().max(2)).optional(),
      enabled: z.stringbool().optional(),
    }),
    response: pageOf(supplierRow),
  }),
  get: route({
    method: 'GET',
    path: '/asset/supplier/{id}',
    summary: 'One supplier',
    allow: { page, action: 'view' },
    params: idParams,
    response: supplierRow,
    errors: ['NOT_FOUND'],
  }),
  create: route({
    method: 'POST',
    path: '/asset/supplier',
    summary: 'Add a supplier',
    allow: { page, action: 'add' },
    endangers: 'nothing',
    body: newSupplier,
    response: supplierRow,
    status: 201,
    errors: ['VALIDATION', 'DUPLICATE'],
  }),
  update: route({
    method: 'PUT',
    path: '/asset/supplier/{id}',
    summary: 'Change a supplier',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: idParams,
    body: supplierChange,
    response: supplierRow,
    errors: ['VALIDATION', 'NOT_FOUND', 'STALE', 'DUPLICATE', 'BUILT_IN_CODE'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/asset/supplier/{id}',
    summary: 'Delete a supplier without types',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    params: idParams,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE', 'BUILT_IN_ENTRY'],
  }),
};
