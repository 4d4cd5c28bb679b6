import { FEED_KINDS, type FeedKind } from '../../packages/contract/src/delivery/feed.ts';
import type { SenderKindName } from '../../packages/contract/src/delivery/kinds/every-kind.ts';

/** One item as a consumer holds it. */
export interface Got {
  kind: FeedKind;
  /** Row of the outbox and place within it. */
  id: string;
  meter: string;
  /** Beginnings of the slots of profiles; none of freezes, whose days are local. */
  slots: readonly string[];
}

/** A system that receives, with the way of the head-end to it. */
export interface Receiver {
  name: string;
  sender: { kind: SenderKindName; settings: Record<string, string | number | boolean>; secrets: Record<string, string> };
  /** How its process ends during the run: killed, unless it says that it must be ended. */
  end: () => Promise<void>;
  restart: () => Promise<void>;
  /** All that the consumer holds, in the order in which it got it. */
  read: () => Promise<Got[]>;
  stop: () => Promise<void>;
}

interface Event {
  id: string;
  source: string;
  subject?: string;
  data: { profile?: string; slots?: readonly { ts: string }[] };
}

/** The kind at the end of the source of an event, `/api/v1/feed/readings`. */
export function kindOf(source: string): FeedKind {
  const found = FEED_KINDS.find((kind) => source.endsWith(`/${kind}`));
  if (found === undefined) throw new Error(`An event of an unknown source: ${source}`);
  return found;
}

export const isFreeze = (profile: string | undefined): boolean => profile === 'daily' || profile === 'monthly';

export const gotOf = ({ id, source, subject = '', data }: Event): Got => ({
  kind: kindOf(source),
  id,
  meter: subject,
  slots: isFreeze(data.profile) ? [] : (data.slots?.map(({ ts }) => ts) ?? []),
});
