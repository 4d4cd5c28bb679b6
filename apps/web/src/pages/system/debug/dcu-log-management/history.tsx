import { dcuLog, type FrameRow } from '@hes/contract/debug/dcu-log.ts';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { ListFooter } from '#kit/page/list-page.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { columnsOf, type AnyFrame } from './columns.tsx';
import { texts } from './messages.ts';

interface HistoryProps {
  filter: { dcuId: string } & Record<string, string | undefined>;
  page: string;
  size: string;
  isOn: boolean;
  onPage: (page: string, size: string) => void;
  onOpen: (id: string) => void;
}

/** Stored frames, newest first. */
export function History({ filter, page, size, isOn, onPage, onOpen }: HistoryProps) {
  const t = useMessages(texts);
  const query = useApiQuery(dcuLog.list, { query: { ...filter, page, size } as never, keep: true, refetchMs: isOn ? 5000 : false }); // as: the address holds texts
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <PanelState
      query={query}
      lines={14}
      isEmpty={(data) => data.items.length === 0}
      empty={<Empty text={t('nothing')} hint={isOn ? t('waitingHint') : t('isOffHint')} />}
    >
      {(data) => (
        <>
          <DataTable<AnyFrame>
            label={t('history')}
            columns={columns}
            rows={data.items}
            rowKey={(row) => (row as FrameRow).id /* as: stored frames have an id */}
            stale={query.isPlaceholderData}
            onSelect={(row) => onOpen((row as FrameRow).id /* as: above */)}
          />
          <ListFooter page={data} updatedAt={query.dataUpdatedAt} onPage={onPage} />
        </>
      )}
    </PanelState>
  );
}
