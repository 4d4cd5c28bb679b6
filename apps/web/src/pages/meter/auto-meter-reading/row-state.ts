import { marksOf, NOT_TRIED_TEXT, QUALITY_TEXT, GAP_STATE_TEXT } from '@hes/contract/states/reading.ts';
import { useMemo } from 'react';
import { useSay } from '#shared/i18n/use-messages.ts';
import { useReason } from '#widgets/device-run/device-run.tsx';
import { isDaily, type Row } from './data-kinds.ts';

/** What is known of a row besides its values, in words. */
export function useRowState() {
  const say = useSay();
  const reason = useReason();
  return useMemo(() => {
    const marks = (row: Row): string =>
      marksOf(row.statusWord)
        .map((mark) => say(mark))
        .join(', ');
    /** Of a missing slot why it is not here, of any other what its status word says. */
    const why = (row: Row): string => {
      if (isDaily(row) || row.gap === null) return marks(row);
      const ends = row.gap === 'open' ? [] : [say(GAP_STATE_TEXT[row.gap])];
      return [...ends, row.note ?? reason(row.reasonCode) ?? say(NOT_TRIED_TEXT)].join(', ');
    };
    const sentence = (row: Row): string => [say(QUALITY_TEXT[row.quality]), why(row)].filter(Boolean).join(' · ');
    return { marks, why, sentence };
  }, [say, reason]);
}
export type RowState = ReturnType<typeof useRowState>;
