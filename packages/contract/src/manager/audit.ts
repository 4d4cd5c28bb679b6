import { z } from 'zod';
import { csv, id, instant, pageOf, pageQuery } from '../core/page.ts';
import { route } from '../core/route.ts';
import { CHAIN_BREAKS, CHAINS } from '../audit/actions.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const auditRow = z.object({
  id,
  at: instant,
  /** Null: the entry was written without a signed-in user. */
  userId: id.nullable(),
  username: z.string().nullable(),
  userName: z.string().nullable(),
  /** Key of the dictionary `audit_action`. */
  action: z.string(),
  entity: z.string(),
  entityId: z.string().nullable(),
  /** For a change, `before` and `after` have the fields that differ. Contains no secrets. */
  detail: z.record(z.string(), z.unknown()),
  ip: z.string().nullable(),
  /** Hash in hex over this row and the hash of the previous one. */
  hash: z.string(),
});
export type AuditRow = z.infer<typeof auditRow>;

/** Result of the verification of one section of the hash chain. */
export const auditCheck = z.object({
  /** Number of rows with a valid hash. */
  checked: z.number().int(),
  /** First row that was changed or whose predecessor is missing; null: none. */
  brokenId: id.nullable(),
  /** `changed`: the stored content of the row was altered; `missing`: previous rows are missing. */
  brokenBy: z.enum(['changed', 'missing']).nullable(),
  /** Comparison with the newest row that is stored outside the database; null: none is stored yet. */
  anchor: z
    .object({
      id: z.string(),
      at: instant,
      breaks: z.array(z.object({ at: instant, kind: z.enum(CHAIN_BREAKS), anchoredId: z.string(), foundId: z.string() })),
    })
    .nullable(),
  /** Start of the next section; null: this was the end of the chain. */
  next: id.nullable(),
  /** Last verified row and its hash; recorded elsewhere, they reveal a later truncation of the chain. */
  lastId: id.nullable(),
  lastHash: z.string().nullable(),
  /** Number of rows in the whole chain. */
  total: z.number().int(),
});
export type AuditCheck = z.infer<typeof auditCheck>;

const page = PAGE_PATH.users;

export const audit = {
  list: route({
    method: 'GET',
    path: '/manager/audit',
    summary: 'Entries of the audit log, newest first',
    allow: { page, action: 'view' },
    query: pageQuery.extend({
      userId: id.optional(),
      username: z.string().max(64).optional(),
      action: csv(z.string().max(64)).optional(),
      entity: csv(z.string().max(64)).optional(),
      entityId: z.string().max(64).optional(),
      from: instant.optional(),
      to: instant.optional(),
      /** Only entries older than this id, so that pages stay stable while new entries arrive. */
      before: id.optional(),
    }),
    response: pageOf(auditRow),
    errors: ['VALIDATION', 'RANGE_TOO_LONG'],
  }),
  verify: route({
    method: 'GET',
    path: '/manager/audit/verification',
    summary: 'Verify one section of the hash chain of the audit log or the command log',
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
