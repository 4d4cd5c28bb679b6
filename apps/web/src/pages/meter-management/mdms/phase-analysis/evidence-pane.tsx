import type { PhaseRow } from '@hes/contract/analysis/phase.ts';
import { conflictText } from '@hes/contract/states/phase.ts';
import { RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { Gauge } from 'lucide-react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { figure, grouped } from '#core/time/number.ts';
import { Properties } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { Conflict, percentOf, PhaseMark } from './phase-mark.tsx';
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

/** The evidence for the phase of a meter. */
export function EvidencePane({ id, rows, select, buttonsOf }: PaneProps<PhaseRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const row = rows.find(({ meterId }) => meterId === id);
  if (row === undefined) return null;
  const sure = (support: number) => t('support', { percent: percentOf(support) });
  const isThree = row.finalPhase === 'abc';
  return (
    <SidePane label={t('evidence')}>
      <PaneHead
        icon={<Gauge size={18} aria-hidden="true" />}
        title={grouped(row.sn)}
        place={[row.customerName, row.address].filter(Boolean).join(' · ') || '—'}
        state={<StateOf sign={PHASE_STATE[row.state]} tag />}
        {...stepsOf(
          rows.map(({ meterId }) => ({ id: meterId })),
          id,
          select,
        )}
      />
      <PaneActions>{buttonsOf(row)}</PaneActions>
      <PaneSection title={t('finalPhase')}>
        <Properties
          items={[
            { label: t('recordedPhase'), value: <PhaseMark phase={row.recordedPhase} /> },
            { label: t('finalPhase'), value: <PhaseMark phase={row.finalPhase} strong /> },
            { label: t('confidence'), value: row.confidence === null ? '—' : `${percentOf(row.confidence)} %` },
            { label: t('conflict'), value: conflictText(row) ? <Conflict of={row} /> : '—' },
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
                ? t('moduleText', { phase: say(RECORDED_PHASE_TEXT[row.modulePhase]), at: dateTime(row.moduleAt) })
                : t('moduleSilent')}
            </p>
          </PaneSection>
        </>
      )}
    </SidePane>
  );
}
