import type { LiveMessage } from '@hes/contract/core/live.ts';

/** Topic of notices for all signed-in users. */
export const EVERYONE = 'everyone';

/** A message for open consoles. Topics: `task:<id>`, `dcu`, `reading`, `session:<id>`; for notices `user:<id>` and `everyone`. */
interface BusEvent {
  topic: string;
  message: LiveMessage;
}

/** Publishes messages to all parts of the head-end, within this process. */
export interface Bus {
  publish(topic: string, message: LiveMessage): void;
  /**
   * Returns a function that unsubscribes. A listener must not throw. `wants` selects the topics that the listener uses (default: all),
   * because some messages are expensive to create.
   */
  subscribe(listener: (event: BusEvent) => void, wants?: (topic: string) => boolean): () => void;
  /** Whether any listener uses a topic; otherwise its messages need not be created. */
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
