import { decode } from '../../src/codec/codec.ts';
import { toHex } from '../../src/codec/hex.ts';
import { dataCodec, type Data } from '../../src/cosem/data.ts';
import { dateTimeCodec, toEpochMs, type CosemDateTime } from '../../src/cosem/date-time.ts';
import { encode } from '../../src/codec/codec.ts';
import type { Selection } from '../../src/cosem/selective-access.ts';
import { decodeGateway } from '../../src/framing/gateway.ts';
import type { Aare } from '../../src/acse/aare.ts';
import type { Aarq } from '../../src/acse/aarq.ts';
import { apduCodec, type Apdu } from '../../src/xdlms/apdu.ts';
import type { CipheredApdu } from '../../src/xdlms/ciphered.ts';
import type { DataResult } from '../../src/xdlms/data-access-result.ts';
import type { AttributeDescriptor, MethodDescriptor } from '../../src/xdlms/descriptors.ts';
import type { Invoke, LongInvoke } from '../../src/xdlms/invoke.ts';

/** Opens a protected APDU for a vector that comes with keys; `undefined` if there is nothing to open it with. */
export type Open = (envelope: Uint8Array) => Uint8Array | undefined;

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const SERVICE_NAMES: Record<string, string> = {
  blockTransferGet: 'block-get',
  blockTransferSet: 'block-set',
  blockTransferAction: 'block-action',
  priorityManagement: 'priority-mgmt',
};
const CONTEXT_NAMES: Record<string, string> = { ln: 'LN', lnCiphered: 'LN-ciphered' };
const KIND_NAMES: Record<string, string> = {
  withDatablock: 'with-datablock',
  firstDatablock: 'first-datablock',
  datablock: 'with-datablock',
  pblock: 'with-pblock',
};
const DIAGNOSTIC_VALUES: Record<string, number> = {
  null: 0,
  noReasonGiven: 1,
  applicationContextNameNotSupported: 2,
  authenticationFailure: 13,
  authenticationRequired: 14,
};

/** Data as the vectors tell it. */
export function dataShape(data: Data): unknown {
  const t = data.type === 'doubleLongUnsigned' ? 'double-long-unsigned' : kebab(data.type);
  if (!('value' in data)) return { t };
  if (Array.isArray(data.value)) return { t, v: data.value.map(dataShape) };
  if (data.value instanceof Uint8Array) return { t, v: toHex(data.value) };
  return { t, v: typeof data.value === 'bigint' ? Number(data.value) : data.value };
}

const rawShape = (octets: Uint8Array): unknown => dataShape(decode(dataCodec, octets));
const invokeShape = ({ id, confirmed, highPriority }: Invoke) => ({ id, confirmed, high: highPriority });
const longInvokeShape = ({ highPriority, ...others }: LongInvoke) => ({ ...others, high: highPriority });
const accessShape = (selection: Selection | undefined) =>
  selection === undefined ? null : { selector: selection.selector, params: dataShape(selection.parameters) };
const attributeShape = ({ classId, instance, attributeId }: AttributeDescriptor) => ({ classId, ln: instance, index: attributeId });
const methodShape = ({ classId, instance, methodId }: MethodDescriptor) => ({ classId, ln: instance, index: methodId });
const timeShape = (time: CosemDateTime | undefined) => (time === undefined ? null : toHex(encode(dateTimeCodec, time)));
const resultShape = (result: DataResult) => (result.ok ? rawShape(result.data) : kebab(result.result));

function getShape(apdu: Extract<Apdu, { apdu: 'getRequest' | 'getResponse' }>): object {
  const head = { apdu: `${kebab(apdu.apdu)}-${KIND_NAMES[apdu.kind] ?? kebab(apdu.kind)}`, invoke: invokeShape(apdu.invoke) };
  if (apdu.apdu === 'getRequest') {
    if (apdu.kind === 'next') return { ...head, blockNumber: apdu.blockNumber };
    if (apdu.kind === 'normal') return { ...head, ...attributeShape(apdu.attribute), access: accessShape(apdu.selection) };
    return { ...head, items: apdu.items.map((item) => ({ ...attributeShape(item.attribute), access: accessShape(item.selection) })) };
  }
  if (apdu.kind === 'withList') return { ...head, items: apdu.results.map(resultShape) };
  const { result } = apdu;
  if (apdu.kind === 'normal') return { ...head, ...(result.ok ? { data: rawShape(result.data) } : { result: kebab(result.result) }) };
  const block = { ...head, last: apdu.lastBlock, blockNumber: apdu.blockNumber };
  return { ...block, ...(result.ok ? { raw: toHex(result.data) } : { result: kebab(result.result) }) };
}

function setShape(apdu: Extract<Apdu, { apdu: 'setRequest' | 'setResponse' }>): object {
  const head = { apdu: `${kebab(apdu.apdu)}-${KIND_NAMES[apdu.kind] ?? kebab(apdu.kind)}`, invoke: invokeShape(apdu.invoke) };
  if (apdu.apdu === 'setResponse') return 'result' in apdu ? { ...head, result: kebab(apdu.result) } : head;
  const target = 'attribute' in apdu ? { ...attributeShape(apdu.attribute), access: accessShape(apdu.selection) } : {};
  if (apdu.kind === 'normal') return { ...head, ...target, value: rawShape(apdu.data) };
  return 'raw' in apdu ? { ...head, ...target, last: apdu.lastBlock, blockNumber: apdu.blockNumber, raw: toHex(apdu.raw) } : head;
}

function actionShape(apdu: Extract<Apdu, { apdu: 'actionRequest' | 'actionResponse' }>): object {
  const kind = apdu.kind === 'firstPblock' ? 'first-pblock' : (KIND_NAMES[apdu.kind] ?? kebab(apdu.kind));
  const head = { apdu: `${kebab(apdu.apdu)}-${kind}`, invoke: invokeShape(apdu.invoke) };
  if (apdu.apdu === 'actionResponse') {
    if (apdu.kind !== 'normal') return head;
    const back = apdu.returned;
    const returned = back === undefined ? {} : back.ok ? { return: rawShape(back.data) } : { returnError: kebab(back.result) };
    return { ...head, result: kebab(apdu.result), ...returned };
  }
  const target = 'method' in apdu ? methodShape(apdu.method) : {};
  if (apdu.kind === 'normal') return { ...head, ...target, ...(apdu.argument === undefined ? {} : { params: rawShape(apdu.argument) }) };
  return 'raw' in apdu ? { ...head, ...target, last: apdu.lastBlock, blockNumber: apdu.blockNumber, raw: toHex(apdu.raw) } : head;
}

function initiateShape(apdu: Extract<Apdu, { apdu: 'initiateRequest' | 'initiateResponse' }>): object {
  const head = { apdu: kebab(apdu.apdu), qos: apdu.qualityOfService ?? null, dlmsVersion: apdu.dlmsVersion, maxPdu: apdu.maxPduSize };
  const conformance = apdu.conformance.map((service) => SERVICE_NAMES[service] ?? kebab(service));
  if (apdu.apdu === 'initiateResponse') return { ...head, conformance, vaaName: apdu.vaaName.toString(16).padStart(4, '0').toUpperCase() };
  const dedicatedKey = apdu.dedicatedKey === undefined ? null : toHex(apdu.dedicatedKey);
  return { ...head, conformance, dedicatedKey, responseAllowed: apdu.responseAllowed };
}

const hexOrNothing = (name: string, octets: Uint8Array | undefined) => (octets === undefined ? {} : { [name]: toHex(octets) });

/** What AARQ and AARE have in common. The reference decoder knows no names for fields 2, 3, 7 and 8. */
function associationShape(apdu: Aarq | Aare, open: Open): object {
  return {
    context: CONTEXT_NAMES[apdu.applicationContext] ?? apdu.applicationContext,
    ...(apdu.authenticationRequirement === undefined ? {} : { acseRequirements: apdu.authenticationRequirement ? '0780' : '0700' }),
    ...(apdu.mechanism === undefined ? {} : { mechanism: apdu.mechanism === 'highGmac' ? 'high-gmac' : apdu.mechanism }),
    ...hexOrNothing('authValue', apdu.authenticationValue),
    ...(apdu.userInformation === undefined ? {} : { userInfo: apduShape(apdu.userInformation, open) }),
  };
}

function aarqShape(apdu: Aarq, open: Open): object {
  const invocationIds = [apdu.calledApInvocationId, apdu.calledAeInvocationId, apdu.callingApInvocationId];
  const skipped =
    apdu.calledApTitle === undefined
      ? {}
      : {
          other: [
            `A2:0401${toHex(apdu.calledApTitle)}`,
            `A3:0401${toHex(apdu.calledAeQualifier ?? new Uint8Array())}`,
            `A7:0401${toHex(apdu.callingAeQualifier ?? new Uint8Array())}`,
            `A8:02010${invocationIds[2]}`,
          ],
          respondingApTitle: `0${invocationIds[0]}`,
        };
  const user = apdu.callingAeInvocationId === undefined ? {} : { userId: `0${apdu.callingAeInvocationId}` };
  return { apdu: 'aarq', ...associationShape(apdu, open), ...hexOrNothing('callingApTitle', apdu.callingApTitle), ...skipped, ...user };
}

function aareShape(apdu: Aare, open: Open): object {
  const { reason, source } = apdu.diagnostic;
  return {
    apdu: 'aare',
    ...associationShape(apdu, open),
    ...hexOrNothing('respondingApTitle', apdu.respondingApTitle),
    result: kebab(apdu.result),
    diagnostic: { source: `acse-service-${source}`, value: DIAGNOSTIC_VALUES[reason], name: kebab(String(reason)) },
  };
}

function cipheredShape(apdu: CipheredApdu, octets: Uint8Array, open: Open): object {
  const plain = open(octets);
  return {
    apdu: kebab(apdu.name),
    sc: apdu.securityControl.toString(16).padStart(2, '0').toUpperCase(),
    suite: apdu.securityControl & 0x0f,
    authenticated: (apdu.securityControl & 0x10) !== 0,
    encrypted: (apdu.securityControl & 0x20) !== 0,
    broadcastKey: (apdu.securityControl & 0x40) !== 0,
    compressed: (apdu.securityControl & 0x80) !== 0,
    ic: apdu.invocationCounter,
    ...hexOrNothing('systemTitle', apdu.systemTitle),
    ...(plain === undefined ? {} : { plain: toHex(plain), inner: apduShape(plain, open) }),
  };
}

function accessServiceShape(apdu: Extract<Apdu, { apdu: 'accessRequest' | 'accessResponse' }>): object {
  const head = {
    apdu: kebab(apdu.apdu),
    longInvoke: longInvokeShape(apdu.longInvoke),
    dateTime: timeShape(apdu.dateTime),
    data: apdu.data.map(rawShape),
  };
  if (apdu.apdu === 'accessResponse')
    return { ...head, results: apdu.results.map(({ kind, result }) => ({ kind, result: kebab(result) })) };
  return {
    ...head,
    specs: apdu.specifications.map((each) => ({
      kind: each.kind,
      ...(each.kind === 'action' ? methodShape(each.method) : attributeShape(each.attribute)),
    })),
  };
}

/** An APDU as the vectors tell it: other names, same meaning. */
export function apduShape(octets: Uint8Array, open: Open): object {
  const gateway = decodeGateway(octets);
  if (gateway !== undefined) {
    const { response, networkId, address } = gateway;
    return {
      apdu: response ? 'gateway-response' : 'gateway-request',
      networkId,
      address: toHex(address),
      inner: apduShape(gateway.apdu, open),
    };
  }
  const apdu = decode(apduCodec, octets);
  switch (apdu.apdu) {
    case 'getRequest':
    case 'getResponse':
      return getShape(apdu);
    case 'setRequest':
    case 'setResponse':
      return setShape(apdu);
    case 'actionRequest':
    case 'actionResponse':
      return actionShape(apdu);
    case 'initiateRequest':
    case 'initiateResponse':
      return initiateShape(apdu);
    case 'aarq':
      return aarqShape(apdu, open);
    case 'aare':
      return aareShape(apdu, open);
    case 'rlrq':
    case 'rlre':
      return {
        apdu: apdu.apdu,
        reason: apdu.reason,
        ...(apdu.userInformation === undefined ? {} : { userInfo: apduShape(apdu.userInformation, open) }),
      };
    case 'ciphered':
      return cipheredShape(apdu, octets, open);
    case 'accessRequest':
    case 'accessResponse':
      return accessServiceShape(apdu);
    case 'dataNotification':
      return {
        apdu: 'data-notification',
        longInvoke: longInvokeShape(apdu.longInvoke),
        dateTime: timeShape(apdu.dateTime),
        body: rawShape(apdu.body),
      };
    case 'generalBlockTransfer':
      return {
        apdu: 'general-block-transfer',
        last: apdu.control.lastBlock,
        streaming: apdu.control.streaming,
        window: apdu.control.window,
        blockNumber: apdu.blockNumber,
        blockNumberAck: apdu.blockNumberAck,
        blockData: toHex(apdu.data),
      };
    case 'exceptionResponse':
      return { apdu: 'exception-response', stateError: kebab(apdu.stateError), serviceError: kebab(apdu.serviceError) };
    case 'confirmedServiceError':
      return {
        apdu: 'confirmed-service-error',
        service: apdu.service === 'initiateError' ? 1 : 0,
        errorClass: apdu.errorClass === 'initiate' ? 6 : 0,
        value: apdu.value,
      };
    default:
      return { apdu: apdu.apdu };
  }
}

const digits = (value: number | null, size: number): string => String(value ?? 0).padStart(size, '0');

/** A moment as the vectors tell it. */
export function dateTimeShape(octets: Uint8Array): object {
  const time = decode(dateTimeCodec, octets);
  const day = `${digits(time.year, 4)}-${digits(time.month, 2)}-${digits(time.day, 2)}`;
  const epochMs = toEpochMs(time);
  return {
    local: `${day}T${digits(time.hour, 2)}:${digits(time.minute, 2)}:${digits(time.second, 2)}.${digits(time.hundredths, 2)}`,
    deviationMinutes: time.deviationMinutes,
    status: time.status?.toString(16).padStart(2, '0').toUpperCase(),
    utc: epochMs === null ? null : new Date(epochMs).toISOString(),
  };
}
