import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { Context, User } from '#platform/context.ts';
import { canSeeTask, findVisibleDcus } from './queries.ts';

const REMEMBERED_MS = 60_000;
const FREE_TOPICS = new Set(['dcu', 'device', 'reading']);

/** What of the live messages one user may see: the same limits as in lists. */
export class LiveScope {
  readonly #ctx: Context;
  readonly #user: User;
  #dcus: Set<string> = new Set();
  #until = 0;

  constructor(ctx: Context, user: User) {
    this.#ctx = ctx;
    this.#user = user;
  }

  async mayFollow(topic: string): Promise<boolean> {
    await this.#refresh();
    if (FREE_TOPICS.has(topic)) return true;
    if (topic.startsWith('dculog:') && this.#user.actions.get('/system/debug/dcu-log-management')?.has('view') !== true) return false;
    if (topic === 'event') return this.#user.actions.get('/meter/meter-event')?.has('view') === true;
    const dcu = /^(?:archive|discovery|topology|dculog):(\d{1,19})$/.exec(topic)?.[1];
    if (dcu !== undefined) return this.#user.scope.length === 0 || this.#dcus.has(dcu);
    if (/^upgrade(?::\d{1,19})?$/.test(topic)) return this.#user.actions.get('/system/upgrade/firmware-upgrade')?.has('view') === true;
    const task = /^task:(\d{1,19})$/.exec(topic)?.[1];
    return task !== undefined && canSeeTask(this.#ctx.db, this.#user, task);
  }

  /** The part of the message that lies in the user's area; undefined: nothing of it. */
  limit(message: LiveMessage): LiveMessage | undefined {
    if (this.#user.scope.length === 0) return message;
    if (this.#ctx.clock.now() > this.#until)
      void this.#refresh().catch((error: unknown) => this.#ctx.log.warn('A live scope was not refreshed', { error }));
    if (message.type === 'dcu.status') return this.#dcus.has(message.id) ? message : undefined;
    if (message.type === 'device.changed') return { ...message, data: { ...message.data, ids: [] } };
    if (message.type === 'event.new') {
      const events = message.data.events.filter((event) => event.dcuId !== null && this.#dcus.has(event.dcuId));
      return { ...message, data: { count: events.length, events } };
    }
    if (message.type === 'upgrade.item') {
      const items = message.data.items.filter((item) => this.#dcus.has(item.dcuId));
      return items.length === 0 ? undefined : { ...message, data: { items } };
    }
    if (message.type !== 'task.item') return message;
    const items = message.data.items.filter((item) => this.#dcus.has(item.dcuId));
    return items.length === 0 ? undefined : { ...message, data: { items } };
  }

  async #refresh(): Promise<void> {
    const now = this.#ctx.clock.now();
    if (this.#user.scope.length === 0 || now <= this.#until) return;
    this.#until = now + REMEMBERED_MS;
    this.#dcus = new Set(await findVisibleDcus(this.#ctx.db, this.#user));
  }
}
