import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';
import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { Codec } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { autoConnect } from '@hes/dlms/cosem/classes/auto-connect.ts';
import { gprsModemSetup } from '@hes/dlms/cosem/classes/gprs-modem-setup.ts';
import { ipv4Setup } from '@hes/dlms/cosem/classes/ipv4-setup.ts';
import { macAddressSetup } from '@hes/dlms/cosem/classes/mac-address-setup.ts';
import { ntpSetup } from '@hes/dlms/cosem/classes/ntp-setup.ts';
import { pppSetup } from '@hes/dlms/cosem/classes/ppp-setup.ts';
import { tcpUdpSetup } from '@hes/dlms/cosem/classes/tcp-udp-setup.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import type { DeviceLink } from '#field/link.ts';
import { decodeOptional } from '#field/operations/decode-optional.ts';
import { refused } from '#field/operations/read-values.ts';

interface Told {
  item: string;
  object: WellKnownKey;
  attribute: { id: number; codec: Codec<unknown> };
  text(value: unknown): ReadValue['value'];
}

/** One line of what a DCU tells; null where there is nothing to tell. */
const line = <T>(
  item: string,
  object: WellKnownKey,
  attribute: { id: number; codec: Codec<T> },
  text: (value: T) => ReadValue['value'],
  // as: what the codec gives is what the text takes; the list only has to be of one type.
): Told => ({ item, object, attribute, text }) as Told;

const letters = (octets: Uint8Array): string | null => (octets.length === 0 ? null : Buffer.from(octets).toString('utf8'));

/** As people write it: `10.64.0.7`. */
const dotted = (address: number): string => [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.');

/** As people write it: `02:48:45:53:00:07`. */
const colons = (address: Uint8Array): string => toHex(address).replaceAll(/..(?=.)/g, '$&:');

/** The user's name; the password that may stand beside it is nobody's business here. */
function userOf(authentication: Data): string | null {
  const name = authentication.type === 'structure' ? authentication.value[0] : undefined;
  return name?.type === 'octetString' ? letters(name.value) : null;
}

const { attributes: tcp } = tcpUdpSetup;
const { attributes: ntp } = ntpSetup;
const { attributes: connect } = autoConnect;

/** What says how a DCU is reached and whom it asks, in the order of the layers. */
const NETWORK: readonly Told[] = [
  line('TCP_UDP', 'TCP_UDP', tcp.port, (port) => port),
  line('IPV4', 'IPV4', ipv4Setup.attributes.ipAddress, dotted),
  line('MAC', 'MAC', macAddressSetup.attributes.macAddress, colons),
  line('PPP', 'PPP', pppSetup.attributes.pppAuthentication, userOf),
  line('GPRS', 'GPRS', gprsModemSetup.attributes.apn, letters),
  line('AUTO_CONNECT_MODE', 'AUTO_CONNECT', connect.mode, String),
  line('NTP_ACTIVE', 'NTP', ntp.activated, String),
  line('AUTO_CONNECT', 'AUTO_CONNECT', connect.destinationList, (list) => list.map(letters).join(', ') || null),
  line('NTP', 'NTP', ntp.serverAddress, letters),
];

/**
 * How a DCU is connected, in one question. It has only the objects of its own way to the network, so one that it does not have is left
 * out. Fails only when the link does.
 */
export async function readNetwork(link: DeviceLink, now: number): Promise<Outcome<ReadValue[]>> {
  const read = await link.getList(
    NETWORK.map(({ object, attribute }) => {
      const { cosemClass, instance } = WELL_KNOWN[object];
      return { classId: cosemClass.id, instance, attributeId: attribute.id };
    }),
  );
  if (!read.ok) return read;
  const at = new Date(now).toISOString();
  return ok(
    NETWORK.flatMap(({ item, object, attribute, text }, index) => {
      const answer = read.value[index] ?? failed('BAD_ANSWER');
      const place = { key: item, obis: WELL_KNOWN[object].instance };
      if (!answer.ok) return answer.reason === 'OBJECT_UNDEFINED' ? [] : [refused(place, answer.reason)];
      const value = decodeOptional(answer, attribute.codec);
      if (value === null) return [refused(place, 'BAD_ANSWER')];
      // Octets on the wire are left to the trace: a password may be among them.
      return [{ ...refused(place, 'BAD_ANSWER'), at, value: text(value), reasonCode: null }];
    }),
  );
}
