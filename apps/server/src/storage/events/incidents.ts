/** Maximum interval between events of one code at one DCU that belong to one incident. */
export const SAME_CAUSE_MS = 600_000;

interface Cause {
  dcuId: string;
  log: string;
  code: number;
}

export interface StoredIncident extends Cause {
  id: string;
  openedAt: number;
  lastAt: number;
}

export interface IncidentEvent extends Cause {
  id: string;
  occurAt: number;
}

export interface Grouping extends Cause {
  /** The stored incident that continues; undefined for a new one. */
  id: string | undefined;
  openedAt: number;
  lastAt: number;
  eventIds: string[];
  /** Stored incidents that merge into this one because a late event connects them. */
  absorbed: string[];
}

const causeKey = ({ dcuId, log, code }: Cause): string => `${dcuId}/${log}/${code}`;

interface Span {
  from: number;
  to: number;
  incident?: string;
  event?: string;
}

/** Groups new events into incidents: they create, continue or merge them, in any order of arrival. */
export function groupByCause(stored: readonly StoredIncident[], events: readonly IncidentEvent[]): Grouping[] {
  const spans = new Map<string, { cause: Cause; spans: Span[] }>();
  const spansOf = ({ dcuId, log, code }: Cause): Span[] => {
    const key = causeKey({ dcuId, log, code });
    let known = spans.get(key);
    if (known === undefined) spans.set(key, (known = { cause: { dcuId, log, code }, spans: [] }));
    return known.spans;
  };
  for (const incident of stored) spansOf(incident).push({ from: incident.openedAt, to: incident.lastAt, incident: incident.id });
  for (const event of events) spansOf(event).push({ from: event.occurAt, to: event.occurAt, event: event.id });
  return [...spans.values()].flatMap(({ cause, spans: members }) => joinSpans(members).map((island) => ({ ...cause, ...island })));
}

function joinSpans(spans: Span[]): Omit<Grouping, keyof Cause>[] {
  const islands: Omit<Grouping, keyof Cause>[] = [];
  let open: Omit<Grouping, keyof Cause> | undefined;
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    if (open === undefined || span.from - open.lastAt > SAME_CAUSE_MS) {
      open = { id: undefined, openedAt: span.from, lastAt: span.to, eventIds: [], absorbed: [] };
      islands.push(open);
    }
    open.lastAt = Math.max(open.lastAt, span.to);
    if (span.event !== undefined) open.eventIds.push(span.event);
    if (span.incident === undefined) continue;
    if (open.id === undefined) open.id = span.incident;
    else open.absorbed.push(span.incident);
  }
  return islands.filter((island) => island.eventIds.length > 0);
}
