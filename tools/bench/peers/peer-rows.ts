/** Rows of the comparison; each is one unit of work. */
export const PEER_ROWS = {
  get: 'plain GET of a register',
  cipheredGet: 'GET under GLO with authentication and encryption (suite 0)',
  profile: 'profile of 960 rows in blocks of 1 KiB, every cell decoded',
  /** `Meter.profile`; pydlms-client does as much, the other peers what they do in the row before. */
  scaledProfile: 'the same profile as objects with dates, scaled values and units',
  push: 'DATA-NOTIFICATION of a real meter, decoded',
} as const;
export type PeerRow = keyof typeof PEER_ROWS;
