import { aare } from '../acse/aare.ts';
import { aarq } from '../acse/aarq.ts';
import { rlre } from '../acse/rlre.ts';
import { rlrq } from '../acse/rlrq.ts';
import type { Codec, Tagged } from '../codec/codec.ts';
import { accessRequest, accessResponse } from './access.ts';
import { actionRequest, actionResponse } from './action.ts';
import { CIPHERED_TAGS, cipheredApdu } from './ciphered.ts';
import { confirmedServiceError } from './confirmed-service-error.ts';
import { dataNotification, dataNotificationConfirm } from './data-notification.ts';
import { eventNotification } from './event-notification.ts';
import { exceptionResponse } from './exception-response.ts';
import { generalBlockTransfer } from './general-block-transfer.ts';
import { generalCiphering } from './general-ciphering.ts';
import { generalSigning } from './general-signing.ts';
import { getRequest, getResponse } from './get.ts';
import { informationReportRequest } from './information-report.ts';
import { initiateRequest, initiateResponse } from './initiate.ts';
import { readRequest, readResponse } from './read.ts';
import { setRequest, setResponse } from './set.ts';
import { unconfirmedWriteRequest, writeRequest, writeResponse } from './write.ts';

const APDUS = {
  initiateRequest,
  initiateResponse,
  confirmedServiceError,
  dataNotification,
  dataNotificationConfirm,
  aarq,
  aare,
  rlrq,
  rlre,
  getRequest,
  setRequest,
  eventNotification,
  actionRequest,
  getResponse,
  setResponse,
  actionResponse,
  exceptionResponse,
  accessRequest,
  accessResponse,
  generalBlockTransfer,
  generalCiphering,
  generalSigning,
  readRequest,
  readResponse,
  writeRequest,
  writeResponse,
  unconfirmedWriteRequest,
  informationReportRequest,
  ciphered: cipheredApdu,
};

/** Any APDU; `apdu` names its kind, the other fields come from its codec. */
export type Apdu = Tagged<'apdu', typeof APDUS>;
export type ApduName = keyof typeof APDUS;

/** First octet of every APDU. @spec GB 9.5 (XDLMS-APDU, ACSE-APDU) */
export const APDU_TAGS = {
  initiateRequest: 0x01,
  initiateResponse: 0x08,
  confirmedServiceError: 0x0e,
  dataNotification: 0x0f,
  dataNotificationConfirm: 0x10,
  aarq: 0x60,
  aare: 0x61,
  rlrq: 0x62,
  rlre: 0x63,
  getRequest: 0xc0,
  setRequest: 0xc1,
  eventNotification: 0xc2,
  actionRequest: 0xc3,
  getResponse: 0xc4,
  setResponse: 0xc5,
  actionResponse: 0xc7,
  exceptionResponse: 0xd8,
  accessRequest: 0xd9,
  accessResponse: 0xda,
  generalBlockTransfer: 0xe0,
  generalCiphering: 0xdd,
  generalSigning: 0xdf,
  readRequest: 0x05,
  readResponse: 0x0c,
  writeRequest: 0x06,
  writeResponse: 0x0d,
  unconfirmedWriteRequest: 0x16,
  informationReportRequest: 0x18,
} as const satisfies Record<Exclude<ApduName, 'ciphered'>, number>;

const NAMES = new Map<number, ApduName>([
  ...Object.entries(APDU_TAGS).map(([name, tag]): [number, ApduName] => [tag, name as ApduName]), // as: entries() widens the keys
  ...Object.values(CIPHERED_TAGS).map((tag): [number, ApduName] => [tag, 'ciphered']),
]);

/** The kind of APDU that begins with this octet. */
export const apduName = (firstOctet: number): ApduName | undefined => NAMES.get(firstOctet);

/** Any APDU by its first octet. Ciphered APDUs are not deciphered, which requires keys. @spec GB 9.5 (XDLMS-APDU, ACSE-APDU) */
export const apduCodec: Codec<Apdu> = {
  read: (input) => {
    const tag = input.peek();
    const apdu = NAMES.get(tag) ?? input.fail({ code: 'UNKNOWN_TAG', tag });
    const codec = APDUS[apdu] as Codec<object>; // as: union of codecs, each of which reads an object
    return input.field(apdu, () => ({ apdu, ...codec.read(input) }) as Apdu); // as: name and codec come from the same entry
  },
  write: (out, value) => {
    (APDUS[value.apdu] as Codec<Apdu>).write(out, value); // as: name and codec come from the same entry
  },
};
