import type { Selection } from '../cosem/selective-access.ts';
import type { AttributeDescriptor } from '../xdlms/descriptors.ts';
import type { ReadResult } from './client-services.ts';
import type { InvokeItem, InvokeResult, SetItem, SetResult } from './client-writes.ts';
import type { Exchange } from './exchange.ts';

/** The services of an open association in one form of referencing, logical or short names. Results of lists keep the order of their items. */
export interface ReferencedServices {
  get(ref: AttributeDescriptor, selection?: Selection): Exchange<ReadResult>;
  getList(refs: readonly AttributeDescriptor[]): Exchange<ReadResult[]>;
  set(item: SetItem): Exchange<SetResult>;
  setList(items: readonly SetItem[]): Exchange<SetResult[]>;
  invoke(item: InvokeItem): Exchange<InvokeResult>;
  invokeList(items: readonly InvokeItem[]): Exchange<InvokeResult[]>;
}
