import { useState } from 'react';
import { hasRoomBeside, useScale } from '#core/theme/scale.ts';

interface ShownRow {
  /** The row whose details are open. */
  shown: string | undefined;
  /** Opens the details of a row; undefined closes them. */
  show: (id: string | undefined) => void;
}

/**
 * The row whose details are open: the selected one or, with `opensFirst`, the first row of a list in a wide window until the user closes its
 * details. The address names selected rows only, so that it stays the same for everyone.
 */
export function useShownRow(
  selected: string | undefined,
  select: (id: string | undefined) => void,
  { ids, opensFirst }: { ids: readonly string[]; opensFirst: boolean },
): ShownRow {
  const [isClosed, setClosed] = useState(false);
  const isWide = useScale(hasRoomBeside);
  return {
    shown: selected ?? (opensFirst && isWide && !isClosed ? ids[0] : undefined),
    show: (id) => {
      setClosed(id === undefined);
      select(id);
    },
  };
}
