import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { apduCodec, type Apdu } from '@hes/dlms/xdlms/apdu.ts';
import { confirmedServiceError } from '@hes/dlms/xdlms/confirmed-service-error.ts';
import type { CipheredApduFields } from '@hes/dlms/xdlms/ciphered.ts';
import { aareShape, aarqShape, initiateShape } from './association-shape.ts';
import { hexOctet, kebab, plainShape, rawShape } from './data-shape.ts';
import { accessServiceShape, actionShape, eventShape, getShape, longInvokeShape, setShape, timeShape } from './service-shape.ts';

/** Unprotects an APDU; `undefined` without keys. Throws `DecodeError`. */
export type Open = (envelope: Uint8Array) => Uint8Array | undefined;

const AUTHENTICATED = 0x10;
const ENCRYPTED = 0x20;
const BROADCAST_KEY = 0x40;
const COMPRESSED = 0x80;
const SUITE_MASK = 0x0f;

/** Decodes an enclosed message; errors report the path within the whole. */
export function readInner<T>(name: string, offset: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const path = error.path === '' ? name : `${name}.${error.path}`;
    throw new DecodeError(error.fault, { offset: offset + error.offset, path });
  }
}

function cipheredShape(apdu: CipheredApduFields, octets: Uint8Array, open: Open): object {
  const plain = open(octets);
  const control = apdu.securityControl;
  return {
    apdu: kebab(apdu.name),
    sc: hexOctet(control),
    suite: control & SUITE_MASK,
    authenticated: (control & AUTHENTICATED) !== 0,
    encrypted: (control & ENCRYPTED) !== 0,
    broadcastKey: (control & BROADCAST_KEY) !== 0,
    compressed: (control & COMPRESSED) !== 0,
    ic: apdu.invocationCounter,
    ...(apdu.systemTitle === undefined ? {} : { systemTitle: toHex(apdu.systemTitle) }),
    // Inner offsets count from the first octet of the plaintext.
    ...(plain === undefined ? {} : { plain: toHex(plain), inner: readInner('inner', 0, () => apduShape(plain, open)) }),
  };
}

function releaseShape(apdu: Extract<Apdu, { apdu: 'rlrq' | 'rlre' }>, octets: Uint8Array, open: Open): object {
  const declared = octets[1] ?? 0;
  const actual = octets.length - 2;
  return {
    apdu: apdu.apdu,
    ...(declared === actual ? {} : { lengthMismatch: { declared, actual } }),
    ...(apdu.reason === undefined ? {} : { reason: apdu.reason }),
    ...(apdu.userInformation === undefined ? {} : { userInfo: userInfoShape(apdu.userInformation, open) }),
  };
}

const userInfoShape = (octets: Uint8Array | undefined, open: Open): object | undefined =>
  octets === undefined ? undefined : readInner('userInformation', 0, () => apduShape(octets, open));

function errorShape(apdu: Extract<Apdu, { apdu: 'exceptionResponse' | 'confirmedServiceError' }>): object {
  if (apdu.apdu === 'confirmedServiceError') {
    const [, service, errorClass] = encode(confirmedServiceError, apdu);
    return { apdu: 'confirmed-service-error', service, errorClass, value: apdu.value };
  }
  const counter = apdu.invocationCounter === undefined ? {} : { invocationCounter: apdu.invocationCounter };
  return { apdu: 'exception-response', stateError: kebab(apdu.stateError), serviceError: kebab(apdu.serviceError), ...counter };
}

/** An APDU as plain JSON, including the content of gateway header and protection. Throws `DecodeError`. */
export function apduShape(octets: Uint8Array, open: Open): object {
  const gateway = decodeGateway(octets);
  if (gateway !== undefined) {
    const { response, networkId, address, apdu } = gateway;
    const inner = readInner('inner', octets.length - apdu.length, () => apduShape(apdu, open));
    return { apdu: response ? 'gateway-response' : 'gateway-request', networkId, address: toHex(address), inner };
  }
  return bareShape(decode(apduCodec, octets), octets, open);
}

function bareShape(apdu: Apdu, octets: Uint8Array, open: Open): object {
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
      return aarqShape(apdu, userInfoShape(apdu.userInformation, open));
    case 'aare':
      return aareShape(apdu, userInfoShape(apdu.userInformation, open));
    case 'rlrq':
    case 'rlre':
      return releaseShape(apdu, octets, open);
    case 'ciphered':
      return cipheredShape(apdu, octets, open);
    case 'accessRequest':
    case 'accessResponse':
      return accessServiceShape(apdu);
    case 'eventNotification':
      return eventShape(apdu);
    case 'exceptionResponse':
    case 'confirmedServiceError':
      return errorShape(apdu);
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
    default:
      return { ...(plainShape(apdu) as object), apdu: kebab((apdu as { apdu: string }).apdu) }; // as: every kind the codec decodes has a name
  }
}
