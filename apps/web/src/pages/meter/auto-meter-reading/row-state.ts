import type { CompletenessRow } from '@hes/contract/reading/gap.ts';
import { marksOf, NOT_TRIED_TEXT, QUALITY_TEXT, GAP_STATE_TEXT } from '@hes/contract/states/reading.ts';
import { useMemo } from 'react';
import { useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { useReason } from '#domain/device-run/device-run.tsx';
import type { Row } from './data-kinds.ts';

type Missing = NonNullable<CompletenessRow['missing'][number]>;

/** Descriptions of the state of a row. */
export function useRowState() {
  const say = useSay();
  const reason = useReason();
  return useMemo(() => {
    const marks = (row: Row): string =>
      marksOf(row.statusWord)
        .map((mark) => say(mark))
        .join(', ');
    /** The state of a gap, and its cause. */
    const whyMissing = ({ gap, note, reasonCode, triedAt }: Missing): string => {
      const ends = gap === 'open' ? [] : [say(GAP_STATE_TEXT[gap])];
      const tried = triedAt === null || note !== null ? [] : [dateTime(triedAt).slice(0, 16)];
      return [...ends, note ?? reason(reasonCode) ?? say(NOT_TRIED_TEXT), ...tried].join(', ');
    };
    /** The reason of a missing reading, or the status word of any other. */
    const why = (row: Row): string => (row.gap === null ? marks(row) : whyMissing({ ...row, gap: row.gap }));
    const sentence = (row: Row): string => [say(QUALITY_TEXT[row.quality]), why(row)].filter(Boolean).join(' · ');
    return { marks, why, whyMissing, sentence };
  }, [say, reason]);
}
export type RowState = ReturnType<typeof useRowState>;
