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
  /** Returns the way to stop listening. A listener must not throw. */
  subscribe(listener: (event: BusEvent) => void): () => void;
}

export function createBus(): Bus {
  const listeners = new Set<(event: BusEvent) => void>();
  return {
    publish: (topic, message) => {
      for (const listener of listeners) listener({ topic, message });
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
