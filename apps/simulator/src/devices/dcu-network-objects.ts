import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { data as dataClass } from '@hes/dlms/cosem/classes/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { NETWORK_MODES, type DcuNetwork } from './dcu-network.ts';
import { simulate, type SimulatedObject } from './simulate.ts';

const MODE = DCU_OBJECTS.MEDIA;
const RESTART_STATION = DCU_OBJECTS.RESTART_STATION;

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
