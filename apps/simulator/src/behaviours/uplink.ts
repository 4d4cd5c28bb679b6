import { autoConnect } from '@hes/dlms/cosem/classes/auto-connect.ts';
import { gprsModemSetup } from '@hes/dlms/cosem/classes/gprs-modem-setup.ts';
import { macAddressSetup } from '@hes/dlms/cosem/classes/mac-address-setup.ts';
import { ntpSetup } from '@hes/dlms/cosem/classes/ntp-setup.ts';
import { pppSetup } from '@hes/dlms/cosem/classes/ppp-setup.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import { simulate } from '#devices/simulate.ts';

const octets = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** MAC address of the device. */
export const macAddressObject = simulate(macAddressSetup, (address: Uint8Array) => ({ read: { macAddress: () => address } }));

const MD5 = 5;

/** Authenticates by user name and CHAP challenge: no password leaves the device. */
export const pppObject = simulate(pppSetup, ({ user, below }: { user: string; below: Obis }) => ({
  read: {
    phyReference: () => below,
    lcpOptions: () => [],
    ipcpOptions: () => [],
    pppAuthentication: () => ({
      type: 'structure' as const,
      value: [
        { type: 'octetString' as const, value: octets(user) },
        { type: 'unsigned' as const, value: MD5 },
      ],
    }),
  },
}));

const AS_SUBSCRIBED = { precedence: 0, delay: 0, reliability: 0, peakThroughput: 0, meanThroughput: 0 };

/** The PIN is not readable. */
export const gprsModemObject = simulate(gprsModemSetup, (apn: () => string) => ({
  read: { apn: () => octets(apn()), qualityOfService: () => ({ default: AS_SUBSCRIBED, requested: AS_SUBSCRIBED }) },
}));

export interface Calling {
  mode(): 'always' | 'onDemand' | 'never';
  /** `host:port` */
  destination(): string;
}

const MODES = { always: 101, onDemand: 104, never: 0 } as const;

export const autoConnectObject = simulate(autoConnect, ({ mode, destination }: Calling) => ({
  read: {
    mode: () => MODES[mode()],
    repetitions: () => 255,
    repetitionDelay: () => 30,
    callingWindow: () => [],
    destinationList: () => (mode() === 'never' ? [] : [octets(destination())]),
  },
}));

const NTP_PORT = 123;

/** Keys of the time server are not readable. */
export const ntpObject = simulate(ntpSetup, (server: () => string) => ({
  read: {
    activated: () => server() !== '',
    serverAddress: () => octets(server()),
    serverPort: () => NTP_PORT,
    authenticationMethod: () => 'none' as const,
  },
}));
