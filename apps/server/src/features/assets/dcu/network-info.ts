import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
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
import { decodedAnswer } from '#field/decoded.ts';
import type { DeviceLink } from '#field/link.ts';
import { refused } from '#field/operations/read-values.ts';

interface Told {
  item: string;
  object: WellKnownKey;
  attribute: { id: number; codec: Codec<unknown> };
  text(value: unknown): ReadValue['value'];
}

/** Declares one value of the network information; `text` returns null for an empty value. */
const line = <T>(
  item: string,
  object: WellKnownKey,
  attribute: { id: number; codec: Codec<T> },
  text: (value: T) => ReadValue['value'],
  // as: `text` takes the type that `codec` decodes; the list needs one element type.
): Told => ({ item, object, attribute, text }) as Told;

const letters = (octets: Uint8Array): string | null => (octets.length === 0 ? null : Buffer.from(octets).toString('utf8'));

/** IPv4 address in dotted notation: `10.64.0.7`. */
const dotted = (address: number): string => [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.');

/** MAC address with colons: `02:48:45:53:00:07`. */
const colons = (address: Uint8Array): string => toHex(address).replaceAll(/..(?=.)/g, '$&:');

/** User name of the PPP authentication. The password in the same structure is never returned. */
function userOf(authentication: Data): string | null {
  const name = authentication.type === 'structure' ? authentication.value[0] : undefined;
  return name?.type === 'octetString' ? letters(name.value) : null;
}

const { attributes: tcp } = tcpUdpSetup;
const { attributes: ntp } = ntpSetup;
const { attributes: connect } = autoConnect;

/** Objects that describe the network access of a DCU, in the order of the protocol layers. */
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
 * Reads the network access of a DCU by one GET-with-list. Omits objects that are not `known` to its profile or that the DCU does not
 * implement; fails only if the link fails.
 */
export async function readNetwork(link: DeviceLink, now: number, known: ReadonlySet<string>): Promise<Outcome<ReadValue[]>> {
  const lines = NETWORK.filter(({ object }) => known.has(object));
  if (lines.length === 0) return ok([]);
  const read = await link.getList(
    lines.map(({ object, attribute }) => {
      const { cosemClass, instance } = WELL_KNOWN[object];
      return { classId: cosemClass.id, instance, attributeId: attribute.id };
    }),
  );
  if (!read.ok) return read;
  const at = new Date(now).toISOString();
  return ok(
    lines.flatMap(({ item, object, attribute, text }, index) => {
      const place = { key: item, obis: WELL_KNOWN[object].instance };
      const value = decodedAnswer(attribute.codec, read.value[index]);
      if (!value.ok) return value.reason === 'OBJECT_UNDEFINED' ? [] : [refused(place, value.reason)];
      // The result omits the received octets because they may contain a password; only the trace stores them.
      return [{ ...refused(place, 'BAD_ANSWER'), at, value: text(value.value), reasonCode: null }];
    }),
  );
}
