import { ipv4Setup } from '@hes/dlms/cosem/classes/ipv4-setup.ts';
import { type Obis } from '@hes/dlms/cosem/obis.ts';
import { simulate } from '#devices/simulate.ts';

export interface NetworkLayer {
  /** First octet first. */
  address: readonly [number, number, number, number];
  /** The object of the layer below. */
  below: Obis;
}

/** Address in the network of the mobile operator, as the device knows it. */
export const ipv4Object = simulate(ipv4Setup, ({ address, below }: NetworkLayer) => ({
  read: {
    dlReference: () => below,
    // Multiplication instead of shifts: the highest octet would make the number negative.
    ipAddress: () => address.reduce((sum, octet) => sum * 256 + octet, 0),
    useDhcpFlag: () => true,
  },
}));
