import { dcuConfig, type DcuParameterRow, type DcuTemplate } from '@hes/contract/action/dcu-config.ts';
import {
  DCU_PARAMETERS,
  GROUP_TEXT,
  PARAMETER_GROUPS,
  parameterOf,
  refusalOf,
  type ParameterGroup,
} from '@hes/contract/action/dcu-parameter.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { App, Button, Dropdown, Select, Upload } from 'antd';
import { Download, Factory, FileUp, Layers, RotateCcw, Save, ScanSearch, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { usePageDraft } from '#kit/form/drafts.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { saveFile } from '#core/files/download-csv.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { RecentRuns } from '#domain/live-run/recent-runs.tsx';
import { ConfigRun } from './config-run.tsx';
import { DcuList } from './dcu-list.tsx';
import { texts } from './messages.ts';
import { ParameterForm, type Changes } from './parameter-form.tsx';
import { setAsCsv, setFrom } from './parameter-set.ts';
import { TemplateDialog } from './template-dialog.tsx';
import { WriteDialog } from './write-dialog.tsx';
import styles from './dcu-config.module.css';

const DEFAULTS = { page: '1' } as const;
const POLL_MS = 10_000;
const NO_CHANGES: Changes = {};
const FORMS = ['csv', 'json'] as const;

type Dialog = 'write' | 'template' | 'restart' | 'factory';

/** The writable parameters of a DCU, which can be copied to others. */
const setOf = (rows: readonly DcuParameterRow[], changes: Changes): Record<string, string> =>
  Object.fromEntries(
    rows.flatMap(({ key, desired, actual }) => {
      const value = changes[key] ?? desired ?? actual;
      return value === null || parameterOf(key)?.isReadOnly === true ? [] : [[key, value]];
    }),
  );

export default function DcuConfiguration() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [url, setUrl] = useUrl(PAGE_WORDS.dcuConfiguration, DEFAULTS);
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<Dialog>();
  const [deleting, setDeleting] = useState<DcuTemplate>();
  const id = url.dcu ?? '';
  const parameters = useApiQuery(dcuConfig.get, {
    params: { id },
    enabled: url.dcu !== undefined && url.task === undefined,
    refetchMs: POLL_MS,
  });
  const templates = useApiQuery(dcuConfig.templates);

  const [changes = NO_CHANGES, keepChanges] = usePageDraft<Changes>({ record: `dcu-parameters/${id}`, title: t('values') });
  const setChanges = (next: Changes) => keepChanges(Object.keys(next).length === 0 ? undefined : next);
  const rows = parameters.data?.items ?? [];
  const open = (task: string) => {
    setDialog(undefined);
    setChanges(NO_CHANGES);
    setUrl({ task });
  };
  const events = {
    success: ({ taskId }: { taskId: string }) => open(taskId),
    failure: (error: { message: string }) => void message.error(error.message, 0),
  };
  const read = useApiMutation(dcuConfig.read, events);
  const restart = useApiMutation(dcuConfig.restart, { success: events.success });
  const factory = useApiMutation(dcuConfig.factory, { success: events.success });
  const remove = useApiMutation(dcuConfig.removeTemplate, {
    success: () => {
      setDeleting(undefined);
      void templates.refetch();
    },
  });
  const mayWrite = may(dcuConfig.write);
  const targets = checked.size > 0 ? [...checked] : url.dcu === undefined ? [] : [url.dcu];
  const changed = Object.keys(changes);
  const isSound = changed.every((key) => refusalOf(key, changes[key] ?? '') === undefined);

  const readKeys = (keys: string[]) =>
    targets.length === 0 ? void message.warning(t('selectData')) : read.mutate({ body: { dcuIds: targets, keys } });
  const readGroup = (group: ParameterGroup) => {
    const keys = DCU_PARAMETERS.filter((parameter) => parameter.group === group).map(({ key }) => key);
    read.mutate({ body: { dcuIds: [id], keys } });
  };
  const removal = (template: DcuTemplate) => (
    <Button
      type="text"
      size="small"
      aria-label={t('deleteTemplate', { name: template.name })}
      icon={<Trash2 size={13} aria-hidden="true" />}
      onClick={(event) => {
        event.stopPropagation();
        setDeleting(template);
      }}
    />
  );
  const load = async (file: File) => {
    try {
      const values = setFrom(await file.text());
      if (Object.keys(values).length === 0) throw new Error(t('notASet'));
      setChanges({ ...changes, ...values });
    } catch {
      void message.error(t('notASet'), 0);
    }
  };
  const saveSet = (form: string) => {
    const values = setOf(rows, changes);
    const text = form === 'csv' ? setAsCsv(values, say) : JSON.stringify(values, null, 2);
    saveFile(`dcu-parameters.${form}`, new Blob([text], { type: form === 'csv' ? 'text/csv;charset=utf-8' : 'application/json' }));
  };
  const group = url.group;
  const sn = parameters.data?.sn;

  if (url.task !== undefined) return <ConfigRun key={url.task} id={url.task} onOpen={open} onBack={() => setUrl({ task: undefined })} />;
  return (
    <div className={styles['page']}>
      <header className={styles['title']}>
        <h1>{t('title')}</h1>
        <span>{t('purpose')}</span>
        <div className={styles['bar']}>
          <RecentRuns current={undefined} onOpen={open} />
          <Dropdown
            trigger={['click']}
            menu={{
              items: (templates.data?.items ?? []).map((template) => ({
                key: template.id,
                label: `${template.name} (${Object.keys(template.values).length})`,
                ...(mayWrite ? { extra: removal(template) } : {}),
              })),
              onClick: ({ key }) => {
                const template = templates.data?.items.find((one) => one.id === key);
                if (targets.length === 0) void message.warning(t('selectData'));
                else if (template) setChanges({ ...changes, ...template.values });
              },
            }}
            disabled={(templates.data?.items.length ?? 0) === 0}
          >
            <Button icon={<Layers size={14} aria-hidden="true" />}>{t('templates')}</Button>
          </Dropdown>
          {mayWrite ? (
            <Button type="primary" icon={<ScanSearch size={14} aria-hidden="true" />} loading={read.isPending} onClick={() => readKeys([])}>
              {checked.size > 0 ? `${t('readAll')} (${checked.size})` : t('readAll')}
            </Button>
          ) : null}
        </div>
      </header>
      <div className={styles['columns']}>
        <DcuList
          url={url}
          setUrl={setUrl}
          checked={checked}
          onCheck={(dcu, on) => setChecked((all) => new Set(on ? [...all, dcu] : [...all].filter((one) => one !== dcu)))}
        />
        <Panel
          flush
          className={styles['parameters']}
          title={t('values')}
          extra={
            url.dcu !== undefined && mayWrite ? (
              <span className={styles['bar']}>
                <Select
                  allowClear
                  size="small"
                  style={{ width: 132 }}
                  aria-label={t('group')}
                  placeholder={t('group')}
                  value={group}
                  options={PARAMETER_GROUPS.map((value) => ({ value, label: say(GROUP_TEXT[value]) }))}
                  onChange={(value: ParameterGroup | undefined) => setUrl({ group: value })}
                />
                <Dropdown
                  trigger={['click']}
                  menu={{ items: FORMS.map((form) => ({ key: form, label: form.toUpperCase() })), onClick: ({ key }) => saveSet(key) }}
                >
                  <Button size="small" icon={<Download size={13} aria-hidden="true" />}>
                    {t('exportSet')}
                  </Button>
                </Dropdown>
                <Upload
                  accept=".json,.csv"
                  showUploadList={false}
                  beforeUpload={(file) => {
                    void load(file);
                    return false;
                  }}
                >
                  <Button size="small" icon={<FileUp size={13} aria-hidden="true" />}>
                    {t('importSet')}
                  </Button>
                </Upload>
                <Button size="small" icon={<Save size={13} aria-hidden="true" />} onClick={() => setDialog('template')}>
                  {t('saveTemplate')}
                </Button>
                <Button size="small" icon={<RotateCcw size={13} aria-hidden="true" />} onClick={() => setDialog('restart')}>
                  {t('restart')}
                </Button>
                <Button
                  size="small"
                  danger
                  icon={<Factory size={13} aria-hidden="true" />}
                  disabled={sn === undefined}
                  onClick={() => setDialog('factory')}
                >
                  {t('factory')}
                </Button>
              </span>
            ) : undefined
          }
        >
          {url.dcu === undefined ? (
            <Empty kind="choose" text={t('choose')} hint={t('chooseHint')} />
          ) : (
            <PanelState query={parameters} lines={14}>
              {(data) => (
                <ParameterForm
                  rows={data.items}
                  group={group}
                  changes={changes}
                  mayWrite={mayWrite}
                  onChange={(key, value) => setChanges({ ...changes, [key]: value })}
                  onReadGroup={readGroup}
                />
              )}
            </PanelState>
          )}
          {changed.length > 0 ? (
            <footer className={styles['foot']}>
              <span>{checked.size > 0 ? t('selectedDcus', { count: checked.size }) : null}</span>
              <Button onClick={() => setChanges(NO_CHANGES)}>{t('discard')}</Button>
              <Button type="primary" disabled={!isSound} icon={<Send size={14} aria-hidden="true" />} onClick={() => setDialog('write')}>
                {t('writeChanged', { count: changed.length })}
              </Button>
            </footer>
          ) : null}
        </Panel>
      </div>
      {dialog === 'write' ? <WriteDialog dcuIds={targets} changes={changes} onOrdered={open} onClose={() => setDialog(undefined)} /> : null}
      {dialog === 'template' ? (
        <TemplateDialog
          values={changed.length > 0 ? changes : setOf(rows, changes)}
          templates={templates.data?.items ?? []}
          onSaved={() => {
            void message.success(t('templateSaved'));
            setDialog(undefined);
            void templates.refetch();
          }}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {deleting === undefined ? null : (
        <DangerDialog
          title={t('sureToDelete')}
          effect={t('deleteEffect', { name: deleting.name })}
          action={t('delete')}
          busy={remove.isPending}
          failure={remove.error?.message}
          onConfirm={() => remove.mutate({ params: { id: deleting.id } })}
          onClose={() => setDeleting(undefined)}
        />
      )}
      {dialog === 'restart' ? (
        <DangerDialog
          title={t('restart')}
          effect={t('restartEffect')}
          action={t('restart')}
          reason={{ label: t('reason'), max: 256, missing: t('reasonMissing') }}
          busy={restart.isPending}
          failure={restart.error?.message}
          onConfirm={(reason) => restart.mutate({ params: { id }, body: { reason } })}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {dialog === 'factory' && sn !== undefined ? (
        <DangerDialog
          title={t('factory')}
          effect={t('factoryEffect')}
          action={t('factory')}
          reason={{ label: t('reason'), max: 256, missing: t('reasonMissing') }}
          typed={{ label: t('typeSn'), expected: sn, wrong: t('wrongSn') }}
          busy={factory.isPending}
          failure={factory.error?.message}
          onConfirm={(reason) => factory.mutate({ params: { id }, body: { sn, reason } })}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </div>
  );
}
