import { randomUUID } from 'node:crypto';
import { RULES_OF_ONE_MACHINE } from '../../apps/server/src/db/settings.ts';
import type pg from 'pg';
import { sql } from 'kysely';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { fieldFeatures } from '../../apps/server/src/features/every-feature.ts';
import { startField, type Field } from '../../apps/server/src/field/start-field.ts';
import { createBus } from '../../apps/server/src/platform/bus.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import type { Context } from '../../apps/server/src/db/context.ts';
import type { Log, LogFields } from '../../apps/server/src/platform/log.ts';
import { relayParts, sealOrder } from '../../apps/server/src/platform/order-seal.ts';
import type { Switches } from '../../apps/server/src/platform/switch-ledger.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { Dispatcher } from '../../apps/server/src/tasks/dispatcher.ts';
import { wrapOperations } from '../../apps/server/src/field/operations/wrap-operations.ts';
import type { Operations } from '../../apps/server/src/tasks/operation.ts';
import { createTask, type NewTask } from '../../apps/server/src/tasks/create-task.ts';
import { cancelTask, pauseTask, resumeTask, retryTask } from '../../apps/server/src/tasks/store.ts';
import { VirtualPool, type Database } from './database/pool.ts';
import { TIME_ZONE } from './fleet.ts';
import type { Machine } from './machine.ts';
import { Process } from './machine.ts';

export const DLMS_PORT = 4059;
/** User id of the orders; the archive has no such user, and no statement needs one. */
export const OPERATOR = '1';

/** Validity of a relay command: longer than a seed takes. */
const VALID_MS = 12 * 3_600_000;

export const secrets = createSecrets(Buffer.alloc(32, 7));

/** Listener to a server. */
export interface Listening {
  /** Lines of its log. */
  say(level: string, message: string, fields: LogFields): void;
  /** Start and end of an item's operation. */
  begun(itemId: string): void;
  ended(itemId: string): void;
}

function logTo(say: Listening['say']): Log {
  const log: Log = {
    debug: () => undefined,
    info: (message, fields = {}) => say('info', message, fields),
    warn: (message, fields = {}) => say('warn', message, fields),
    error: (message, fields = {}) => say('error', message, fields),
    child: () => log,
  };
  return log;
}

/** Queue, field engine and writer of readings of one head-end, from start to end. */
export class Server {
  readonly process: Process;
  readonly #database: Database;
  readonly #listening: Listening;
  readonly #switches: Switches;
  readonly #ctx: Context;
  #field: Field | undefined;
  #dispatcher: Dispatcher | undefined;

  constructor(database: Database, number: number, listening: Listening, switches: Switches) {
    this.process = new Process(`server ${number}`);
    this.#listening = listening;
    this.#switches = switches;
    this.#database = database;
    // as: the part of the driver's pool that the product uses
    const pool = new VirtualPool(database, this.process) as unknown as pg.Pool;
    this.#ctx = {
      db: openDb(pool, chainKeyOf(secrets)),
      pool,
      clock: systemClock,
      log: logTo(listening.say),
      settings: { timeZone: TIME_ZONE, reload: () => Promise.resolve(), rules: RULES_OF_ONE_MACHINE },
      bus: createBus(),
      // A simulated world has neither exports nor computations.
      jobs: { order: () => Promise.reject(new Error('Jobs are not simulated')), wake: () => undefined },
      secrets,
    };
  }

  async start(): Promise<void> {
    this.#field = await startField(this.#ctx, {
      features: fieldFeatures({ switches: this.#switches }),
      dlmsPort: DLMS_PORT,
      host: '127.0.0.1',
      node: { name: 'head-end', version: '' },
    });
    const { operations, reach, node } = this.#field;
    this.#dispatcher = new Dispatcher(this.#ctx, { operations: this.#heard(operations), reach, node });
    await this.#dispatcher.start();
  }

  #heard(operations: Operations): Operations {
    const { begun, ended } = this.#listening;
    return wrapOperations(operations, (_kind, operation) => (item) => {
      // Members of a shared item have its id.
      const work = `${item.id}/${item.meterId}`;
      begun(work);
      return operation(item).finally(() => ended(work));
    });
  }

  async stop(): Promise<void> {
    await this.#dispatcher?.stop();
    await this.#field?.stop();
  }

  /** Queues an order as the server's modules do; a relay command with its seal in the same transaction. */
  order(order: NewTask): Promise<string> {
    return this.#ctx.db.transaction().execute(async (tx) => {
      const { id } = await createTask(tx, order);
      const operation = /^relay_(disconnect|connect)$/.exec(order.kind)?.[1];
      for (const { meterId } of operation === undefined ? [] : order.items) {
        const nonce = randomUUID();
        const validUntil = new Date(Date.now() + VALID_MS);
        const parts = {
          taskId: id,
          meterId: meterId ?? '',
          operation: operation ?? '',
          requestedBy: OPERATOR,
          needsApproval: false,
          nonce,
          validUntil,
        };
        const seal = sealOrder(secrets, 'relay command', relayParts(parts));
        await sql`insert into relay_command (task_id, meter_id, operation, requested_by, seal, nonce, valid_until, needs_approval)
          values (${id}, ${meterId}, ${operation}, ${OPERATOR}, ${seal}, ${nonce}, ${validUntil}, false)`.execute(tx);
      }
      return id;
    });
  }

  change(what: 'pause' | 'resume' | 'cancel' | 'retry', taskId: string): Promise<number> {
    const change = { pause: pauseTask, resume: resumeTask, cancel: cancelTask, retry: retryTask }[what];
    return this.#ctx.db.transaction().execute((tx) => change(tx, taskId));
  }

  /** Kills the server without a shutdown: none of its pending work is done. */
  kill(machine: Machine, how: 'killed' | 'powerless', network: { drop(process: Process, how: 'killed' | 'powerless'): void }): void {
    this.process.isAlive = false;
    network.drop(this.process, how);
    this.#database.drop(this.process, how === 'killed' ? 0 : machine.between(1_000, 30_000));
  }
}
