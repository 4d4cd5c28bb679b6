/** A state machine as data: the next state per state and event. Absent events are refused. */
export type StateTable<State extends string, Event extends string> = Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>>;

/** The state after an event; undefined when the event is not allowed in this state. */
export const nextState = <State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State,
  event: Event,
): State | undefined => table[state][event];

/** All states reachable from a state. */
export function reachableStates<State extends string, Event extends string>(table: StateTable<State, Event>, from: State): Set<State> {
  const seen = new Set<State>([from]);
  for (const state of seen) for (const next of Object.values<State | undefined>(table[state])) if (next !== undefined) seen.add(next);
  return seen;
}
