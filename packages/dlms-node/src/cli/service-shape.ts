import { encode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { dateTimeCodec, type CosemDateTime } from '@hes/dlms/cosem/date-time.ts';
import type { Selection } from '@hes/dlms/cosem/selective-access.ts';
import type { Apdu } from '@hes/dlms/xdlms/apdu.ts';
import type { DataResult } from '@hes/dlms/xdlms/data-access-result.ts';
import type { AttributeDescriptor, MethodDescriptor } from '@hes/dlms/xdlms/descriptors.ts';
import type { Invoke, LongInvoke } from '@hes/dlms/xdlms/invoke.ts';
import { dataShape, kebab, rawShape } from './data-shape.ts';

type Named<Name extends Apdu['apdu']> = Extract<Apdu, { apdu: Name }>;

/** APDU names of the standard that differ from ours in more than hyphens. */
const APDU_NAMES: Readonly<Record<string, string>> = {
  'set-request-datablock': 'set-request-with-datablock',
  'action-request-pblock': 'action-request-with-pblock',
  'action-response-pblock': 'action-response-with-pblock',
};

const invokeShape = ({ id, confirmed, highPriority }: Invoke) => ({ id, confirmed, high: highPriority });
export const longInvokeShape = ({ highPriority, ...others }: LongInvoke) => ({ ...others, high: highPriority });
const accessShape = (selection: Selection | undefined) =>
  selection === undefined ? null : { selector: selection.selector, params: dataShape(selection.parameters) };
const attributeShape = ({ classId, instance, attributeId }: AttributeDescriptor) => ({ classId, ln: instance, index: attributeId });
const methodShape = ({ classId, instance, methodId }: MethodDescriptor) => ({ classId, ln: instance, index: methodId });
export const timeShape = (time: CosemDateTime | undefined) => (time === undefined ? null : toHex(encode(dateTimeCodec, time)));
const resultShape = (result: DataResult) => (result.ok ? rawShape(result.data) : kebab(result.result));

const headOf = (apdu: { apdu: string; kind: string; invoke: Invoke }) => {
  const name = `${kebab(apdu.apdu)}-${kebab(apdu.kind)}`;
  return { apdu: APDU_NAMES[name] ?? name, invoke: invokeShape(apdu.invoke) };
};
const blockShape = ({ lastBlock, blockNumber, raw }: { lastBlock: boolean; blockNumber: number; raw: Uint8Array }) => ({
  last: lastBlock,
  blockNumber,
  raw: toHex(raw),
});
const selectedShape = (item: { attribute: AttributeDescriptor; selection?: Selection | undefined }) => ({
  ...attributeShape(item.attribute),
  access: accessShape(item.selection),
});

export function getShape(apdu: Named<'getRequest' | 'getResponse'>): object {
  const head = headOf(apdu);
  if (apdu.apdu === 'getRequest') {
    if (apdu.kind === 'next') return { ...head, blockNumber: apdu.blockNumber };
    if (apdu.kind === 'normal') return { ...head, ...selectedShape(apdu) };
    return { ...head, items: apdu.items.map(selectedShape) };
  }
  if (apdu.kind === 'withList') return { ...head, items: apdu.results.map(resultShape) };
  const { result } = apdu;
  if (apdu.kind === 'normal') return { ...head, ...(result.ok ? { data: rawShape(result.data) } : { result: kebab(result.result) }) };
  const block = { ...head, last: apdu.lastBlock, blockNumber: apdu.blockNumber };
  return { ...block, ...(result.ok ? { raw: toHex(result.data) } : { result: kebab(result.result) }) };
}

export function setShape(apdu: Named<'setRequest' | 'setResponse'>): object {
  const head = headOf(apdu);
  if (apdu.apdu === 'setResponse') {
    const block = 'blockNumber' in apdu ? { blockNumber: apdu.blockNumber } : {};
    if ('results' in apdu) return { ...head, results: apdu.results.map(kebab), ...block };
    return 'result' in apdu ? { ...head, result: kebab(apdu.result), ...block } : { ...head, ...block };
  }
  const target = 'attribute' in apdu ? selectedShape(apdu) : 'items' in apdu ? { items: apdu.items.map(selectedShape) } : {};
  if (apdu.kind === 'normal') return { ...head, ...target, value: rawShape(apdu.data) };
  if (apdu.kind === 'withList') return { ...head, ...target, values: apdu.data.map(rawShape) };
  return { ...head, ...target, ...blockShape(apdu) };
}

const returnedShape = (returned: DataResult | undefined): object => {
  if (returned === undefined) return {};
  return returned.ok ? { return: rawShape(returned.data) } : { returnError: kebab(returned.result) };
};

export function actionShape(apdu: Named<'actionRequest' | 'actionResponse'>): object {
  const head = headOf(apdu);
  if (apdu.apdu === 'actionResponse') {
    if (apdu.kind === 'normal') return { ...head, result: kebab(apdu.result), ...returnedShape(apdu.returned) };
    if (apdu.kind === 'withList')
      return { ...head, items: apdu.results.map(({ result, returned }) => ({ result: kebab(result), ...returnedShape(returned) })) };
    return apdu.kind === 'pblock' ? { ...head, ...blockShape(apdu) } : { ...head, blockNumber: apdu.blockNumber };
  }
  if (apdu.kind === 'nextPblock') return { ...head, blockNumber: apdu.blockNumber };
  const target = 'method' in apdu ? methodShape(apdu.method) : 'methods' in apdu ? { items: apdu.methods.map(methodShape) } : {};
  if (apdu.kind === 'normal') return { ...head, ...target, ...(apdu.argument === undefined ? {} : { params: rawShape(apdu.argument) }) };
  if (apdu.kind === 'withList') return { ...head, ...target, params: apdu.arguments.map(rawShape) };
  return { ...head, ...target, ...blockShape(apdu) };
}

export function accessServiceShape(apdu: Named<'accessRequest' | 'accessResponse'>): object {
  const head = {
    apdu: kebab(apdu.apdu),
    longInvoke: longInvokeShape(apdu.longInvoke),
    dateTime: timeShape(apdu.dateTime),
    data: apdu.data.map(rawShape),
  };
  const specs = apdu.specifications?.map((each) => ({
    kind: kebab(each.kind),
    ...(each.kind === 'action' ? methodShape(each.method) : attributeShape(each.attribute)),
    ...('selection' in each ? { access: accessShape(each.selection) } : {}),
  }));
  if (apdu.apdu === 'accessRequest') return { ...head, specs };
  const results = apdu.results.map(({ kind, result }) => ({ kind, result: kebab(result) }));
  return { ...head, results, ...(specs === undefined ? {} : { specs }) };
}

export const eventShape = ({ time, attribute, data }: Named<'eventNotification'>): object => ({
  apdu: 'event-notification',
  time: timeShape(time),
  ...attributeShape(attribute),
  value: rawShape(data),
});
