import type { LiveMessage } from '@hes/contract/core/live.ts';
import { LONG_AGO, msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context, User } from '#platform/context.ts';
import { canSeeTask, findVisibleDcus } from './queries.ts';

const REMEMBERED_MS = 60_000;
const FREE_TOPICS = new Set(['dcu', 'device', 'reading']);
/** Pages that show what is told on a topic: who may look at one of them may follow it. */
const PAGES_OF: Record<string, readonly string[]> = {
  event: ['/meter/meter-event'],
  upgrade: ['/system/upgrade/firmware-upgrade'],
  archive: ['/assets/archives-dispatch'],
  discovery: ['/assets/meter-asset-discovery'],
  topology: ['/meter-management/network/network-topology', '/system/debug/sta-model', '/system/debug/network-topology-switch'],
  dculog: ['/system/debug/dcu-log-management'],
};

/** What of the live messages one user may see: the same limits as in lists. */
export class LiveScope {
  readonly #ctx: Context;
  readonly #user: User;
  #dcus: Set<string> = new Set();
  #until: MonotonicMs = LONG_AGO;

  constructor(ctx: Context, user: User) {
    this.#ctx = ctx;
    this.#user = user;
  }

  async mayFollow(topic: string): Promise<boolean> {
    await this.#refresh();
    if (FREE_TOPICS.has(topic)) return true;
    const [, kind = '', id] = /^([a-z]+)(?::(\d{1,19}))?$/.exec(topic) ?? [];
    const pages = Object.hasOwn(PAGES_OF, kind) ? PAGES_OF[kind] : undefined;
    if (pages !== undefined) return this.#mayView(pages) && this.#isInArea(kind, id);
    return kind === 'task' && id !== undefined && canSeeTask(this.#ctx.db, this.#user, id);
  }

  #mayView(pages: readonly string[]): boolean {
    return pages.some((page) => this.#user.actions.get(page)?.has('view') === true);
  }

  /** Events come from everywhere and upgrades reach everywhere: of both each message is limited by itself. */
  #isInArea(kind: string, id: string | undefined): boolean {
    if (kind === 'event') return id === undefined;
    if (kind === 'upgrade') return true;
    return id !== undefined && (this.#user.scope.length === 0 || this.#dcus.has(id));
  }

  /** The part of the message that lies in the user's area; undefined: nothing of it. */
  limit(message: LiveMessage): LiveMessage | undefined {
    if (this.#user.scope.length === 0) return message;
    if (msBetween(this.#until, this.#ctx.clock.monotonic()) > 0)
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
    const now = this.#ctx.clock.monotonic();
    if (this.#user.scope.length === 0 || msBetween(this.#until, now) <= 0) return;
    this.#until = msAfter(now, REMEMBERED_MS);
    this.#dcus = new Set(await findVisibleDcus(this.#ctx.db, this.#user));
  }
}
