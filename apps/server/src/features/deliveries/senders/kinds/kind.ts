import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import type { SettingValue, SenderKind } from '@hes/contract/delivery/kinds/kind.ts';
import type { SenderFailure } from '@hes/contract/states/sender.ts';
import type { z } from 'zod';
import type { Config } from '#platform/config.ts';
import { AddressRefused, refusalOf } from '#platform/guarded-network.ts';
import type { CloudEvent } from '../cloud-events.ts';

/** Why a receiver did not take a batch. `refused` alone blames the messages: the one that is refused twice is put aside. */
export class DeliveryFailed extends Error {
  readonly failure: SenderFailure;
  readonly detail: string | null;

  constructor(failure: SenderFailure, detail: string | null = null) {
    super(`${failure} ${detail ?? ''}`.trim());
    this.name = 'DeliveryFailed';
    this.failure = failure;
    this.detail = detail?.slice(0, 200) ?? null;
  }
}

/** Throws unless a host that a user entered may be reached, as far as it is an address. A name is judged by its addresses, at the connection. */
export function requireReachable(host: string, isEncrypted: boolean, networks: readonly string[]): void {
  const refusal = refusalOf(host, isEncrypted, networks);
  if (refusal !== undefined) throw new DeliveryFailed(refusal.failure, refusal.detail);
}

/** The failure that an error of a client stands for, if every kind of sender knows it. */
export function commonFailureOf(error: unknown): DeliveryFailed | undefined {
  if (error instanceof DeliveryFailed) return error;
  return error instanceof AddressRefused ? new DeliveryFailed('address_refused', error.address) : undefined;
}

/** Items of one kind, or one message without meaning. They are sent in this order. */
export interface Batch {
  /** The same for each attempt. */
  id: string;
  kind: FeedKind | 'test';
  /** Rises with each progress of the sender. */
  step: string;
  /** Instant of the attempt, epoch milliseconds. */
  at: number;
  events: readonly CloudEvent[];
}

/** An open way to a receiver. */
export interface Connection {
  /** Whether the next batch can be sent by it. */
  isOpen: () => boolean;
  /** Resolves when the receiver has confirmed all messages; throws `DeliveryFailed`. Ends within half a minute. */
  send: (batch: Batch) => Promise<void>;
  /** Tries the way where a test message would disturb the receiver. Absent: the test is a message. */
  test?: () => Promise<void>;
  /** Ends what is under way as well. */
  close: () => Promise<void> | void;
}

/** Networks and folders that the installation lets senders reach. */
export interface DeliveryReach {
  /** Internal networks, without encryption as well. */
  networks: readonly string[];
  /** Folder below which files may be written; absent: none. */
  folder: string | undefined;
}

export const reachOf = ({ deliveryNetworks, deliveryFolder }: Pick<Config, 'deliveryNetworks' | 'deliveryFolder'>): DeliveryReach => ({
  networks: deliveryNetworks,
  folder: deliveryFolder,
});

export interface Opening<S, K> extends DeliveryReach {
  settings: S;
  secrets: K;
  /** Of the sender; never changes. */
  ref: string;
}

export interface SenderImplementation<S, K> {
  /** Throws `DeliveryFailed`. Ends within half a minute. */
  open: (opening: Opening<S, K>) => Promise<Connection> | Connection;
  /** Batches have at most this many items. */
  batchItems: number;
  /** Length of the periods in each of which the sender runs once. Absent: it runs always. */
  periodMs?: (settings: S) => number;
}

export type AnyImplementation = SenderImplementation<Record<string, SettingValue>, Record<string, string>>;

/** Gives a declared kind its implementation. */
export const implementKind = <S extends z.ZodObject, K extends z.ZodObject>(
  _: SenderKind<S, K>,
  implementation: SenderImplementation<z.output<S>, z.output<K>>,
): AnyImplementation =>
  // as: the engine opens a sender with what the schemas of its kind have read
  implementation as unknown as AnyImplementation;
