import { archive, type ArchiveSummary, type PlanStep } from '@hes/contract/asset/archive.ts';
import { Alert, Button, Checkbox, Drawer } from 'antd';
import { useState } from 'react';
import { useApiPreview } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime, elapsed } from '#core/time/format.ts';
import { Empty, Skeleton } from '#kit/basics/states.tsx';
import { Figures, Num, Sn } from '#kit/basics/text.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import { FIELDS, texts } from './texts.ts';
import { useOrders } from './use-orders.ts';
import styles from './archives.module.css';

const SIZE = 720;
const MS = 1000;
const SIGNS = {
  insert: ['plus', 'amber', 'inserts'],
  update: ['differ', 'amber', 'updates'],
  remove: ['minus', 'red', 'removes'],
} as const;

/** The steps that would make both archives equal, for review before they are carried out. */
export function PlanDrawer({
  summary,
  why,
  onClose,
}: {
  summary: ArchiveSummary;
  /** The reason why the DCU cannot receive orders now. */
  why: string | undefined;
  onClose: () => void;
}) {
  const t = useMessages(texts);
  const [removeSurplus, setRemoveSurplus] = useState(true);
  const dryRun = useApiPreview(archive.plan, { dcuId: summary.dcuId, removeSurplus });
  const { apply } = useOrders(onClose);
  const labels = new Map<string, string>(FIELDS.map(([field, label]) => [field, t(label)]));
  const columns: Column<PlanStep>[] = [
    {
      key: 'step',
      title: t('step'),
      width: 110,
      cell: ({ kind }) => {
        const [shape, tone, word] = SIGNS[kind];
        return (
          <span className={styles['side']}>
            <Glyph shape={shape} tone={tone} size={14} />
            {t(word)}
          </span>
        );
      },
    },
    { key: 'point', title: t('point'), width: 150, align: 'right', cell: (step) => step.measurementPoint },
    { key: 'sn', title: t('sn'), width: 160, cell: (step) => <Sn sn={step.sn} /> },
    { key: 'fields', title: t('fields'), cell: (step) => step.fields.map((field) => labels.get(field) ?? field).join(', ') || '—' },
  ];
  const plan = dryRun.data;
  return (
    <Drawer
      open
      size={SIZE}
      title={t('planTitle', { sn: summary.dcuSn })}
      onClose={onClose}
      footer={
        <div className={styles['pickBar']}>
          <Checkbox checked={removeSurplus} onChange={(event) => setRemoveSurplus(event.target.checked)}>
            {t('removeSurplus')}
          </Checkbox>
          <span className={styles['space']} />
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button
            type="primary"
            disabled={!plan || plan.steps.length === 0 || why !== undefined}
            title={why ?? ''}
            loading={apply.isPending}
            onClick={() => plan && apply.mutate({ params: { id: plan.id } })}
          >
            {t('apply')}
          </Button>
        </div>
      }
    >
      {dryRun.error ? <Alert type="error" showIcon role="alert" title={dryRun.error.message} /> : null}
      {!plan && !dryRun.error ? <Skeleton lines={8} /> : null}
      {plan ? (
        <>
          <Alert
            type="info"
            showIcon
            className={styles['dry'] ?? ''}
            title={`${t('dryRun')} ${t('basedOn', { at: dateTime(plan.comparedAt) })}`}
          />
          <Figures
            items={[
              { label: t('inserts'), value: <Num value={plan.inserts} /> },
              { label: t('updates'), value: <Num value={plan.updates} /> },
              { label: t('removes'), value: <Num value={plan.removes} /> },
              { label: t('frames'), value: <Num value={plan.frames} /> },
              { label: t('estimate'), value: t('about', { time: elapsed(Math.max(plan.seconds, 1) * MS) }) },
            ]}
          />
          <div className={styles['planSteps']}>
            <DataTable
              label={t('planTitle', { sn: summary.dcuSn })}
              columns={columns}
              rows={plan.steps}
              rowKey={(step) => `${step.kind} ${step.sn}`}
              empty={<Empty kind="fine" text={t('nothingToRepair')} />}
            />
          </div>
        </>
      ) : null}
    </Drawer>
  );
}
