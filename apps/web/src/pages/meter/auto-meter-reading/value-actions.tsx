import { isFreeze } from '@hes/contract/reading/reading.ts';
import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { ChartLine, History, ScanSearch } from 'lucide-react';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './columns.tsx';
import type { Kind, Row } from './data-kinds.ts';
import type { DayRange } from './range.ts';

interface ValueActionsProps {
  kind: Kind;
  row: Row;
  range: DayRange;
  /** Refills a missing value; undefined when the value exists or without permission. */
  onRefill: (() => void) | undefined;
}

/** Links from a value to its history, and to reading it again. */
export function ValueActions({ kind, row, range, onRefill }: ValueActionsProps) {
  const t = useMessages(texts);
  const meter = `meter:${row.meterId}` as const;
  const days = { from: range.from, to: range.to };
  return (
    <>
      {onRefill ? (
        <Button size="small" icon={<History size={13} aria-hidden="true" />} onClick={onRefill}>
          {t('refill')}
        </Button>
      ) : null}{' '}
      <LinkButton
        to={to.readings({ node: meter, tab: kind, view: 'chart', ...(isFreeze(kind) ? {} : days) })}
        size="small"
        icon={<ChartLine size={13} aria-hidden="true" />}
      >
        {t('history')}
      </LinkButton>{' '}
      <LinkButton
        to={to.onDemandReading({ targets: meter, kind, ...days })}
        size="small"
        icon={<ScanSearch size={13} aria-hidden="true" />}
      >
        {t('readAgain')}
      </LinkButton>
    </>
  );
}
