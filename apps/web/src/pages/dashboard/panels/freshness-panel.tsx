import type { Freshness } from '@hes/contract/states/device.ts';
import { to } from '@hes/contract/page/links.ts';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { StackBar } from '#kit/chart/bars.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure, percent } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Segments } from '#kit/plain/segments.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS, FRESHNESS_ORDER } from '#domain/states/tables.ts';
import { counted } from '#kit/state/sign.ts';
import { texts } from '#pages/dashboard/texts.ts';
import { useSummary } from '#pages/dashboard/use-summary.ts';
import styles from './rail.module.css';

type Of = 'dcu' | 'meter';

/** Devices by time since the last contact, in the five classes of the specification. */
export function FreshnessPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const query = useSummary();
  const [of, setOf] = useState<Of>('dcu');
  const linkOf = (key: Freshness) => (of === 'dcu' ? to.dcus({ freshness: key }) : to.meterAssets({ freshness: key }));
  return (
    <Panel
      title={t('freshness')}
      className={styles['rail']}
      extra={
        <Segments<Of>
          label={t('freshness')}
          value={of}
          onChange={setOf}
          options={[
            { value: 'dcu', label: t('dcuTab') },
            { value: 'meter', label: t('meterTab') },
          ]}
        />
      }
    >
      <PanelState query={query} lines={5}>
        {(data) => {
          const counts = data.freshness[of];
          const total = FRESHNESS_ORDER.reduce((sum, key) => sum + counts[key], 0);
          return (
            <>
              <StackBar
                label={t('freshness')}
                parts={FRESHNESS_ORDER.map((key) => ({ value: counts[key], tone: FRESHNESS[key].tone, label: say(FRESHNESS[key].text) }))}
              />
              <ul className={styles['buckets']}>
                {FRESHNESS_ORDER.map((key) => (
                  <li key={key}>
                    <Link to={linkOf(key)}>
                      <StateOf sign={counted(FRESHNESS[key], counts[key])} />
                      <span className={styles['dim']}>{percent(counts[key], total, 1) ?? '0.0'} %</span>
                      <b data-value={counts[key]}>{figure(counts[key])}</b>
                      <ChevronRight size={14} aria-hidden="true" />
                    </Link>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </PanelState>
    </Panel>
  );
}
