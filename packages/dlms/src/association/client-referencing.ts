import type { Selection } from '../cosem/selective-access.ts';
import type { AttributeDescriptor } from '../xdlms/descriptors.ts';
import type { ReadResult } from './client-services.ts';
import type { UnconfirmedRequest } from './client-unconfirmed.ts';
import type { InvokeItem, InvokeResult, SetItem, SetResult } from './client-writes.ts';
import type { Exchange } from './exchange.ts';

/** Class and logical name of an object. */
export type ObjectAddress = Pick<AttributeDescriptor, 'classId' | 'instance'>;

/** The services of an open association in one form of referencing, logical or short names. Results of lists keep the order of their items. */
export interface ReferencedServices {
  get(ref: AttributeDescriptor, selection?: Selection): Exchange<ReadResult>;
  getList(refs: readonly AttributeDescriptor[]): Exchange<ReadResult[]>;
  set(item: SetItem): Exchange<SetResult>;
  setList(items: readonly SetItem[]): Exchange<SetResult[]>;
  invoke(item: InvokeItem): Exchange<InvokeResult>;
  invokeList(items: readonly InvokeItem[]): Exchange<InvokeResult[]>;
  /** Whether `encodeUnconfirmed` knows how the server addresses an object. */
  isLocated(target: ObjectAddress): boolean;
  /** Learns how the server addresses objects. */
  locate(targets: readonly ObjectAddress[]): Exchange<void>;
  /** Encodes a request without response of at most `room` octets. Throws `AssociationError`: `NOT_GRANTED` or `BLOCK_ERROR`. */
  encodeUnconfirmed(request: UnconfirmedRequest, room: number): Uint8Array;
}
