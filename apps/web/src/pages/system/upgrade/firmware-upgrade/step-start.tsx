import { PREFLIGHT_REFUSALS, PREFLIGHT_TEXT } from '@hes/contract/states/upgrade.ts';
import { PREFLIGHT_LINES, type PreflightLine, type PreflightReport } from '@hes/contract/upgrade/job.ts';
import { Alert, Button, Checkbox, Input } from 'antd';
import { Download, Printer } from 'lucide-react';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { figure } from '#core/time/number.ts';
import { downloadCsv } from '#core/files/download-csv.ts';
import { PanelState, type Loaded } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import type { Draft } from './draft.ts';
import { texts } from './messages.ts';
import { ReportFigures } from './report-figures.tsx';
import styles from './upgrade.module.css';

interface StartStepProps {
  draft: Draft;
  report: Loaded<PreflightReport>;
  /** The refusal of the server. */
  failure: string | undefined;
  onChange: (part: Partial<Draft>) => void;
}

const NAME_MAX = 64;
const REASON_MAX = 256;

/** The summary before the start: excluded targets with reasons, warnings, and the name of the upgrade. */
export function StartStep({ draft, report, failure, onChange }: StartStepProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const columns: Column<PreflightLine>[] = [
    { key: 'sn', title: t('sn'), width: 170, cell: (line) => <Sn sn={line.sn} /> },
    { key: 'dcu', title: t('dcuSn'), width: 170, cell: (line) => (line.dcuSn ? <Sn sn={line.dcuSn} /> : '—') },
    { key: 'transformer', title: t('transformer'), width: 150, cell: (line) => line.transformerName ?? '—' },
    { key: 'type', title: t('type'), width: 150, cell: (line) => (line.typeName === null ? '—' : called(line.typeName)) },
    { key: 'version', title: t('currentVersion'), width: 130, mono: true, cell: (line) => line.version ?? '—' },
    {
      key: 'finding',
      title: t('finding'),
      cell: (line) =>
        line.issues.length === 0 ? (
          t('fine')
        ) : (
          <span className={styles['issues']}>
            {line.issues.map((issue) => (
              <span key={issue} className={styles['issue']} data-refused={PREFLIGHT_REFUSALS.includes(issue)}>
                {say(PREFLIGHT_TEXT[issue])}
              </span>
            ))}
          </span>
        ),
    },
  ];
  const saveReport = ({ lines }: PreflightReport) =>
    downloadCsv(`${t('preflight')} ${draft.name}`.trim(), [
      [t('sn'), t('dcuSn'), t('transformer'), t('type'), t('currentVersion'), t('refused'), t('finding')],
      ...lines.map((line) => [
        line.sn,
        line.dcuSn,
        line.transformerName,
        line.typeName === null ? null : called(line.typeName),
        line.version,
        line.isRefused ? t('refused') : '',
        line.issues.map((issue) => say(PREFLIGHT_TEXT[issue])).join('; '),
      ]),
    ]);
  return (
    <>
      <div className={styles['columns']}>
        <label className={styles['field']}>
          <b>{t('jobName')} *</b>
          <Input maxLength={NAME_MAX} value={draft.name} onChange={(event) => onChange({ name: event.target.value })} />
        </label>
        <label className={styles['field']}>
          <b>{t('reason')} *</b>
          <Input maxLength={REASON_MAX} value={draft.reason} onChange={(event) => onChange({ reason: event.target.value })} />
        </label>
      </div>
      <ReportFigures report={report} />
      {failure ? <Alert type="error" showIcon role="alert" title={failure} /> : null}
      <PanelState query={report} lines={8}>
        {(data) => (
          <>
            {data.refused > 0 ? (
              <Alert
                type="warning"
                showIcon
                role="alert"
                title={t('selectValid')}
                description={
                  <Checkbox checked={draft.leaveOutRefused} onChange={(event) => onChange({ leaveOutRefused: event.target.checked })}>
                    {t('leaveOut', { count: figure(data.refused) })}
                  </Checkbox>
                }
              />
            ) : null}
            <div className={styles['reportLine']}>
              <span className={styles['muted']}>
                {t('preflightNote')}
                {data.total > data.lines.length ? ` · ${t('firstLines', { count: figure(PREFLIGHT_LINES) })}` : ''}
              </span>
              <Button size="small" icon={<Download size={13} aria-hidden="true" />} onClick={() => saveReport(data)}>
                {t('reportCsv')}
              </Button>
              <Button size="small" icon={<Printer size={13} aria-hidden="true" />} onClick={() => window.print()}>
                {t('print')}
              </Button>
            </div>
            <div className={styles['table']}>
              <DataTable<PreflightLine> label={t('preflight')} columns={columns} rows={data.lines} rowKey={(line) => line.id ?? line.sn} />
            </div>
          </>
        )}
      </PanelState>
    </>
  );
}
