import type { LogicalDevice } from '@hes/dlms/association/server.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';

/** The logical device behind a SAP; `address` names a meter behind a gateway. Nobody answers where there is none. */
export type DeviceOf = (serverSap: number, address: Uint8Array | undefined) => LogicalDevice | undefined;

/** What is sent back to an APDU, in this order. */
export type Answering = (serverSap: number, clientSap: number, octets: Uint8Array) => Uint8Array[];

/** Answers of devices that are one client's own. */
export function answering(deviceOf: DeviceOf): Answering {
  const devices = new Map<string, LogicalDevice | undefined>();
  return (serverSap, clientSap, octets) => {
    const gateway = octets[0] === undefined ? undefined : decodeGateway(octets);
    const key = `${serverSap}/${gateway?.address.join(' ')}`;
    if (!devices.has(key)) devices.set(key, deviceOf(serverSap, gateway?.address));
    const answers = devices.get(key)?.receiveAll(clientSap, gateway?.apdu ?? octets) ?? [];
    return gateway === undefined ? answers : answers.map((answer) => encodeGateway({ ...gateway, response: true }, answer));
  };
}
