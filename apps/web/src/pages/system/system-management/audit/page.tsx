import { audit, type AuditRow } from '@hes/contract/manager/audit.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { objectOf, summaryOf, type AuditSpeech } from '@hes/contract/audit/render.ts';
import { auditExport } from '@hes/contract/transfer/lists.ts';
import { Button } from 'antd';
import { ShieldCheck, Users } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { stepThrough } from '#shared/table/step-through.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { DetailPane } from './detail-pane.tsx';
import { Filters, FILTERS, isTooLong, queryOf } from './filters.tsx';
import { actionText, entityText, texts, useSpeech, type T } from './texts.ts';
import { Verification } from './verification.tsx';
import styles from './audit.module.css';

const PATH = '/system/system-management/audit';
const USERS = '/system/system-management/user-management';
const DEFAULTS = { ...FILTERS, page: '1', size: '50', sel: undefined };

function columnsOf(t: T, say: (text: Text) => string, speech: AuditSpeech): Column<AuditRow>[] {
  return [
    { key: 'at', title: t('at'), width: 166, cell: (row) => dateTime(row.at) },
    { key: 'username', title: t('username'), width: 140, cell: (row) => row.username ?? '—' },
    { key: 'action', title: t('action'), width: 190, cell: (row) => say(actionText(row.action)) },
    { key: 'entity', title: t('entity'), width: 120, cell: (row) => say(entityText(row.entity)) },
    {
      key: 'object',
      title: t('object'),
      width: 220,
      cell: (row) => {
        const name = objectOf(row, speech.locale);
        return <span title={row.entityId === null ? name : `${name ?? ''} · ${t('entityId')} ${row.entityId}`}>{name ?? '—'}</span>;
      },
    },
    {
      key: 'detail',
      title: t('detail'),
      low: true,
      cell: (row) => {
        const summary = summaryOf(row, speech);
        return <span title={summary}>{summary || '—'}</span>;
      },
    },
    { key: 'ip', title: t('ip'), width: 130, mono: true, low: true, cell: (row) => row.ip ?? '—' },
  ];
}

export default function AuditLog() {
  const t = useMessages(texts);
  const say = useSay();
  const speech = useSpeech();
  const navigate = useNavigate();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [isVerifying, setVerifying] = useState(false);
  const filter = queryOf(url);
  const list = useApiQuery(audit.list, {
    query: { ...filter, page: url.page, size: url.size },
    keep: true,
    enabled: !isTooLong(url),
  });
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const selected = rows.find((row) => row.id === url.sel);
  const all = useMemo(() => columnsOf(t, say, speech), [t, say, speech]);
  const view = useTableView(PATH, all);
  useEffect(
    () => (isVerifying ? undefined : stepThrough(rows, selected?.id, (sel) => setUrl({ sel }))),
    [rows, selected, setUrl, isVerifying],
  );

  const isFiltered = Object.keys(FILTERS).some((key) => url[key as keyof typeof FILTERS] !== undefined); // keys of that object
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(FILTERS))}>
      {t('clearFilters')}
    </Button>
  );
  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          <Button icon={<Users size={15} aria-hidden="true" />} onClick={() => void navigate(USERS)}>
            {t('users')}
          </Button>
          <ExportButton routes={auditExport} filter={filter} columns={view.columns} />
          <Button type="primary" icon={<ShieldCheck size={15} aria-hidden="true" />} onClick={() => setVerifying(true)}>
            {t('verify')}
          </Button>
        </>
      }
      pane={selected ? <DetailPane row={selected} rows={rows} onSelect={(sel) => setUrl({ sel })} /> : undefined}
    >
      <Panel flush className={styles['list']} label={t('title')}>
        <FilterBar
          tools={
            <>
              <TableTools view={view} />
              <RefreshButton busy={list.isFetching} onRefresh={() => void list.refetch()} />
            </>
          }
        >
          <Filters url={url} onChange={setUrl} />
          {isFiltered ? clear : null}
        </FilterBar>
        <PanelState query={list} lines={14}>
          {(data) => (
            <>
              <DataTable<AuditRow>
                label={t('title')}
                columns={view.columns}
                density={view.density}
                rows={data.items}
                rowKey={(row) => row.id}
                selected={url.sel}
                onSelect={(row) => setUrl({ sel: row.id === url.sel ? undefined : row.id })}
                stale={list.isPlaceholderData}
                empty={<Empty text={t('noEntries')} action={clear} />}
              />
              <ListFooter page={data} updatedAt={list.dataUpdatedAt} onPage={(page, size) => setUrl({ page, size })} />
            </>
          )}
        </PanelState>
      </Panel>
      {isVerifying ? (
        <Verification
          onClose={() => setVerifying(false)}
          onShow={(id) => {
            setVerifying(false);
            // The list starts with the entry that breaks the chain.
            setUrl({ ...FILTERS, before: String(BigInt(id) + 1n), page: undefined, sel: id });
          }}
        />
      ) : null}
    </ListPage>
  );
}
