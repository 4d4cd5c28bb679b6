import { z } from 'zod';
import { csv, id, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { CHAIN_BREAKS, CHAINS } from '../states/audit.ts';

export const auditRow = z.object({
  id,
  at: instant,
  /** Null: nobody was signed in. */
  userId: id.nullable(),
  username: z.string().nullable(),
  userName: z.string().nullable(),
  /** A key of the dictionary `audit_action`. */
  action: z.string(),
  entity: z.string(),
  entityId: z.string().nullable(),
  /** For a change: `before` and `after` hold the fields that differ. Never a secret. */
  detail: z.record(z.string(), z.unknown()),
  ip: z.string().nullable(),
  /** Of this row, over the row before it: hexadecimal. */
  hash: z.string(),
});
export type AuditRow = z.infer<typeof auditRow>;

/** One part of the chain, looked at from its beginning or from where the last look ended. */
export const auditCheck = z.object({
  /** Rows that follow from the one before them. */
  checked: z.number().int(),
  /** The first row that was changed, or whose predecessor is gone; null: none. */
  brokenId: id.nullable(),
  /** Why: the row has another content than was written, or rows before it are missing. */
  brokenBy: z.enum(['changed', 'missing']).nullable(),
  /** The newest row as it is kept outside the database, and what was missing or different there; null: nothing is kept yet. */
  anchor: z
    .object({
      id: z.string(),
      at: instant,
      breaks: z.array(z.object({ at: instant, kind: z.enum(CHAIN_BREAKS), anchoredId: z.string(), foundId: z.string() })),
    })
    .nullable(),
  /** Where the next look begins; null: this was the end of the chain. */
  next: id.nullable(),
  /** The newest row looked at and its hash: written down elsewhere, they show later whether the end was cut off. */
  lastId: id.nullable(),
  lastHash: z.string().nullable(),
  /** Rows in the whole chain, for a progress bar. */
  total: z.number().int(),
});
export type AuditCheck = z.infer<typeof auditCheck>;

const page = '/system/system-management/user-management';

export const audit = {
  list: route({
    method: 'GET',
    path: '/manager/audit',
    summary: 'What was done, newest first',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      userId: id.optional(),
      username: z.string().max(64).optional(),
      action: csv(z.string().max(64)).optional(),
      entity: csv(z.string().max(64)).optional(),
      entityId: z.string().max(64).optional(),
      from: instant.optional(),
      to: instant.optional(),
      /** Only older ones: pages stay where they are while new entries arrive. */
      before: id.optional(),
    }),
    response: pageOf(auditRow),
    errors: ['VALIDATION', 'RANGE_TOO_LONG'],
  }),
  verify: route({
    method: 'GET',
    path: '/manager/audit/verification',
    summary: 'Whether the audit log or the log of commands is whole, part by part',
    allow: { page, action: 'view' },
    query: z.object({
      chain: z.enum(CHAINS).default('audit'),
      after: id.optional(),
      limit: z.coerce.number().int().min(1).max(20_000).default(20_000),
    }),
    response: auditCheck,
    errors: ['NOT_FOUND'],
  }),
};
