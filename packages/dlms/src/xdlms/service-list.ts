import { listOf, type Codec } from '../codec/codec.ts';

/** Limit of items per list, above any request to a meter: empty results in memory take eighty times their octets. */
const MOST_LISTED = 1024;

/** The list of a "with list" service. A longer list is refused before any allocation. @spec GB 9.3 */
export const serviceList = <T>(inner: Codec<T>, minimumSize = 1): Codec<T[]> => listOf(inner, minimumSize, MOST_LISTED);
