import { dcu, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { to } from '@hes/contract/page/links.ts';
import { Alert, Button, Tabs } from 'antd';
import { Gauge, ScanSearch } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf, dateTime } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { CopyButton } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { DcuIcon } from '#domain/node-tree/device-icons.tsx';
import { PaneActions, PaneHead, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StatusLink } from '#domain/states/status-link.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS, ONLINE } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import { MetersTab } from './meters-tab.tsx';
import { NextStep } from './next-step.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import styles from './detail.module.css';

const POLL_MS = 60_000;

/** Time and age of the last communication. */
function LastCommunication({ at }: { at: string | null }) {
  const t = useMessages(texts);
  const now = useNow(10_000);
  const locale = usePreferences((state) => state.locale);
  return <span>{at ? t('lastComm', { at: dateTime(at).slice(5), age: ageOf(at, now, locale) }) : t('neverComm')}</span>;
}

/** Details of a DCU: health, identity, connections and meters. */
export function DetailPane({ id, rows, select, buttonsOf }: PaneProps<DcuRow>) {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const query = useApiQuery(dcu.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <SidePane label={t('detail', { sn: query.data?.sn ?? '' })}>
      <PanelState query={query} lines={10}>
        {(detail) => (
          <>
            <PaneHead
              icon={<DcuIcon size={20} aria-hidden="true" />}
              title={
                <>
                  <StatusLink kind="dcu" id={detail.id} sn={detail.sn} />
                  <CopyButton text={detail.sn} />
                </>
              }
              place={[detail.transformerName, detail.levelName, detail.remote].filter(Boolean).join(' · ')}
              state={
                <>
                  <StateOf tag sign={ONLINE[detail.onlineStatus]} />
                  {detail.freshness === 'h24' ? null : <StateOf tag sign={FRESHNESS[detail.freshness]} />}
                  <LastCommunication at={detail.lastCommAt} />
                </>
              }
              {...stepsOf(rows, id, select)}
            />
            <PaneActions>
              <Button
                type="primary"
                icon={<ScanSearch size={15} aria-hidden="true" />}
                disabled={detail.meters === 0}
                onClick={() => void navigate(to.onDemandReading({ targets: `dcu:${detail.id}` }))}
              >
                {t('readNow')}
              </Button>
              <Button
                icon={<Gauge size={15} aria-hidden="true" />}
                onClick={() => void navigate(to.readings({ node: `dcu:${detail.id}` }))}
              >
                {t('readings')}
              </Button>
              {buttonsOf(detail, { hasMain: false })}
            </PaneActions>
            {!detail.hasKeys ? <Alert type="warning" showIcon title={t('keysWhy')} className={styles['alert'] ?? ''} /> : null}
            <NextStep detail={detail} />
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
    </SidePane>
  );
}
