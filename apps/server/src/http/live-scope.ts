import type { LiveMessage } from '@hes/contract/core/live.ts';
import { holderOf, seesWholeNetwork } from '#db/scope.ts';
import { LONG_AGO, msAfter, msBetween, type MonotonicMs } from '#platform/clock.ts';
import { topicOfUser } from '#platform/bus.ts';
import type { Context, Scope, User } from '#db/context.ts';
import { canSeeTask, findMetersElsewhere, findVisibleEndpoints } from './queries.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';

const REMEMBERED_MS = 60_000;
const FREE_TOPICS = new Set(['dcu', 'device', 'reading', 'list']);
const EVENT_PAGES = [PAGE_PATH.events];
const UPGRADE_PAGES = [PAGE_PATH.upgrades];
/** Pages that show the messages of a topic: the right to view one of them permits a subscription. */
const PAGES_OF: Record<string, readonly string[]> = {
  event: EVENT_PAGES,
  upgrade: UPGRADE_PAGES,
  archive: [PAGE_PATH.archives],
  discovery: [PAGE_PATH.meterAssets],
  topology: [PAGE_PATH.topology, PAGE_PATH.stations, PAGE_PATH.topologySwitch],
  dculog: [PAGE_PATH.dcuLog],
};

/** Cached area of a right, as the identifiers that live messages contain. */
interface Seen {
  user: User;
  /** DCUs and direct meters. */
  endpoints: ReadonlySet<string>;
  /** Serial numbers of meters in the area whose DCU is outside, and of meters outside whose DCU is in the area. */
  ownElsewhere: ReadonlySet<string>;
  foreignHere: ReadonlySet<string>;
  until: MonotonicMs;
}

/** Filters the live messages of one user by the same areas as the lists of the pages. */
export class LiveScope {
  readonly #ctx: Context;
  readonly #user: User;
  readonly #seen = new Map<Scope, Seen>();

  constructor(ctx: Context, user: User) {
    this.#ctx = ctx;
    this.#user = user;
  }

  async mayFollow(topic: string): Promise<boolean> {
    if (topic === topicOfUser(this.#user.id)) return true;
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

  /** The areas of the right to view each of these pages. */
  #viewersOf(pages: readonly string[]): Seen[] {
    return pages.flatMap((page) => {
      const viewer = holderOf(this.#user, page, 'view');
      return viewer === undefined ? [] : [this.#seenBy(viewer)];
    });
  }

  #seenBy(user: User): Seen {
    const known = this.#seen.get(user.scope);
    if (known !== undefined) return known;
    const fresh: Seen = { user, endpoints: new Set(), ownElsewhere: new Set(), foreignHere: new Set(), until: LONG_AGO };
    this.#seen.set(user.scope, fresh);
    return fresh;
  }

  /** The area that applies to a message; undefined when the user may not see it. */
  #seenFor({ type }: LiveMessage): Seen | undefined {
    if (type === 'event.new') return this.#viewersOf(EVENT_PAGES)[0];
    if (type === 'upgrade.item' || type === 'upgrade.job') return this.#viewersOf(UPGRADE_PAGES)[0];
    return this.#seenBy(this.#user);
  }

  /** The visible part of a message; undefined when nothing is visible. */
  limit(message: LiveMessage): LiveMessage | undefined {
    const seen = this.#seenFor(message);
    if (seen === undefined) return undefined;
    if (seesWholeNetwork(seen.user)) return message;
    if (msBetween(seen.until, this.#ctx.clock.monotonic()) > 0)
      void this.#refresh(seen).catch((error: unknown) => this.#ctx.log.warn('A live scope was not refreshed', { error }));
    if (message.type === 'dcu.status') return seen.endpoints.has(message.id) ? message : undefined;
    // Without details that may be outside the area; the message only makes the console reload.
    if (message.type === 'device.changed') return { ...message, data: { ...message.data, ids: [] } };
    if (message.type === 'reading.stored') return { ...message, data: { ...message.data, values: 0, meters: 0 } };
    // Its counts cover all areas. The console reloads the visible counts on `upgrade.item`.
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
    const [endpoints, elsewhere] = await Promise.all([findVisibleEndpoints(db, seen.user), findMetersElsewhere(db, seen.user)]);
    seen.endpoints = new Set(endpoints);
    seen.ownElsewhere = new Set(elsewhere.own);
    seen.foreignHere = new Set(elsewhere.foreign);
  }
}

/** Topics of events and upgrades span all areas: their messages are filtered individually. */
function isInArea({ user, endpoints }: Seen, kind: string, id: string | undefined): boolean {
  if (kind === 'event') return id === undefined;
  if (kind === 'upgrade') return true;
  return id !== undefined && (seesWholeNetwork(user) || endpoints.has(id));
}

/** A meter belongs to the area of its transformer, all else to that of its DCU. */
function isOwn({ endpoints, ownElsewhere, foreignHere }: Seen, dcuId: string | null, meterSn: string | null): boolean {
  if (meterSn !== null && ownElsewhere.has(meterSn)) return true;
  return dcuId !== null && endpoints.has(dcuId) && (meterSn === null || !foreignHere.has(meterSn));
}
