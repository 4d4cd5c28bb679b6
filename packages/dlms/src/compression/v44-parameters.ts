/**
 * Parameters of the packet method, which DLMS does not negotiate: the defaults of the recommendation.
 * @spec ITU-T V.44 (B.1.2)
 */
export const CODEWORDS = 1525;
/** Longest string of the dictionary. */
export const LONGEST_STRING = 255;

/** Control codes are the first codewords. @spec ITU-T V.44 (table 8) */
export const CONTROL = { etm: 0, flush: 1, stepUp: 2 } as const;
export const FIRST_CODEWORD = 4;

/** Sizes in bits. Each grows by a STEPUP before the code that needs it. @spec ITU-T V.44 (7.5.2) */
export const INITIAL_CODEWORD_BITS = 6;
export const MOST_CODEWORD_BITS = 11;
export const INITIAL_ORDINAL_BITS = 7;
export const MOST_ORDINAL_BITS = 8;
