import type { Secrets } from './secrets.ts';

const PREFIX = 'HES';
const OCTETS = 5;

/**
 * Client system title of the head-end. Unique per installation: two head-ends with the same keys must never build the same nonce.
 */
export const clientTitleOf = (secrets: Secrets): Buffer =>
  Buffer.concat([Buffer.from(PREFIX), secrets.derive('client system title').subarray(0, OCTETS)]);
