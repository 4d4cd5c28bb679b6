import fc, { type Arbitrary } from 'fast-check';
import { encode } from '../../src/codec/codec.ts';
import type { Data, TypeDescription } from '../../src/cosem/data-value.ts';
import { dataCodec } from '../../src/cosem/data.ts';
import type { CosemDateTime } from '../../src/cosem/date-time.ts';
import { obis, type Obis } from '../../src/cosem/obis.ts';
import type { Selection } from '../../src/cosem/selective-access.ts';
import type { Apdu, ApduName } from '../../src/xdlms/apdu.ts';
import { CIPHERED_TAGS, type CipheredApduFields, type CipheredName } from '../../src/xdlms/ciphered.ts';
import { CONFORMANCE, type Conformance } from '../../src/xdlms/conformance.ts';
import type { ActionResult, DataAccessResult, DataResult } from '../../src/xdlms/data-access-result.ts';

const uint = (bits: number): Arbitrary<number> => fc.integer({ min: 0, max: 2 ** bits - 1 });
const int = (bits: number): Arbitrary<number> => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });
const bytes = (size: number): Arbitrary<Uint8Array> => fc.uint8Array({ minLength: size, maxLength: size });
const blob = fc.uint8Array({ maxLength: 300 });
const latinText = fc.array(uint(8), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes));
const octetOrNothing = fc.option(uint(8).filter((value) => value !== 0xff));

export const anyObis: Arbitrary<Obis> = bytes(6).map((octets) => obis(octets.join('.')));

const NUMBERS = {
  doubleLong: int(32),
  doubleLongUnsigned: uint(32),
  bcd: int(8),
  integer: int(8),
  long: int(16),
  unsigned: uint(8),
  longUnsigned: uint(16),
  enum: uint(8),
  float32: fc.float(),
  float64: fc.double(),
  deltaInteger: int(8),
  deltaLong: int(16),
  deltaDoubleLong: int(32),
  deltaUnsigned: uint(8),
  deltaLongUnsigned: uint(16),
  deltaDoubleLongUnsigned: uint(32),
} as const;

const scalars: Record<string, Arbitrary<Data>> = {
  boolean: fc.record({ type: fc.constant('boolean'), value: fc.boolean() }),
  bitString: fc.record({
    type: fc.constant('bitString'),
    value: fc.array(fc.constantFrom('0', '1'), { maxLength: 40 }).map((bits) => bits.join('')),
  }),
  ...Object.fromEntries(
    Object.entries(NUMBERS).map(([type, value]) => [type, fc.record({ type: fc.constant(type as keyof typeof NUMBERS), value })]), // as: entries() widens
  ),
  long64: fc.record({ type: fc.constant('long64'), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
  long64Unsigned: fc.record({ type: fc.constant('long64Unsigned'), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
  octetString: fc.record({ type: fc.constant('octetString'), value: blob }),
  date: fc.record({ type: fc.constant('date'), value: bytes(5) }),
  time: fc.record({ type: fc.constant('time'), value: bytes(4) }),
  dateTime: fc.record({ type: fc.constant('dateTime'), value: bytes(12) }),
  visibleString: fc.record({ type: fc.constant('visibleString'), value: latinText }),
  utf8String: fc.record({ type: fc.constant('utf8String'), value: fc.string({ unit: 'grapheme', maxLength: 20 }) }),
};

const nothing: Arbitrary<Data> = fc.constantFrom({ type: 'null' }, { type: 'dontCare' });
export const scalarData: Arbitrary<Data> = fc.oneof(nothing, ...Object.values(scalars));

const descriptions: Arbitrary<TypeDescription> = fc.letrec<{ description: TypeDescription }>((tie) => ({
  description: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...(Object.keys(scalars) as (keyof typeof NUMBERS)[])).map((type): TypeDescription => ({ type })), // as: all of them are scalar types
    fc.record({ type: fc.constant('structure' as const), elements: fc.array(tie('description'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ type: fc.constant('array' as const), count: fc.integer({ min: 1, max: 4 }), element: tie('description') }),
  ),
})).description;

function dataOf(description: TypeDescription): Arbitrary<Data> {
  if (description.type === 'structure') return fc.tuple(...description.elements.map(dataOf)).map((value) => ({ type: 'structure', value }));
  if (description.type === 'array') {
    return fc
      .array(dataOf(description.element), { minLength: description.count, maxLength: description.count })
      .map((value) => ({ type: 'array', value }));
  }
  return scalars[description.type] ?? nothing;
}

const compactArray: Arbitrary<Data> = descriptions.chain((description) =>
  fc.array(dataOf(description), { maxLength: 5 }).map((value) => ({ type: 'compactArray', value, description })),
);

/** Any Data, nested and compact ones included. */
export const anyData: Arbitrary<Data> = fc.letrec<{ data: Data }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'data' },
    scalarData,
    compactArray,
    fc.record({
      type: fc.constantFrom('array' as const, 'structure' as const),
      value: fc.array(tie('data'), { maxLength: 5, depthIdentifier: 'data' }),
    }),
  ),
})).data;

const raw: Arbitrary<Uint8Array> = anyData.map((data) => encode(dataCodec, data));

export const anyDateTime: Arbitrary<CosemDateTime> = fc.record({
  year: fc.option(uint(16).filter((value) => value !== 0xffff)),
  month: octetOrNothing,
  day: octetOrNothing,
  dayOfWeek: octetOrNothing,
  hour: octetOrNothing,
  minute: octetOrNothing,
  second: octetOrNothing,
  hundredths: octetOrNothing,
  deviationMinutes: fc.option(int(16).filter((value) => value !== -0x8000)),
  status: octetOrNothing,
});

const selection: Arbitrary<Selection | undefined> = fc.option(fc.record({ selector: uint(8), parameters: anyData }), { nil: undefined });
const attribute = fc.record({ classId: uint(16), instance: anyObis, attributeId: int(8) });
const method = fc.record({ classId: uint(16), instance: anyObis, methodId: int(8) });
const invoke = fc.record({ id: uint(4), confirmed: fc.boolean(), highPriority: fc.boolean() });
const longInvoke = fc.record({
  id: uint(24),
  selfDescriptive: fc.boolean(),
  breakOnError: fc.boolean(),
  confirmed: fc.boolean(),
  highPriority: fc.boolean(),
});
const block = { lastBlock: fc.boolean(), blockNumber: uint(32), raw: blob };
const dataAccessResult = fc.constantFrom<DataAccessResult[]>(
  'success',
  'hardwareFault',
  'objectUndefined',
  'dataBlockNumberInvalid',
  'otherReason',
);
const actionResult = fc.constantFrom<ActionResult[]>('success', 'temporaryFailure', 'readWriteDenied', 'otherReason');
const resultOf = (data: Arbitrary<Uint8Array>): Arbitrary<DataResult> =>
  fc.oneof(fc.record({ ok: fc.constant(true as const), data }), fc.record({ ok: fc.constant(false as const), result: dataAccessResult }));
const list = <T>(item: Arbitrary<T>): Arbitrary<T[]> => fc.array(item, { maxLength: 4 });
const maybe = <T>(value: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const dateTime = maybe(anyDateTime);
const conformance = fc.subarray([...CONFORMANCE]) as Arbitrary<Conformance[]>; // as: a part of that very list
const items = list(fc.record({ attribute, selection }));
const identifier = fc.array(fc.integer({ min: 0, max: 0x0fff_ffff }), { maxLength: 5 }).map((arcs) => ['2', '17', ...arcs].join('.'));
const context = fc.oneof(fc.constantFrom('ln', 'lnCiphered', 'sn'), identifier);
const mechanism = fc.oneof(fc.constantFrom('low', 'highGmac'), identifier);

const acse = {
  applicationContext: context,
  authenticationRequirement: maybe(fc.boolean()),
  mechanism: maybe(mechanism),
  authenticationValue: maybe(blob),
  userInformation: maybe(blob),
  protocolVersion: maybe(bytes(2)),
};

const kind = <K extends string, S extends Record<string, Arbitrary<unknown>>>(name: K, shape: S) =>
  fc.record({ kind: fc.constant(name), ...shape });
const specification = fc.oneof(
  kind('get', { attribute }),
  kind('set', { attribute }),
  kind('action', { method }),
  kind('getWithSelection', { attribute, selection: fc.record({ selector: uint(8), parameters: scalarData }) }),
);

const AUTHENTICATED = 0x10;
const GCM_TAG_LENGTH = 12;

const ciphered: Arbitrary<CipheredApduFields> = fc
  .record({
    name: fc.constantFrom(...(Object.keys(CIPHERED_TAGS) as CipheredName[])),
    securityControl: uint(8),
    invocationCounter: uint(32),
    body: blob,
  }) // as: keys() widens
  .filter(({ securityControl, body }) => (securityControl & AUTHENTICATED) === 0 || body.length >= GCM_TAG_LENGTH)
  .chain((ciphered) =>
    ciphered.name.startsWith('general') ? bytes(8).map((systemTitle) => ({ ...ciphered, systemTitle })) : fc.constant(ciphered),
  );

const generalHeader = {
  transactionId: blob,
  originatorSystemTitle: bytes(8),
  recipientSystemTitle: blob,
  dateTime: fc.oneof(fc.constant(new Uint8Array()), bytes(12)),
  otherInformation: blob,
};
const keyInfo = fc.oneof(
  kind('identified', { keyId: fc.constantFrom('globalUnicastEncryption', 'globalBroadcastEncryption') }),
  kind('wrapped', { kekId: fc.constant('master'), keyCipheredData: blob }),
  kind('agreed', { keyParameters: blob, keyCipheredData: blob }),
);
const blockOfShortNames = { lastBlock: fc.boolean(), blockNumber: uint(16), raw: blob };
const variables = list(
  fc.oneof(
    kind('variableName', { variableName: int(16) }),
    kind('parameterizedAccess', { variableName: int(16), selector: uint(8), parameter: scalarData }),
    kind('blockNumberAccess', { blockNumber: uint(16) }),
    kind('readDataBlockAccess', blockOfShortNames),
    kind('writeDataBlockAccess', { lastBlock: fc.boolean(), blockNumber: uint(16) }),
  ),
);
const assignments = { specifications: variables, data: list(raw) };

/** APDUs of every kind, without the name of the kind. */
const BODIES: Record<ApduName, Arbitrary<object>> = {
  initiateRequest: fc.record({
    dedicatedKey: maybe(bytes(16)),
    responseAllowed: fc.boolean(),
    qualityOfService: maybe(uint(8)),
    dlmsVersion: uint(8),
    conformance,
    maxPduSize: uint(16),
  }),
  initiateResponse: fc.record({
    qualityOfService: maybe(uint(8)),
    dlmsVersion: uint(8),
    conformance,
    maxPduSize: uint(16),
    vaaName: uint(16),
  }),
  confirmedServiceError: fc.record({
    service: fc.constantFrom('initiateError', 'read'),
    errorClass: fc.constantFrom('initiate', 'access'),
    value: uint(8),
  }),
  dataNotification: fc.record({ longInvoke, dateTime, body: raw }),
  dataNotificationConfirm: fc.record({ longInvoke, dateTime }),
  aarq: fc.record({
    ...acse,
    callingApTitle: maybe(bytes(8)),
    calledApTitle: maybe(blob),
    callingAeInvocationId: maybe(uint(8)),
    calledApInvocationId: maybe(uint(32)),
  }),
  aare: fc.record({
    ...acse,
    result: fc.constantFrom('accepted', 'rejectedPermanent', 'rejectedTransient'),
    diagnostic: fc.oneof(
      fc.record({ source: fc.constant('user'), reason: fc.constantFrom('null', 'authenticationRequired', 99) }),
      fc.record({ source: fc.constant('provider'), reason: fc.constantFrom('noCommonAcseVersion', 'noReasonGiven') }),
    ),
    respondingApTitle: maybe(bytes(8)),
    others: maybe(fc.constant([{ tag: 0xbd, content: Uint8Array.of(1, 2) }])),
  }),
  rlrq: fc.record({ reason: maybe(uint(8)), userInformation: maybe(blob) }),
  rlre: fc.record({ reason: maybe(uint(8)), userInformation: maybe(blob) }),
  getRequest: fc.oneof(
    kind('normal', { invoke, attribute, selection }),
    kind('next', { invoke, blockNumber: uint(32) }),
    kind('withList', { invoke, items }),
  ),
  getResponse: fc.oneof(
    kind('normal', { invoke, result: resultOf(raw) }),
    kind('withDatablock', { invoke, lastBlock: fc.boolean(), blockNumber: uint(32), result: resultOf(blob) }),
    kind('withList', { invoke, results: list(resultOf(raw)) }),
  ),
  setRequest: fc.oneof(
    kind('normal', { invoke, attribute, selection, data: raw }),
    kind('firstDatablock', { invoke, attribute, selection, ...block }),
    kind('datablock', { invoke, ...block }),
    kind('withList', { invoke, items, data: list(raw) }),
    kind('withListAndFirstDatablock', { invoke, items, ...block }),
  ),
  setResponse: fc.oneof(
    kind('normal', { invoke, result: dataAccessResult }),
    kind('datablock', { invoke, blockNumber: uint(32) }),
    kind('lastDatablock', { invoke, result: dataAccessResult, blockNumber: uint(32) }),
    kind('lastDatablockWithList', { invoke, results: list(dataAccessResult), blockNumber: uint(32) }),
    kind('withList', { invoke, results: list(dataAccessResult) }),
  ),
  actionRequest: fc.oneof(
    kind('normal', { invoke, method, argument: maybe(raw) }),
    kind('nextPblock', { invoke, blockNumber: uint(32) }),
    kind('withList', { invoke, methods: list(method), arguments: list(raw) }),
    kind('firstPblock', { invoke, method, ...block }),
    kind('withListAndFirstPblock', { invoke, methods: list(method), ...block }),
    kind('pblock', { invoke, ...block }),
  ),
  actionResponse: fc.oneof(
    kind('normal', { invoke, result: actionResult, returned: maybe(resultOf(raw)) }),
    kind('pblock', { invoke, ...block }),
    kind('withList', { invoke, results: list(fc.record({ result: actionResult, returned: maybe(resultOf(raw)) })) }),
    kind('nextPblock', { invoke, blockNumber: uint(32) }),
  ),
  eventNotification: fc.record({ time: dateTime, attribute, data: raw }),
  exceptionResponse: fc.oneof(
    fc.record({
      stateError: fc.constantFrom('serviceNotAllowed', 'serviceUnknown'),
      serviceError: fc.constantFrom('operationNotPossible', 'decipheringError'),
    }),
    fc.record({
      stateError: fc.constant('serviceNotAllowed'),
      serviceError: fc.constant('invocationCounterError'),
      invocationCounter: maybe(uint(32)),
    }),
  ),
  accessRequest: fc.record({ longInvoke, dateTime, specifications: list(specification), data: list(raw) }),
  accessResponse: fc.record({
    longInvoke,
    dateTime,
    specifications: maybe(list(specification)),
    data: list(raw),
    results: list(fc.oneof(kind('get', { result: dataAccessResult }), kind('action', { result: actionResult }))),
  }),
  generalBlockTransfer: fc.record({
    control: fc.record({ lastBlock: fc.boolean(), streaming: fc.boolean(), window: uint(6) }),
    blockNumber: uint(16),
    blockNumberAck: uint(16),
    data: blob,
  }),
  generalCiphering: fc.record({
    ...generalHeader,
    keyInfo: maybe(keyInfo),
    service: fc.record({ securityControl: uint(8), invocationCounter: uint(32), body: blob }),
  }),
  generalSigning: fc.record({ ...generalHeader, content: blob, signature: bytes(64) }),
  readRequest: fc.record({ specifications: variables }),
  readResponse: fc.record({
    results: list(
      fc.oneof(
        kind('data', { data: raw }),
        kind('dataAccessError', { result: dataAccessResult }),
        kind('dataBlock', blockOfShortNames),
        kind('blockNumber', { blockNumber: uint(16) }),
      ),
    ),
  }),
  writeRequest: fc.record(assignments),
  writeResponse: fc.record({
    results: list(
      fc.oneof(kind('success', {}), kind('dataAccessError', { result: dataAccessResult }), kind('blockNumber', { blockNumber: uint(16) })),
    ),
  }),
  unconfirmedWriteRequest: fc.record(assignments),
  informationReportRequest: fc.record({ currentTime: maybe(fc.constant('20261121144500Z')), ...assignments }),
  ciphered,
};

/** Any APDU of each kind. */
export const anyApdu = Object.fromEntries(
  Object.entries(BODIES).map(([apdu, body]) => [apdu, body.map((value) => ({ apdu, ...value }) as Apdu)]), // as: the bodies above have the fields of their codecs
) as Record<ApduName, Arbitrary<Apdu>>; // as: the same keys
