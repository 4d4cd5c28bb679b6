import { data as dataClass } from '@hes/dlms/cosem/classes/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { NETWORK_MODES, type DcuNetwork } from './dcu-network.ts';
import { simulate, type SimulatedObject } from './simulate.ts';

const MODE = obis('0.0.96.129.44.255');
const RESTART_STATION = obis('0.0.96.128.20.255');

/** Network commands by writing a value: the media in use, and a station to restart. */
export const networkObjects = (network: DcuNetwork): SimulatedObject[] => [
  simulate(dataClass, () => ({
    read: { value: (): Data => ({ type: 'enum', value: NETWORK_MODES.indexOf(network.mode()) }) },
    write: {
      value(value) {
        const mode = value.type === 'enum' ? NETWORK_MODES[value.value] : undefined;
        if (mode === undefined) return 'typeUnmatched';
        network.setMode(mode);
        return 'success';
      },
    },
  }))(undefined, MODE),
  simulate(dataClass, () => ({
    read: { value: (): Data => ({ type: 'octetString', value: new Uint8Array(0) }) },
    write: {
      value(value) {
        if (value.type !== 'octetString') return 'typeUnmatched';
        return network.restartStation(Buffer.from(value.value).toString('hex').toUpperCase()) ? 'success' : 'objectUnavailable';
      },
    },
  }))(undefined, RESTART_STATION),
];
