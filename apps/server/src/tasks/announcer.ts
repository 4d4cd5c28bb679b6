import type { Context } from '#platform/context.ts';
import type { EndedItem } from './queries.ts';
import { findItemRows, findTaskRows } from './queries.ts';

const EVERY_MS = 250;
const ROWS_PER_MESSAGE = 500;

/** Tells open consoles what became of tasks and items: at most four messages a second and task. */
export class Announcer {
  readonly #ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>;
  #tasks = new Set<string>();
  #items = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>) {
    this.#ctx = ctx;
  }

  changed(items: Iterable<EndedItem>): void {
    for (const item of items) {
      // Collection ends thousands of items that nobody watches.
      if (!this.#ctx.bus.isFollowed(`task:${item.taskId}`)) continue;
      this.#items.add(item.id);
      this.#tasks.add(item.taskId);
    }
    if (this.#items.size > 0) this.#timer ??= setTimeout(() => (this.#telling = this.#tell()), EVERY_MS);
  }

  async #tell(): Promise<void> {
    this.#timer = undefined;
    const { pool, bus, clock, log } = this.#ctx;
    const tasks = [...this.#tasks];
    const items = [...this.#items];
    this.#tasks.clear();
    this.#items.clear();
    try {
      const ts = new Date(clock.now()).toISOString();
      const byTask = Map.groupBy(await findItemRows(pool, items), (row) => row.taskId);
      for (const [id, rows] of byTask) {
        for (let at = 0; at < rows.length; at += ROWS_PER_MESSAGE) {
          bus.publish(`task:${id}`, { type: 'task.item', ts, id, data: { items: rows.slice(at, at + ROWS_PER_MESSAGE) } });
        }
      }
      for (const task of await findTaskRows(pool, tasks))
        bus.publish(`task:${task.id}`, { type: 'task.progress', ts, id: task.id, data: task });
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
