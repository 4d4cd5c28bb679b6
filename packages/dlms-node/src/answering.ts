import type { LogicalDevice } from '@hes/dlms/association/server.ts';
import { ALL_STATION_SAP } from '@hes/dlms/framing/hdlc/broadcast.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';

/**
 * Looks up the logical device of a SAP; `address` names a meter behind a gateway. Undefined devices do not respond. The device of
 * `ALL_STATION_SAP` receives broadcasts, which have no response.
 */
export type DeviceOf = (serverSap: number, address: Uint8Array | undefined) => LogicalDevice | undefined;

/** Returns the response frames for an APDU, in order. */
export type Answering = (serverSap: number, clientSap: number, octets: Uint8Array) => Uint8Array[];

/** Serves APDUs with the logical devices of one client. A broadcast reaches every device that the client has addressed, too. */
export function answering(deviceOf: DeviceOf): Answering {
  const devices = new Map<string, LogicalDevice | undefined>();
  return (serverSap, clientSap, octets) => {
    const gateway = octets[0] === undefined ? undefined : decodeGateway(octets);
    const [apdu, meter] = [gateway?.apdu ?? octets, `/${gateway?.address.join(' ')}`];
    const key = `${serverSap}${meter}`;
    if (!devices.has(key)) devices.set(key, deviceOf(serverSap, gateway?.address));
    if (serverSap === ALL_STATION_SAP) {
      const all = new Set([...devices].filter(([one]) => one.endsWith(meter)).map(([, device]) => device));
      for (const device of all) device?.receiveAll(clientSap, apdu);
      return [];
    }
    const answers = devices.get(key)?.receiveAll(clientSap, apdu) ?? [];
    return gateway === undefined ? answers : answers.map((answer) => encodeGateway({ ...gateway, response: true }, answer));
  };
}
