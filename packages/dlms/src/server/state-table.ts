/** A state machine as data: what each event leads to in each state. What is not there is refused. */
export type StateTable<State extends string, Event extends string> = Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>>;

/** The state an event leads to; undefined when it may not happen now. */
export const nextState = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State,
  event: Event,
): State | undefined => table[state][event];

/** Every state that can be reached from one. */
export function reachable<State extends string, Event extends string>(table: StateTable<State, Event>, from: State): Set<State> {
  const seen = new Set<State>([from]);
  for (const state of seen) for (const next of Object.values<State | undefined>(table[state])) if (next !== undefined) seen.add(next);
  return seen;
}
