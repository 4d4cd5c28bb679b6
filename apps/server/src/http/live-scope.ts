import type { LiveMessage } from '@hes/contract/core/live.ts';
import { holderOf, seesWholeNetwork } from '#db/scope.ts';
import { LONG_AGO, msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context, Scope, User } from '#db/context.ts';
import { canSeeTask, findMetersElsewhere, findVisibleDcus } from './queries.ts';

const REMEMBERED_MS = 60_000;
const FREE_TOPICS = new Set(['dcu', 'device', 'reading']);
const EVENT_PAGES = ['/meter/meter-event'];
const UPGRADE_PAGES = ['/system/upgrade/firmware-upgrade'];
/** Pages that show what is told on a topic: who may look at one of them may follow it. */
const PAGES_OF: Record<string, readonly string[]> = {
  event: EVENT_PAGES,
  upgrade: UPGRADE_PAGES,
  archive: ['/assets/archives-dispatch'],
  discovery: ['/assets/meter-asset-discovery'],
  topology: ['/meter-management/network/network-topology', '/system/debug/sta-model', '/system/debug/network-topology-switch'],
  dculog: ['/system/debug/dcu-log-management'],
};

/** The part of the network in which a right of a user counts, as live messages name it. */
interface Seen {
  user: User;
  dcus: ReadonlySet<string>;
  /** Serial numbers of meters of the area behind DCUs outside of it, and of meters outside of it behind DCUs of the area. */
  ownElsewhere: ReadonlySet<string>;
  foreignHere: ReadonlySet<string>;
  until: MonotonicMs;
}

/** What of the live messages one user may see: the same limits as in the lists of the pages that show it. */
export class LiveScope {
  readonly #ctx: Context;
  readonly #user: User;
  readonly #seen = new Map<Scope, Seen>();

  constructor(ctx: Context, user: User) {
    this.#ctx = ctx;
    this.#user = user;
  }

  async mayFollow(topic: string): Promise<boolean> {
    if (FREE_TOPICS.has(topic)) {
      await this.#refresh(this.#seenBy(this.#user));
      return true;
    }
    const [, kind = '', id] = /^([a-z]+)(?::(\d{1,19}))?$/.exec(topic) ?? [];
    if (kind === 'task') {
      await this.#refresh(this.#seenBy(this.#user));
      return id !== undefined && canSeeTask(this.#ctx.db, this.#user, id);
    }
    const pages = Object.hasOwn(PAGES_OF, kind) ? PAGES_OF[kind] : undefined;
    for (const seen of this.#viewersOf(pages ?? [])) {
      await this.#refresh(seen);
      if (isInArea(seen, kind, id)) return true;
    }
    return false;
  }

  /** The user as a viewer of each of these pages, with the area of that right. */
  #viewersOf(pages: readonly string[]): Seen[] {
    return pages.flatMap((page) => {
      const viewer = holderOf(this.#user, page, 'view');
      return viewer === undefined ? [] : [this.#seenBy(viewer)];
    });
  }

  #seenBy(user: User): Seen {
    const known = this.#seen.get(user.scope);
    if (known !== undefined) return known;
    const fresh: Seen = { user, dcus: new Set(), ownElsewhere: new Set(), foreignHere: new Set(), until: LONG_AGO };
    this.#seen.set(user.scope, fresh);
    return fresh;
  }

  /** What the message is judged by; undefined: no right of the user reaches it. */
  #seenFor({ type }: LiveMessage): Seen | undefined {
    if (type === 'event.new') return this.#viewersOf(EVENT_PAGES)[0];
    if (type === 'upgrade.item' || type === 'upgrade.job') return this.#viewersOf(UPGRADE_PAGES)[0];
    return this.#seenBy(this.#user);
  }

  /** The part of the message that lies in the area of the right to see it; undefined: nothing of it. */
  limit(message: LiveMessage): LiveMessage | undefined {
    const seen = this.#seenFor(message);
    if (seen === undefined) return undefined;
    if (seesWholeNetwork(seen.user)) return message;
    if (msBetween(seen.until, this.#ctx.clock.monotonic()) > 0)
      void this.#refresh(seen).catch((error: unknown) => this.#ctx.log.warn('A live scope was not refreshed', { error }));
    if (message.type === 'dcu.status') return seen.dcus.has(message.id) ? message : undefined;
    // What is stored and changed elsewhere is none of the user's business; that something was, asks the console to look again.
    if (message.type === 'device.changed') return { ...message, data: { ...message.data, ids: [] } };
    if (message.type === 'reading.stored') return { ...message, data: { ...message.data, values: 0, meters: 0 } };
    // It counts devices everywhere: a console learns of its own by `upgrade.item`, and asks for the counts.
    if (message.type === 'upgrade.job') return undefined;
    if (message.type === 'event.new') {
      const events = message.data.events.filter((event) => isOwn(seen, event.dcuId, event.meterSn));
      return { ...message, data: { count: events.length, events } };
    }
    if (message.type === 'upgrade.item') {
      const items = message.data.items.filter((item) => isOwn(seen, item.dcuId, item.deviceKind === 'meter' ? item.sn : null));
      return items.length === 0 ? undefined : { ...message, data: { items } };
    }
    if (message.type !== 'task.item') return message;
    const items = message.data.items.filter((item) => isOwn(seen, item.dcuId, item.meterSn));
    return items.length === 0 ? undefined : { ...message, data: { items } };
  }

  async #refresh(seen: Seen): Promise<void> {
    const now = this.#ctx.clock.monotonic();
    if (seesWholeNetwork(seen.user) || msBetween(seen.until, now) <= 0) return;
    seen.until = msAfter(now, REMEMBERED_MS);
    const { db } = this.#ctx;
    const [dcus, elsewhere] = await Promise.all([findVisibleDcus(db, seen.user), findMetersElsewhere(db, seen.user)]);
    seen.dcus = new Set(dcus);
    seen.ownElsewhere = new Set(elsewhere.own);
    seen.foreignHere = new Set(elsewhere.foreign);
  }
}

/** Events come from everywhere and upgrades reach everywhere: of both each message is limited by itself. */
function isInArea({ user, dcus }: Seen, kind: string, id: string | undefined): boolean {
  if (kind === 'event') return id === undefined;
  if (kind === 'upgrade') return true;
  return id !== undefined && (seesWholeNetwork(user) || dcus.has(id));
}

/** A meter is judged by its own transformer, anything else by that of its DCU. */
function isOwn({ dcus, ownElsewhere, foreignHere }: Seen, dcuId: string | null, meterSn: string | null): boolean {
  if (meterSn !== null && ownElsewhere.has(meterSn)) return true;
  return dcuId !== null && dcus.has(dcuId) && (meterSn === null || !foreignHere.has(meterSn));
}
