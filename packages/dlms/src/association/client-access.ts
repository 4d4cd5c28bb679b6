import { decode, encode } from '../codec/codec.ts';
import type { Selection } from '../cosem/selective-access.ts';
import { accessRequest, accessResponse, type AccessRequest } from '../xdlms/access.ts';
import { APDU_TAGS } from '../xdlms/apdu.ts';
import type { ActionResult, DataAccessResult } from '../xdlms/data-access-result.ts';
import type { AttributeDescriptor, MethodDescriptor } from '../xdlms/descriptors.ts';
import { AssociationError } from './association-error.ts';
import type { ClientDialogue } from './client-dialogue.ts';
import type { Exchange } from './exchange.ts';

/** One ACCESS specification; `data` is one encoded Data. */
export type AccessItem =
  | { kind: 'get'; ref: AttributeDescriptor; selection?: Selection | undefined }
  | { kind: 'set'; ref: AttributeDescriptor; data: Uint8Array; selection?: Selection | undefined }
  | { kind: 'action'; ref: MethodDescriptor; data?: Uint8Array | undefined };

/** Result of one specification; `data` is one encoded Data, null-data when there is nothing to return. */
export interface AccessResult {
  result: DataAccessResult | ActionResult;
  data: Uint8Array;
}

const NULL_DATA = Uint8Array.of(0);

function specificationOf(item: AccessItem): AccessRequest['specifications'][number] {
  if (item.kind === 'action') return { kind: 'action', method: item.ref };
  const { kind, ref: attribute, selection } = item;
  if (selection === undefined) return { kind, attribute };
  return { kind: kind === 'get' ? 'getWithSelection' : 'setWithSelection', attribute, selection };
}

/**
 * Performs several reads, writes and invocations with one ACCESS service, in order; results keep that order. `breakOnError` stops at the
 * first failure.
 */
export function* accessItems(
  dialogue: ClientDialogue,
  items: readonly AccessItem[],
  options: { longInvokeId: number; breakOnError: boolean },
): Exchange<AccessResult[]> {
  const { longInvokeId: id, breakOnError } = options;
  const request = encode(accessRequest, {
    longInvoke: { id, selfDescriptive: false, breakOnError, confirmed: true, highPriority: true },
    specifications: items.map(specificationOf),
    data: items.map((item) => (item.kind === 'get' ? NULL_DATA : (item.data ?? NULL_DATA))),
  });
  const apdu = yield* dialogue.sendRequest(request);
  if (apdu[0] !== APDU_TAGS.accessResponse)
    throw new AssociationError('UNEXPECTED_ANSWER', `an APDU with tag ${apdu[0]} instead of ${APDU_TAGS.accessResponse}`);
  const { longInvoke, data, results } = decode(accessResponse, apdu);
  if (longInvoke.id !== id) throw new AssociationError('UNEXPECTED_ANSWER', `invoke id ${longInvoke.id} instead of ${id}`);
  if (results.length !== items.length || data.length !== items.length)
    throw new AssociationError('UNEXPECTED_ANSWER', `${results.length} results for ${items.length} requests`);
  return results.map(({ result }, i) => ({ result, data: data[i] ?? NULL_DATA }));
}
