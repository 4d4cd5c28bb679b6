import { dcu, type DcuDetail, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { Alert, Button, Tabs } from 'antd';
import { ChevronDown, ChevronUp, Gauge, ScanSearch, X } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { usePreferences } from '#shared/theme/preferences.ts';
import { ageOf, dateTime } from '#shared/time/format.ts';
import { useNow } from '#shared/time/use-now.ts';
import { PanelState } from '#shared/ui/states.tsx';
import { CopyButton, Sn } from '#shared/ui/text.tsx';
import { DcuIcon } from '#widgets/node-tree/device-icons.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { FRESHNESS, ONLINE } from '#widgets/state-of/tables.ts';
import { texts } from './texts.ts';
import { DcuButtons, type DcuRequest } from './dcu-actions.tsx';
import { MetersTab } from './meters-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import styles from './detail.module.css';

interface DetailPaneProps {
  id: string;
  rows: DcuRow[];
  onSelect: (id: string | undefined) => void;
  onDialog: (dialog: DcuRequest) => void;
}

const POLL_MS = 60_000;

function Head({ detail, rows, onSelect }: { detail: DcuDetail } & Omit<DetailPaneProps, 'id' | 'onDialog'>) {
  const t = useMessages(texts);
  const now = useNow(10_000);
  const locale = usePreferences((state) => state.locale);
  const at = rows.findIndex((row) => row.id === detail.id);
  const step = (by: number) => rows[at + by];
  return (
    <header className={styles['head']}>
      <span className={styles['badge']}>
        <DcuIcon size={20} aria-hidden="true" />
      </span>
      <div className={styles['who']}>
        <h2>
          <Sn sn={detail.sn} />
          <CopyButton text={detail.sn} />
        </h2>
        <p>{[detail.transformerName, detail.levelName, detail.remote].filter(Boolean).join(' · ')}</p>
      </div>
      <Button
        type="text"
        aria-label={t('previous')}
        disabled={at <= 0}
        icon={<ChevronUp size={17} aria-hidden="true" />}
        onClick={() => onSelect(step(-1)?.id)}
      />
      <Button
        type="text"
        aria-label={t('next')}
        disabled={at < 0 || at >= rows.length - 1}
        icon={<ChevronDown size={17} aria-hidden="true" />}
        onClick={() => onSelect(step(1)?.id)}
      />
      <Button type="text" aria-label={t('close')} icon={<X size={17} aria-hidden="true" />} onClick={() => onSelect(undefined)} />
      <p className={styles['stateLine']}>
        <StateOf tag sign={ONLINE[detail.onlineStatus]} />
        {detail.freshness === 'h24' ? null : <StateOf tag sign={FRESHNESS[detail.freshness]} />}
        <span>
          {detail.lastCommAt
            ? t('lastComm', { at: dateTime(detail.lastCommAt).slice(5), age: ageOf(detail.lastCommAt, now, locale) })
            : t('neverComm')}
        </span>
      </p>
    </header>
  );
}

function Actions({ detail, onDialog }: { detail: DcuDetail; onDialog: (dialog: DcuRequest) => void }) {
  const t = useMessages(texts);
  const navigate = useNavigate();
  return (
    <div className={styles['actions']}>
      <Button
        type="primary"
        icon={<ScanSearch size={15} aria-hidden="true" />}
        disabled={detail.meters === 0}
        onClick={() => void navigate(`/action/on-demand-reading?targets=dcu:${detail.id}`)}
      >
        {t('readNow')}
      </Button>
      <Button
        icon={<Gauge size={15} aria-hidden="true" />}
        onClick={() => void navigate(`/meter/auto-meter-reading?node=dcu:${detail.id}`)}
      >
        {t('readings')}
      </Button>
      <DcuButtons row={detail} onDialog={onDialog} />
    </div>
  );
}

/** Details of a DCU: health, identity, connections and meters. */
export function DetailPane({ id, rows, onSelect, onDialog }: DetailPaneProps) {
  const t = useMessages(texts);
  const query = useApiQuery(dcu.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <aside className={styles['pane']} aria-label={t('detail', { sn: query.data?.sn ?? '' })}>
      <PanelState query={query} lines={10}>
        {(detail) => (
          <>
            <Head detail={detail} rows={rows} onSelect={onSelect} />
            <Actions detail={detail} onDialog={onDialog} />
            {!detail.hasKeys ? <Alert type="warning" showIcon title={t('keysWhy')} className={styles['alert'] ?? ''} /> : null}
            <Tabs
              className={styles['tabs'] ?? ''}
              items={[
                { key: 'overview', label: t('overview'), children: <OverviewTab detail={detail} /> },
                { key: 'meters', label: `${t('meters')} ${detail.meters}`, children: <MetersTab dcuId={detail.id} /> },
                { key: 'sessions', label: t('sessions'), children: <SessionsTab dcuId={detail.id} /> },
              ]}
            />
          </>
        )}
      </PanelState>
    </aside>
  );
}
