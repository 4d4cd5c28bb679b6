import { createHash } from 'node:crypto';
import { keyPair } from '../../apps/server/test/authority.ts';
import { keySizeOf } from '@hes/dlms/security/cipher.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { cellName, metersOf, type MatrixMeter, type Peer } from './matrix.ts';

const HOUR_MS = 3_600_000;
const PERIOD_MS = 900_000;
/** Rows of each profile: more than fit into one APDU, and less than a day, so that a range selects some of them. */
const ROWS = 60;
/** Peers know clocks to be wrong by this much when the product sets them. */
const CLOCK_BEHIND_MS = 2 * HOUR_MS;
const SERIAL_DIGITS = 12;

/** What a peer process must hold: identity, security and values of one meter. Keys and titles are hexadecimal. */
export interface PeerMeter extends MatrixMeter {
  sn: string;
  /** Logical device name: the letters of its maker and the serial number. */
  name: string;
  title: string;
  ek: string;
  ak: string;
  password: string;
  /** Key pair of its signatures, from suite 1 on. */
  keys: { privateKey: Uint8Array; publicKey: Uint8Array } | undefined;
  energy: number;
  /** Epoch milliseconds. */
  clock: number;
  /** The value of row i is `first + i`, its time `from + i * period`, in epoch milliseconds. */
  rows: { from: number; period: number; count: number; first: number };
}

/** Keys that forms do not refuse as guessable, different for each meter because forms refuse shared ones. */
const secretOf = (text: string, octets: number): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * octets);

function meterOf(matrix: MatrixMeter, sn: string, number: number, now: number): PeerMeter {
  const octets = keySizeOf(matrix.suite);
  const from = Math.floor((now - 30 * HOUR_MS) / PERIOD_MS) * PERIOD_MS;
  return {
    ...matrix,
    sn,
    name: `${matrix.peer.maker}${sn}`,
    title: `${Buffer.from(matrix.peer.maker).toString('hex')}${(0x10_0000 + number).toString(16).padStart(10, '0')}`.toUpperCase(),
    ek: secretOf(`ek ${sn}`, octets),
    ak: secretOf(`ak ${sn}`, octets),
    // Mechanism 2 takes a key of 16 octets.
    password: secretOf(`password ${sn}`, 8),
    keys: matrix.suite === 0 ? undefined : keyPair(matrix.suite),
    energy: 100_000 + 37 * number,
    clock: now - CLOCK_BEHIND_MS,
    rows: { from, period: PERIOD_MS, count: ROWS, first: 1_000 * number },
  };
}

/** All meters of the matrix that `wanted` selects by the names of their cells. Serial numbers are the same in every run. */
export function peerMeters(peers: readonly Peer[], wanted: (cell: string) => boolean, now: number): PeerMeter[] {
  return peers.flatMap((peer, place) =>
    metersOf(peer).flatMap((matrix, index) => {
      const services = matrix.services.filter((service) => wanted(cellName(matrix, service)));
      if (services.length === 0) return [];
      const number = 1_000 * (place + 1) + index;
      return meterOf({ ...matrix, services }, `${place + 1}${String(index + 1).padStart(SERIAL_DIGITS, '0')}`, number, now);
    }),
  );
}

/** The settings of meters as the scripts of `peers/` read them. `headEndKeyOf`: public key X ‖ Y of the head-end in a suite. */
export const settingsOf = (meters: readonly PeerMeter[], headEndKeyOf: (suite: 1 | 2) => Uint8Array) =>
  meters.map(({ peer: _peer, services: _services, topology, framing, keys, suite, ...meter }) => ({
    ...meter,
    suite,
    // A gateway forwards over the wrapper, whichever framing it has towards the head-end.
    framing: topology === 'direct' ? framing : 'wrapper',
    ...(keys === undefined || suite === 0
      ? {}
      : { privateKey: toHex(keys.privateKey), publicKey: toHex(keys.publicKey), headEndKey: toHex(headEndKeyOf(suite)) }),
  }));
