import { phase, phaseExport, type PhaseRow } from '@hes/contract/analysis/phase.ts';
import { recordedPhase } from '@hes/contract/states/device.ts';
import { SURE, VERY_SURE } from '@hes/contract/states/phase.ts';
import { to } from '@hes/contract/page/links.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { App, Button, Checkbox, Progress, Select } from 'antd';
import { BookMarked, Check, CheckCheck, ScanSearch, Send } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter } from '#kit/page/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#kit/table/selection.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { useRowSteps } from '#core/keys/use-row-steps.ts';
import { TableTools } from '#kit/table/table-tools.tsx';
import { useTableView } from '#kit/table/table-view.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter } from '#core/url/url-state.ts';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { useComputation } from '#domain/computation/use-computation.ts';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { EvidencePane } from './evidence-pane.tsx';
import { phaseText, texts } from './messages.ts';
import type { TabProps } from './address.ts';
import { phaseColumns } from './phase-columns.tsx';
import { PHASE_STATE, PHASE_STATES } from './signs.ts';
import styles from './phase.module.css';

const CLEARED = { search: undefined, phase: undefined, state: undefined, isConflict: undefined, confidence: undefined };
/** Minimum confidence in percent, as filter options. */
const LEAST = [100 * VERY_SURE, 100 * SURE, 50];
/** Days of load profile B that the server requires. */
const DAYS_NEEDED = 7;

/** Poll interval while sent phases await confirmation. */
const ARRIVAL_POLL_MS = 5000;

/** Written in the head-end, but not yet sent to the DCU. */
const isToSend = (row: PhaseRow): boolean => row.state === 'written' && row.awaitsDispatch;

/** Orders of this page, and their messages on completion. */
function useOrders(transformerId: string, known: string | null | undefined, done: () => void, onSent: () => void) {
  const t = useMessages(texts);
  // Notifications render outside of the router, where links do not work.
  const go = useNavigate();
  const { message, notification } = App.useApp();
  const failure = (error: Error) => void message.error(error.message, 0);
  const computation = useComputation(known, phase.list.path);
  const reload = () => {
    done();
    computation.reload();
  };
  const identify = useApiMutation(phase.identify, { success: ({ taskId }) => computation.follow(taskId), failure });
  const accept = useApiMutation(phase.accept, {
    success: ({ accepted }) => {
      void message.success(t('accepted', { count: accepted }));
      reload();
    },
    failure,
  });
  const write = useApiMutation(phase.write, {
    success: ({ written, dcus }) => {
      if (dcus.length === 0) void message.success(t('written', { count: written }));
      else
        notification.success({
          title: t('written', { count: written }),
          duration: 0,
          description: (
            <>
              {t('dispatchHint')}{' '}
              {dcus.map((dcu) => (
                <Button key={dcu.id} type="link" size="small" onClick={() => void go(to.archives({ dcuId: dcu.id }))}>
                  {`${dcu.sn} (${dcu.meters})`}
                </Button>
              ))}
            </>
          ),
        });
      reload();
    },
    failure,
  });
  const send = useApiMutation(phase.send, {
    success: ({ tasks, busy }) => {
      onSent();
      notification.success({
        title: t('sent', { meters: tasks.reduce((sum, { meters }) => sum + meters, 0), dcus: tasks.length }),
        description: (
          <>
            {tasks.map(({ taskId, dcuId, dcuSn }) => (
              <Button key={taskId} type="link" size="small" onClick={() => void go(to.archives({ dcuId }))}>
                {`${t('openTask')} ${dcuSn}`}
              </Button>
            ))}
            {busy.length > 0 ? <p>{t('sendBusy', { sns: busy.join(', ') })}</p> : null}
          </>
        ),
      });
      reload();
    },
    failure,
  });
  return {
    identify: { run: () => identify.mutate({ params: { transformerId } }), isPending: identify.isPending, ...computation },
    acceptAll: { run: () => accept.mutate({ body: { transformerId } }), isPending: accept.isPending },
    accept: (rows: readonly PhaseRow[]) => {
      const meterIds = rows.filter((row) => row.state === 'proposed').map((row) => row.meterId);
      if (meterIds.length === 0) return void message.warning(t('nothingToAccept'));
      return accept.mutate({ body: { meterIds } });
    },
    write: (rows: readonly PhaseRow[]) => {
      const meterIds = rows.filter((row) => row.state === 'accepted').map((row) => row.meterId);
      if (meterIds.length === 0) return void message.warning(t('nothingToWrite'));
      return write.mutate({ body: { meterIds } });
    },
    send: (rows: readonly PhaseRow[]) => {
      const meterIds = rows.filter(isToSend).map((row) => row.meterId);
      if (meterIds.length === 0) return void message.warning(t('nothingToSend'));
      return send.mutate({ body: { meterIds } });
    },
  };
}

export function IdentificationTab({ transformerId, url, setUrl }: TabProps) {
  const t = useMessages(texts);
  const may = useMay();
  const { search, phase: chosenPhase, state, isConflict, confidence } = url;
  const filter = { transformerId, search, phase: chosenPhase, state, isConflict, confidence };
  const summary = useApiQuery(phase.summary, { params: { transformerId }, keep: true });
  /** Something was sent to the field since the page was opened. */
  const [isOnTheWay, setOnTheWay] = useState(false);
  const list = useApiQuery(phase.list, {
    query: { ...filter, page: url.page, size: url.size, sort: url.sort },
    keep: true,
    // DCUs confirm the change with a delay.
    refetchMs: isOnTheWay ? ARRIVAL_POLL_MS : false,
  });
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const selection = useSelection<PhaseRow>({ idOf: (row) => row.meterId, filter: JSON.stringify(filter), rows });
  const orders = useOrders(transformerId, summary.data?.taskId, selection.clear, () => setOnTheWay(true));
  useRowSteps({ ids: rows.map((row) => row.meterId), selected: url.sel, select: (sel) => setUrl({ sel }) });
  const updatedAt = useOneMoment(list, summary);
  const { running, ended } = orders.identify;
  const view = useTableView(
    PAGE_PATH.phases,
    useMemo(() => phaseColumns(t), [t]),
  );
  const shown = rows.find((row) => row.meterId === url.sel);
  const chosen = [...selection.chosen.values()];
  const isFiltered = Object.keys(CLEARED).some((key) => url[key as keyof typeof CLEARED] !== undefined); // keys of that very object
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(CLEARED))}>
      {t('clearFilters')}
    </Button>
  );
  const mayAccept = may(phase.accept);
  const maySend = may(phase.send);
  const { data: counts } = summary;
  return (
    <div className={styles['list']}>
      <div className={styles['listMain']}>
        <div className={styles['toolbar']}>
          <span className={styles['note']} style={{ flex: 1 }}>
            {running ? (
              <span className={styles['progress']} role="status">
                <Progress percent={(100 * running.done) / running.total} size="small" showInfo={false} />
                {t('identifying', { step: Math.min(running.done + 1, running.total), steps: running.total })}
              </span>
            ) : ended?.state === 'failed' ? (
              <span role="alert">{t('identifyFailed')}</span>
            ) : counts?.computedAt ? (
              t('lastComputed', { at: dateTime(counts.computedAt) })
            ) : counts ? (
              <>
                {`${t('neverComputed')} ${t('neverComputedHint', { days: counts.daysWithData })} `}
                {counts.daysWithData < DAYS_NEEDED ? <Link to={to.plans()}>{t('toPlans')}</Link> : null}
              </>
            ) : (
              t('purposeIdentify')
            )}
          </span>
          <ExportButton routes={phaseExport} filter={{ ...filter, sort: url.sort }} columns={view.columns} chosen={chosenIn(selection)} />
          {mayAccept ? (
            <Button
              icon={<CheckCheck size={15} aria-hidden="true" />}
              disabled={!counts?.verySure}
              loading={orders.acceptAll.isPending}
              onClick={orders.acceptAll.run}
            >
              {t('acceptAll', { count: counts?.verySure ?? 0 })}
            </Button>
          ) : null}
          {may(phase.identify) ? (
            <Button
              type="primary"
              icon={<ScanSearch size={15} aria-hidden="true" />}
              loading={orders.identify.isPending || running !== undefined}
              onClick={orders.identify.run}
            >
              {t('identify')}
            </Button>
          ) : null}
        </div>
        <FacetStrip
          label={t('state')}
          all={t('allMeters')}
          total={counts?.total}
          facets={PHASE_STATES.map((key) => ({ key, sign: PHASE_STATE[key], count: counts?.byState[key] }))}
          selected={url.state}
          onSelect={(state) => setUrl(refilter({ state }))}
        />
        <FilterBar
          tools={
            <>
              <TableTools view={view} />
              <RefreshButton busy={list.isFetching} onRefresh={() => void Promise.all([list.refetch(), summary.refetch()])} />
            </>
          }
        >
          <TextFilter label={t('sn')} value={url.search} onChange={(search) => setUrl(refilter({ search }))} />
          <Select
            allowClear
            style={{ width: 130 }}
            placeholder={t('finalOrRecorded')}
            aria-label={t('finalOrRecorded')}
            value={url.phase}
            options={recordedPhase.options.map((value) => ({ value, label: phaseText(t, value) }))}
            onChange={(value?: string) => setUrl(refilter({ phase: value }))}
          />
          <Select
            allowClear
            style={{ width: 140 }}
            placeholder={t('confidence')}
            aria-label={t('confidence')}
            value={url.confidence}
            options={LEAST.map((percent) => ({ value: String(percent), label: t('sureFrom', { percent }) }))}
            onChange={(value?: string) => setUrl(refilter({ confidence: value }))}
          />
          <Checkbox
            checked={url.isConflict === 'true'}
            onChange={(event) => setUrl(refilter({ isConflict: event.target.checked ? 'true' : undefined }))}
          >
            {t('onlyConflicts', { count: counts?.conflicts ?? 0 })}
          </Checkbox>
          {isFiltered ? clear : null}
        </FilterBar>
        <PanelState query={list} lines={12}>
          {(data) => (
            <>
              <DataTable<PhaseRow>
                label={t('identification')}
                columns={view.columns}
                density={view.density}
                rows={data.items}
                rowKey={(row) => row.meterId}
                rowName={(row) => row.sn}
                sort={url.sort}
                onSort={(sort) => setUrl(refilter({ sort }))}
                selected={url.sel}
                onSelect={(row) => setUrl({ sel: row.meterId === url.sel ? undefined : row.meterId })}
                stale={list.isPlaceholderData}
                selection={mayAccept ? selection : undefined}
                empty={isFiltered ? <Empty text={t('noMatch')} action={clear} /> : <Empty text={t('noMeters')} hint={t('noMetersHint')} />}
              />
              <ListFooter
                page={data}
                updatedAt={updatedAt}
                onPage={(page, size) => setUrl({ page, size })}
                batch={
                  chosen.length > 0 ? (
                    <SelectionBar selection={selection} total={chosen.length}>
                      <Button size="small" icon={<Check size={13} aria-hidden="true" />} onClick={() => orders.accept(chosen)}>
                        {t('accept')}
                      </Button>
                      <Button size="small" icon={<BookMarked size={13} aria-hidden="true" />} onClick={() => orders.write(chosen)}>
                        {t('write')}
                      </Button>
                      {maySend ? (
                        <Button size="small" icon={<Send size={13} aria-hidden="true" />} onClick={() => orders.send(chosen)}>
                          {t('send')}
                        </Button>
                      ) : null}
                    </SelectionBar>
                  ) : undefined
                }
              />
            </>
          )}
        </PanelState>
      </div>
      {shown ? (
        <EvidencePane
          row={shown}
          rows={rows}
          onSelect={(sel) => setUrl({ sel })}
          {...(maySend && isToSend(shown) ? { onSend: () => orders.send([shown]) } : {})}
          {...(mayAccept ? { onAccept: () => orders.accept([shown]), onWrite: () => orders.write([shown]) } : {})}
        />
      ) : null}
    </div>
  );
}
