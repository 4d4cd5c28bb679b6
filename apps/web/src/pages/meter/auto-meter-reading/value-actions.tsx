import { isFreeze } from '@hes/contract/reading/reading.ts';
import { Button } from 'antd';
import { ChartLine, History, ScanSearch } from 'lucide-react';
import { Link } from 'react-router';
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
  const meter = `meter:${row.meterId}`;
  const days = `from=${range.from}&to=${range.to}`;
  return (
    <>
      {onRefill ? (
        <Button size="small" icon={<History size={13} aria-hidden="true" />} onClick={onRefill}>
          {t('refill')}
        </Button>
      ) : null}{' '}
      <Link to={`?node=${meter}&tab=${kind}&view=chart${isFreeze(kind) ? '' : `&${days}`}`}>
        <Button size="small" icon={<ChartLine size={13} aria-hidden="true" />}>
          {t('history')}
        </Button>
      </Link>{' '}
      <Link to={`/action/on-demand-reading?targets=${meter}&kind=${kind}&${days}`}>
        <Button size="small" icon={<ScanSearch size={13} aria-hidden="true" />}>
          {t('readAgain')}
        </Button>
      </Link>
    </>
  );
}
