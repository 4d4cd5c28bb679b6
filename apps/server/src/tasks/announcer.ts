import type { Context } from '#db/context.ts';
import type { EndedItem } from './queries.ts';
import { findItemRows, findTaskRows } from './queries.ts';

const EVERY_MS = 250;
const ROWS_PER_MESSAGE = 500;

/** Publishes items and their tasks as they are now. */
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

/** Tells open consoles what became of tasks and items: at most four messages a second and task. */
export class Announcer {
  readonly #ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>;
  /** Tasks of items. */
  #items = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>) {
    this.#ctx = ctx;
  }

  changed(items: Iterable<EndedItem>): void {
    for (const item of items) this.#items.set(item.id, item.taskId);
    if (this.#items.size > 0) this.#timer ??= setTimeout(() => (this.#telling = this.#tell()), EVERY_MS);
  }

  async #tell(): Promise<void> {
    this.#timer = undefined;
    const { pool, bus, clock, log } = this.#ctx;
    // Collection ends thousands of items that nobody watches. Judged now and not when they ended: who orders follows a moment later.
    const followed = [...this.#items].filter(([, taskId]) => bus.isFollowed(`task:${taskId}`));
    this.#items.clear();
    const items = followed.map(([id]) => id);
    const tasks = [...new Set(followed.map(([, taskId]) => taskId))];
    if (items.length === 0) return;
    try {
      await publishItems({ pool, bus, clock }, items, tasks);
    } catch (error) {
      // Consoles ask again by themselves; the next change tells them too.
      log.warn('Progress could not be told', { error });
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#telling;
  }
}
