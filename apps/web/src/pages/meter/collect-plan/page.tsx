import { plan as routes, planExport, planImport, type PlanRow } from '@hes/contract/reading/plan.ts';
import { PLAN_EXECUTION_TEXT, PLAN_TYPE_TEXT } from '@hes/contract/states/plan.ts';
import type { TaskState } from '@hes/contract/task/task.ts';
import { App, Button, Select } from 'antd';
import { CalendarClock, Copy, Pencil, Play, Power } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { dateTime } from '#shared/time/format.ts';
import { ImportButton } from '#widgets/import-drawer/import-drawer.tsx';
import { choicesOf } from '#widgets/record-list/form-fields.tsx';
import { RecordList, useReload } from '#widgets/record-list/record-list.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED, TASK } from '#widgets/state-of/tables.ts';
import { columnsOf, TargetsOf, windowOf } from './columns.tsx';
import { texts } from './messages.ts';
import { draftOf, newDraft, READY_MADE, readyMade, type PlanDraft } from './plan-draft.ts';
import { PlanForm } from './plan-form.tsx';
import { PlanSections } from './plan-pane.tsx';
import styles from './plan.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: undefined,
  name: undefined,
  type: undefined,
  enabled: undefined,
  lastResult: undefined,
  sel: undefined,
};
const NO_FILTERS = { name: undefined, type: undefined, enabled: undefined, lastResult: undefined };
const RESULTS: readonly TaskState[] = ['waiting', 'running', 'paused', 'finished', 'partly_failed', 'failed', 'cancelled'];
const POLL_MS = 10_000;

interface Dialog {
  row: PlanRow | undefined;
  start: PlanDraft;
}

export default function CollectPlan() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<Dialog>();
  const filters = { name: url.name, type: url.type, enabled: url.enabled, lastResult: url.lastResult };
  const query = useApiQuery(routes.list, {
    query: { ...filters, page: url.page, size: url.size, sort: url.sort },
    keep: true,
    refetchMs: POLL_MS,
  });
  const detail = useApiQuery(routes.get, { params: { id: url.sel ?? '0' }, enabled: url.sel !== undefined, refetchMs: POLL_MS });
  const failure = (error: Error) => void message.error(error.message, 0);
  const enable = useApiMutation(routes.enable, { success: reload, failure });
  const run = useApiMutation(routes.run, {
    success: ({ taskId }) => {
      void message.success(
        <>
          {t('started', { id: taskId })}{' '}
          <Button type="link" size="small" onClick={() => void navigate(`/action/on-demand-reading?task=${taskId}`)}>
            {t('openRun')}
          </Button>
        </>,
        6,
      );
      reload();
    },
    failure,
  });
  const setEnabled = (row: PlanRow, enabled: boolean) => enable.mutate({ params: { id: row.id }, body: { enabled } });
  const edit = (row: PlanRow) => setDialog({ row, start: draftOf(row) });
  const columns = columnsOf({
    t,
    say,
    mayEdit: may(routes.enable),
    switching: enable.isPending ? enable.variables.params?.id : undefined,
    onEnable: setEnabled,
  });
  const icon = { size: 14, 'aria-hidden': true } as const;
  const itemsOf = (row: PlanRow) => [
    ...(may(routes.run)
      ? [{ key: 'run', label: t('runNow'), icon: <Play {...icon} />, onClick: () => run.mutate({ params: { id: row.id } }) }]
      : []),
    ...(may(routes.update)
      ? [
          { key: 'edit', label: t('edit'), icon: <Pencil {...icon} />, onClick: () => edit(row) },
          {
            key: 'enable',
            label: t(row.enabled ? 'disable' : 'enable'),
            icon: <Power {...icon} />,
            onClick: () => setEnabled(row, !row.enabled),
          },
        ]
      : []),
    ...(may(routes.create)
      ? [
          {
            key: 'duplicate',
            label: t('duplicate'),
            icon: <Copy {...icon} />,
            onClick: () => setDialog({ row: undefined, start: { ...draftOf(row), name: t('copyOf', { name: row.name }).slice(0, 64) } }),
          },
        ]
      : []),
  ];
  const isEmpty = query.data?.total === 0 && Object.values(filters).every((value) => value === undefined);

  return (
    <>
      <RecordList<PlanRow>
        title={t('title')}
        purpose={t('purpose')}
        routes={routes}
        query={query}
        url={url}
        setUrl={setUrl}
        nameOf={(row) => row.name}
        columns={columns}
        exportRoutes={planExport}
        filter={filters}
        path="/meter/collect-plan"
        everyRow={() => everyRow(routes.list, filters)}
        actions={<ImportButton routes={planImport} what={t('what')} onImported={reload} />}
        filters={
          <>
            <TextFilter label={t('name')} value={url.name} onChange={(name) => setUrl(refilter({ name }))} />
            <Select
              allowClear
              style={{ width: 170 }}
              placeholder={t('type')}
              aria-label={t('type')}
              value={url.type}
              options={choicesOf(PLAN_TYPE_TEXT, say)}
              onChange={(type) => setUrl(refilter({ type }))}
            />
            <Select
              allowClear
              style={{ width: 130 }}
              placeholder={t('enabled')}
              aria-label={t('enabled')}
              value={url.enabled}
              options={[
                { value: 'true', label: t('enabled') },
                { value: 'false', label: t('disabled') },
              ]}
              onChange={(enabled) => setUrl(refilter({ enabled }))}
            />
            <Select
              allowClear
              style={{ width: 150 }}
              placeholder={t('lastResult')}
              aria-label={t('lastResult')}
              value={url.lastResult}
              options={RESULTS.map((state) => ({ value: state, label: say(TASK[state].text) }))}
              onChange={(lastResult) => setUrl(refilter({ lastResult }))}
            />
          </>
        }
        isFiltered={Object.values(filters).some((value) => value !== undefined)}
        onClear={() => setUrl(refilter(NO_FILTERS))}
        empty={t(isEmpty ? 'none' : 'empty')}
        addLabel={t('add')}
        onAdd={() => setDialog({ row: undefined, start: newDraft() })}
        facets={
          isEmpty && may(routes.create) ? (
            <div className={styles['ready']}>
              <span>{t('readyMade')}</span>
              {READY_MADE.map((kind) => (
                <Button key={kind} onClick={() => setDialog({ row: undefined, start: readyMade(kind, t(kind)) })}>
                  {t(kind)}
                </Button>
              ))}
            </div>
          ) : undefined
        }
        itemsOf={itemsOf}
        isBusy={dialog !== undefined}
        pane={(id, rows) => (
          <RecordPane<PlanRow>
            key={id}
            id={id}
            rows={rows}
            query={detail}
            label={detail.data?.name ?? t('title')}
            icon={<CalendarClock size={20} aria-hidden="true" />}
            head={(row) => ({
              title: row.name,
              place: say(PLAN_TYPE_TEXT[row.type]),
              state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
            })}
            actions={(row) => (
              <>
                {may(routes.run) ? (
                  <Button
                    type="primary"
                    icon={<Play size={15} aria-hidden="true" />}
                    loading={run.isPending}
                    onClick={() => run.mutate({ params: { id: row.id } })}
                  >
                    {t('runNow')}
                  </Button>
                ) : null}
                {may(routes.update) ? (
                  <Button icon={<Pencil size={15} aria-hidden="true" />} onClick={() => edit(row)}>
                    {t('edit')}
                  </Button>
                ) : null}
                <Link to="/meter/auto-meter-reading">{t('openReadings')}</Link>
              </>
            )}
            properties={(row) => [
              { label: t('targets'), value: <TargetsOf row={row} /> },
              { label: t('schedule'), value: <span className="mono">{row.schedule}</span> },
              { label: t('window'), value: windowOf(row, t) },
              ...(row.items.length > 0 ? [{ label: t('items'), value: <span className="mono">{row.items.join(', ')}</span> }] : []),
              { label: t('lookBack'), value: `${row.lookBackDays} ${t('days')}` },
              { label: t('execution'), value: say(PLAN_EXECUTION_TEXT[row.execution]) },
              {
                label: t('retryCount'),
                value:
                  row.retryCount === null
                    ? t('automatic')
                    : t('retries', { count: row.retryCount, minutes: row.retryIntervalMinutes ?? 0 }),
              },
              { label: t('priority'), value: row.priority },
              { label: t('owner'), value: row.ownerName ?? (row.isBuiltin ? t('builtin') : null) },
              { label: t('updated'), value: dateTime(row.updatedAt) },
            ]}
            onSelect={(sel) => setUrl({ sel })}
          >
            {(row) => <PlanSections row={row} />}
          </RecordPane>
        )}
      />
      {dialog ? (
        <PlanForm
          row={dialog.row}
          start={dialog.start}
          onClose={() => setDialog(undefined)}
          onDone={() => {
            setDialog(undefined);
            void message.success(t('saved'));
            reload();
          }}
        />
      ) : null}
    </>
  );
}
