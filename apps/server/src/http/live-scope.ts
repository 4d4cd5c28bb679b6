import type { LiveMessage } from '@hes/contract/core/live.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { LONG_AGO, msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context, User } from '#platform/context.ts';
import { canSeeTask, findMetersElsewhere, findVisibleDcus } from './queries.ts';

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
  #dcus: ReadonlySet<string> = new Set();
  /** Serial numbers of meters of the area behind DCUs outside of it, and of meters outside of it behind DCUs of the area. */
  #ownElsewhere: ReadonlySet<string> = new Set();
  #foreignHere: ReadonlySet<string> = new Set();
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
    return id !== undefined && (seesWholeNetwork(this.#user) || this.#dcus.has(id));
  }

  /** The part of the message that lies in the user's area; undefined: nothing of it. */
  limit(message: LiveMessage): LiveMessage | undefined {
    if (seesWholeNetwork(this.#user)) return message;
    if (msBetween(this.#until, this.#ctx.clock.monotonic()) > 0)
      void this.#refresh().catch((error: unknown) => this.#ctx.log.warn('A live scope was not refreshed', { error }));
    if (message.type === 'dcu.status') return this.#dcus.has(message.id) ? message : undefined;
    // What is stored and changed elsewhere is none of the user's business; that something was, asks the console to look again.
    if (message.type === 'device.changed') return { ...message, data: { ...message.data, ids: [] } };
    if (message.type === 'reading.stored') return { ...message, data: { ...message.data, values: 0, meters: 0 } };
    // It counts devices everywhere: a console is told of its own by `upgrade.item`, and asks for the counts.
    if (message.type === 'upgrade.job') return undefined;
    if (message.type === 'event.new') {
      const events = message.data.events.filter((event) => this.#isOwn(event.dcuId, event.meterSn));
      return { ...message, data: { count: events.length, events } };
    }
    if (message.type === 'upgrade.item') {
      const items = message.data.items.filter((item) => this.#isOwn(item.dcuId, item.deviceKind === 'meter' ? item.sn : null));
      return items.length === 0 ? undefined : { ...message, data: { items } };
    }
    if (message.type !== 'task.item') return message;
    const items = message.data.items.filter((item) => this.#isOwn(item.dcuId, item.meterSn));
    return items.length === 0 ? undefined : { ...message, data: { items } };
  }

  /** A meter is judged by its own transformer, anything else by that of its DCU. */
  #isOwn(dcuId: string | null, meterSn: string | null): boolean {
    if (meterSn !== null && this.#ownElsewhere.has(meterSn)) return true;
    return dcuId !== null && this.#dcus.has(dcuId) && (meterSn === null || !this.#foreignHere.has(meterSn));
  }

  async #refresh(): Promise<void> {
    const now = this.#ctx.clock.monotonic();
    if (seesWholeNetwork(this.#user) || msBetween(this.#until, now) <= 0) return;
    this.#until = msAfter(now, REMEMBERED_MS);
    const [dcus, elsewhere] = await Promise.all([findVisibleDcus(this.#ctx.db, this.#user), findMetersElsewhere(this.#ctx.db, this.#user)]);
    this.#dcus = new Set(dcus);
    this.#ownElsewhere = new Set(elsewhere.own);
    this.#foreignHere = new Set(elsewhere.foreign);
  }
}
