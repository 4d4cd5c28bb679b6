import type { PhaseRow } from '@hes/contract/analysis/phase.ts';
import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { BookMarked, Check, Gauge, Send } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { figure, grouped } from '#core/time/number.ts';
import { Properties } from '#kit/basics/text.tsx';
import { PaneActions, PaneHead, PaneSection, SidePane } from '#kit/pane/side-pane.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { phaseText, texts } from './messages.ts';
import { PhaseMark } from './phase-mark.tsx';
import { PHASE_STATE } from './signs.ts';
import styles from './phase.module.css';

const PHASES = ['a', 'b', 'c'] as const;

/** Correlation of a voltage with each of the three phases. */
function Correlations({ values }: { values: readonly (number | null)[] }) {
  return (
    <div className={styles['bars']}>
      {PHASES.map((phase, at) => {
        const value = values[at] ?? null;
        return [
          <PhaseMark key={`${phase}m`} phase={phase} />,
          <span key={`${phase}b`} className={styles['bar']} data-phase={phase}>
            <i style={{ width: `${Math.max(0, value ?? 0) * 100}%` }} />
          </span>,
          <b key={`${phase}v`} data-value={value}>
            {value === null ? '—' : figure(value, 2)}
          </b>,
        ];
      })}
    </div>
  );
}

interface EvidencePaneProps {
  row: PhaseRow;
  rows: PhaseRow[];
  onSelect: (id: string | undefined) => void;
  onAccept?: () => void;
  onWrite?: () => void;
  onSend?: () => void;
}

/** The evidence for the phase of a meter. */
export function EvidencePane({ row, rows, onSelect, onAccept, onWrite, onSend }: EvidencePaneProps) {
  const t = useMessages(texts);
  const at = rows.findIndex((one) => one.meterId === row.meterId);
  const step = (by: number) => {
    const next = rows[at + by];
    return next ? () => onSelect(next.meterId) : undefined;
  };
  const sure = (support: number) => t('support', { percent: figure(Math.floor(support * 1000) / 10, 1) });
  const isThree = row.finalPhase === 'abc';
  return (
    <div className={styles['pane']}>
      <SidePane label={t('evidence')}>
        <PaneHead
          icon={<Gauge size={18} aria-hidden="true" />}
          title={grouped(row.sn)}
          place={[row.customerName, row.address].filter(Boolean).join(' · ') || '—'}
          state={<StateOf sign={PHASE_STATE[row.state]} tag />}
          onPrevious={step(-1)}
          onNext={step(1)}
          onClose={() => onSelect(undefined)}
        />
        <PaneActions>
          {onAccept && row.state === 'proposed' ? (
            <Button type="primary" icon={<Check size={14} aria-hidden="true" />} onClick={onAccept}>
              {t('accept')}
            </Button>
          ) : null}
          {onWrite && row.state === 'accepted' ? (
            <Button type="primary" icon={<BookMarked size={14} aria-hidden="true" />} onClick={onWrite}>
              {t('write')}
            </Button>
          ) : null}
          {onSend ? (
            <Button type="primary" icon={<Send size={14} aria-hidden="true" />} onClick={onSend}>
              {t('send')}
            </Button>
          ) : null}
          <LinkButton to={to.readings({ tab: 'lpb', view: 'chart', node: `meter:${row.meterId}` })}>{t('openReadings')}</LinkButton>
        </PaneActions>
        <PaneSection title={t('finalPhase')}>
          <Properties
            items={[
              { label: t('recordedPhase'), value: <PhaseMark phase={row.recordedPhase} /> },
              { label: t('finalPhase'), value: <PhaseMark phase={row.finalPhase} strong /> },
              { label: t('confidence'), value: row.confidence === null ? '—' : `${figure(Math.floor(row.confidence * 1000) / 10, 1)} %` },
              {
                label: t('conflict'),
                value: row.isConflict ? (
                  <span className={styles['conflict']}>{t('conflictText', { recorded: phaseText(t, row.recordedPhase) })}</span>
                ) : row.hasContradiction ? (
                  <span className={styles['contradiction']}>{t('contradiction')}</span>
                ) : (
                  '—'
                ),
              },
              { label: t('dcu'), value: row.dcuSn ?? '—' },
              { label: t('address'), value: row.address ?? '—' },
              { label: t('acceptedBy'), value: row.acceptedByName ?? '—' },
            ]}
          />
        </PaneSection>
        {isThree ? (
          <PaneSection title={t('evidence')}>
            <p className={styles['note']}>{t('threePhase')}</p>
          </PaneSection>
        ) : (
          <>
            <PaneSection title={t('masterWitness')} note={row.master ? t('masterText', { samples: row.master.samples }) : t('silent')}>
              {row.master ? (
                <>
                  <Correlations values={row.master.correlations} />
                  <p className={styles['note']}>{sure(row.master.support)}</p>
                </>
              ) : null}
            </PaneSection>
            <PaneSection
              title={t('neighbourWitness')}
              note={row.neighbours ? t('neighbourText', { meters: row.neighbours.meters }) : t('silent')}
            >
              {row.neighbours ? (
                <>
                  <Correlations values={row.neighbours.correlations} />
                  <p className={styles['note']}>{sure(row.neighbours.support)}</p>
                </>
              ) : null}
            </PaneSection>
            <PaneSection title={t('moduleWitness')}>
              <p className={styles['note']}>
                {row.modulePhase && row.moduleAt
                  ? t('moduleText', { phase: phaseText(t, row.modulePhase), at: dateTime(row.moduleAt) })
                  : t('moduleSilent')}
              </p>
            </PaneSection>
          </>
        )}
      </SidePane>
    </div>
  );
}
