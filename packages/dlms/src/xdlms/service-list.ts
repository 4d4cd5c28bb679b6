import { listOf, type Codec } from '../codec/codec.ts';

/** No meter is asked for more at once; a list of empty results would take eighty times its octets. */
const MOST_LISTED = 1024;

/** What the services "with list" carry: a count, then the items. A longer list is refused before anything is made of it. @spec GB 9.3 */
export const serviceList = <T>(inner: Codec<T>, minimumSize = 1): Codec<T[]> => listOf(inner, minimumSize, MOST_LISTED);
