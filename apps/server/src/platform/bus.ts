import type { LiveMessage } from '@hes/contract/core/live.ts';

/** Topic of notices that concern everyone signed in. */
export const EVERYONE = 'everyone';

/** A message for open consoles. Topics: `task:<id>`, `dcu`, `reading`, `session:<id>`; of notices `user:<id>` and `everyone`. */
export interface BusEvent {
  topic: string;
  message: LiveMessage;
}

/** Tells every part of the head-end what happened. In this process now; between nodes behind the same two functions later. */
export interface Bus {
  publish(topic: string, message: LiveMessage): void;
  /**
   * Returns the way to stop listening. A listener must not throw. `wants` says which topics it does anything about, as far
   * as making their messages costs something; all, when not given.
   */
  subscribe(listener: (event: BusEvent) => void, wants?: (topic: string) => boolean): () => void;
  /** Whether anybody does anything about a topic now: what nobody follows need not be looked up. */
  isFollowed(topic: string): boolean;
}

export function createBus(): Bus {
  const listeners = new Map<(event: BusEvent) => void, (topic: string) => boolean>();
  return {
    publish: (topic, message) => {
      for (const listener of listeners.keys()) listener({ topic, message });
    },
    subscribe: (listener, wants = () => true) => {
      listeners.set(listener, wants);
      return () => void listeners.delete(listener);
    },
    isFollowed: (topic) => [...listeners.values()].some((wants) => wants(topic)),
  };
}
