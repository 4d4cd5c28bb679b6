import { channel } from 'node:diagnostics_channel';

/**
 * Facts that engines publish about their work, for the metrics. While nothing subscribes, a publication costs one small object. Measures
 * belong to the process, not to one of several servers in it.
 */
interface Measures {
  /** A result of an item was committed. */
  itemResult: { state: string; reason: string | null };
  /** A device answered a request; milliseconds from the last octet sent to the last one received. */
  roundTrip: { ms: number };
  /** A request to a device received no answer in time. */
  timeout: Record<string, never>;
  /** Rows of readings were committed. */
  rowsStored: { rows: number };
  /** Octets of MQTT messages were handed to the client (positive), or their wait for a confirmation has ended (negative). */
  mqttUnconfirmed: { octets: number };
}

export interface Measure<T> {
  publish(value: T): void;
  /** Returns a function that ends the subscription. */
  subscribe(receive: (value: T) => void): () => void;
}

function measure<K extends keyof Measures>(name: K): Measure<Measures[K]> {
  const published = channel(`hes.${name}`);
  return {
    publish: (value) => published.publish(value),
    subscribe(receive) {
      const listener = (value: unknown) => receive(value as Measures[K]); // as: only this measure publishes on its channel
      published.subscribe(listener);
      return () => published.unsubscribe(listener);
    },
  };
}

export const measures = {
  itemResult: measure('itemResult'),
  roundTrip: measure('roundTrip'),
  timeout: measure('timeout'),
  rowsStored: measure('rowsStored'),
  mqttUnconfirmed: measure('mqttUnconfirmed'),
};
