import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';

/** Statements of the queue by a part of their text that no other one has; the first match counts. */
const STATEMENTS = {
  clock: 'clock_timestamp()',
  liveness: 'hashtext($2)',
  listen: 'listen hes_task',
  releaseDead: 'i.lease_until < now()',
  releaseAll: 'case when i.kind = any',
  releaseOrphans: 'and i.id <> all($2)) offset 0',
  releaseStopped: 'attempts = greatest(attempts - 1, 0)',
  findUnknown: 'select leased.id',
  releaseLost: "where i.id = any($2) and i.state = 'reading' and i.lease_owner = $1",
  renew: 'set lease_until = now() + make_interval',
  expire: 't.expires_at < now()',
  endStopped: "reason_code = 'CANCELLED'",
  failOffline: 'not t.waits_for_device',
  shift: 'make_interval(secs => $1)) from task t',
  correctFuture: 'with early',
  bringForward: 'with corrected',
  deleteClaims: 'delete from task_claim',
  itemRows: 'i.trace_id as "traceId"',
  taskRows: 't.origin_id as "originId"',
} as const;
/** Statements that are prepared under a name. */
const NAMED = {
  busy_dcus: 'busy',
  held_tasks: 'suspended',
  claim_next: 'claim',
  finish_items: 'finish',
  part_items: 'part',
  note_tries: 'noteTries',
} as const;

type QueueStatement = keyof typeof STATEMENTS | (typeof NAMED)[keyof typeof NAMED] | 'other';
type Statement = string | { name: keyof typeof NAMED; values?: unknown[] };
interface Response {
  rows?: unknown[];
  rowCount?: number;
}
type Answer = (values: unknown[]) => Response | Promise<Response>;

const kindOf = (statement: Statement): QueueStatement => {
  if (typeof statement !== 'string') return NAMED[statement.name];
  const kinds = Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[]; // as: its own keys
  return kinds.find((kind) => statement.includes(STATEMENTS[kind])) ?? 'other';
};

/** The connection that listens, with the number of times it was closed. */
class ScriptedClient extends EventEmitter {
  closed: unknown[] = [];
  query: (statement: Statement, values?: unknown[]) => Promise<unknown>;

  constructor(query: ScriptedClient['query']) {
    super();
    this.query = query;
  }

  release(isDestroyed: unknown): void {
    this.closed.push(isDestroyed);
  }
}

/** A database that records the statements of the queue, and gives the answers that a test sets. Without one a statement finds nothing. */
export function scriptedQueue() {
  const answers: Partial<Record<QueueStatement | 'connect', Answer>> = {};
  const asked: [QueueStatement, unknown[]][] = [];
  const clients: ScriptedClient[] = [];
  const query = async (statement: Statement, values?: unknown[]): Promise<Response> => {
    const kind = kindOf(statement);
    const given = (typeof statement === 'string' ? values : statement.values) ?? [];
    asked.push([kind, given]);
    return { rows: [], rowCount: 0, ...(await answers[kind]?.(given)) };
  };
  const connect = async () => {
    await answers.connect?.([]);
    const client = new ScriptedClient(query);
    clients.push(client);
    return client;
  };
  /** Values of all statements of a kind, in their order. */
  const valuesOf = (kind: QueueStatement) => asked.filter(([each]) => each === kind).map(([, values]) => values);
  const pool = { query, connect } as unknown as Pool; // as: the queue calls no other members
  return { pool, answers, asked, clients, valuesOf, countOf: (kind: QueueStatement) => valuesOf(kind).length };
}
