import { DebouncedFlush } from '#platform/debounced-flush.ts';
import type { Context } from '#db/context.ts';
import type { EndedItem } from './queries.ts';
import { findItemRows, findTaskRows } from './queries.ts';

const EVERY_MS = 250;
const ROWS_PER_MESSAGE = 500;

/** Publishes the current state of items and of their tasks. */
export async function publishItems({ pool, bus, clock }: Pick<Context, 'pool' | 'bus' | 'clock'>, itemIds: string[], taskIds: string[]) {
  const ts = new Date(clock.now()).toISOString();
  const byTask = Map.groupBy(await findItemRows(pool, itemIds), (row) => row.taskId);
  for (const [id, rows] of byTask) {
    for (let at = 0; at < rows.length; at += ROWS_PER_MESSAGE) {
      bus.publish(`task:${id}`, { type: 'task.item', ts, id, data: { items: rows.slice(at, at + ROWS_PER_MESSAGE) } });
    }
  }
  for (const task of await findTaskRows(pool, taskIds))
    bus.publish(`task:${task.id}`, { type: 'task.progress', ts, id: task.id, data: task });
}

/** Publishes changed items and tasks to open consoles, at most four times a second. */
export class ProgressPublisher {
  readonly #ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>;
  readonly #flush: DebouncedFlush;
  /** Task of each changed item. */
  readonly #items = new Map<string, string>();

  constructor(ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>) {
    this.#ctx = ctx;
    this.#flush = new DebouncedFlush(() => this.#publish(), {
      quietMs: EVERY_MS,
      longestMs: EVERY_MS,
      // Consoles poll as well, and the next change publishes again.
      onError: (error) => ctx.log.warn('Progress could not be published', { error }),
    });
  }

  changed(items: Iterable<EndedItem>): void {
    for (const item of items) this.#items.set(item.id, item.taskId);
    if (this.#items.size > 0) this.#flush.schedule();
  }

  async #publish(): Promise<void> {
    const { pool, bus, clock } = this.#ctx;
    // Most collection is followed by no console. The topic is checked now: a console follows a moment after its order.
    const followed = [...this.#items].filter(([, taskId]) => bus.isFollowed(`task:${taskId}`));
    this.#items.clear();
    if (followed.length === 0) return;
    const items = followed.map(([id]) => id);
    const tasks = [...new Set(followed.map(([, taskId]) => taskId))];
    await publishItems({ pool, bus, clock }, items, tasks);
  }

  /** Publishes the last changes. */
  stop(): Promise<void> {
    return this.#flush.flushAll();
  }
}
