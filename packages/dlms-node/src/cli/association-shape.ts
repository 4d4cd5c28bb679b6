import type { Aare } from '@hes/dlms/acse/aare.ts';
import type { Aarq } from '@hes/dlms/acse/aarq.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { diagnostic } from '@hes/dlms/acse/names.ts';
import { hexOctet, kebab } from './data-shape.ts';
import type { Apdu } from '@hes/dlms/xdlms/apdu.ts';

const SERVICE_NAMES: Record<string, string> = {
  blockTransferGet: 'block-get',
  blockTransferSet: 'block-set',
  blockTransferAction: 'block-action',
  priorityManagement: 'priority-mgmt',
  attribute0Get: 'attribute0-get',
  attribute0Set: 'attribute0-set',
};
const CONTEXT_NAMES: Record<string, string> = { ln: 'LN', sn: 'SN', lnCiphered: 'LN-ciphered', snCiphered: 'SN-ciphered' };

const hexOrNothing = (name: string, octets: Uint8Array | undefined) => (octets === undefined ? {} : { [name]: toHex(octets) });

export function initiateShape(apdu: Extract<Apdu, { apdu: 'initiateRequest' | 'initiateResponse' }>): object {
  const head = { apdu: kebab(apdu.apdu), qos: apdu.qualityOfService ?? null, dlmsVersion: apdu.dlmsVersion, maxPdu: apdu.maxPduSize };
  const conformance = apdu.conformance.map((service) => SERVICE_NAMES[service] ?? kebab(service));
  if (apdu.apdu === 'initiateResponse') return { ...head, conformance, vaaName: apdu.vaaName.toString(16).padStart(4, '0').toUpperCase() };
  const dedicatedKey = apdu.dedicatedKey === undefined ? null : toHex(apdu.dedicatedKey);
  return { ...head, conformance, dedicatedKey, responseAllowed: apdu.responseAllowed };
}

/** The common fields of AARQ and AARE. */
function commonShape(apdu: Aarq | Aare, userInfo: object | undefined): object {
  return {
    context: CONTEXT_NAMES[apdu.applicationContext] ?? apdu.applicationContext,
    ...(apdu.authenticationRequirement === undefined ? {} : { acseRequirements: apdu.authenticationRequirement ? '0780' : '0700' }),
    ...(apdu.mechanism === undefined ? {} : { mechanism: kebab(apdu.mechanism) }),
    ...hexOrNothing('authValue', apdu.authenticationValue),
    ...(userInfo === undefined ? {} : { userInfo }),
  };
}

/** A field that is not interpreted: its tag and octets. */
const otherOctets = (tag: string, value: Uint8Array | undefined) =>
  value === undefined ? [] : [`${tag}:04${hexOctet(value.length)}${toHex(value)}`];
const otherNumber = (tag: string, value: number | undefined) => (value === undefined ? [] : [`${tag}:0201${hexOctet(value)}`]);

export function aarqShape(apdu: Aarq, userInfo: object | undefined): object {
  const other = [
    ...otherOctets('A2', apdu.calledApTitle),
    ...otherOctets('A3', apdu.calledAeQualifier),
    ...otherOctets('A7', apdu.callingAeQualifier),
    ...otherNumber('A8', apdu.callingApInvocationId),
  ];
  return {
    apdu: 'aarq',
    ...commonShape(apdu, userInfo),
    ...hexOrNothing('callingApTitle', apdu.callingApTitle),
    ...(other.length === 0 ? {} : { other }),
    // The shape names field 4 as in an AARE, where it is the responding AP title.
    ...(apdu.calledApInvocationId === undefined ? {} : { respondingApTitle: hexOctet(apdu.calledApInvocationId) }),
    ...(apdu.callingAeInvocationId === undefined ? {} : { userId: hexOctet(apdu.callingAeInvocationId) }),
  };
}

export function aareShape(apdu: Aare, userInfo: object | undefined): object {
  const { reason, source } = apdu.diagnostic;
  return {
    apdu: 'aare',
    ...commonShape(apdu, userInfo),
    ...hexOrNothing('respondingApTitle', apdu.respondingApTitle),
    result: kebab(apdu.result),
    // The number is the last octet, for either source.
    diagnostic: { source: `acse-service-${source}`, value: encode(diagnostic, apdu.diagnostic).at(-1), name: kebab(String(reason)) },
  };
}
