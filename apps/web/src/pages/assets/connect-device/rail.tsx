import type { Progress } from '@hes/contract/asset/connecting.ts';
import type { ConnectedKind, ConnectStep } from '@hes/contract/states/connecting.ts';
import { useMessages, type PlainKey } from '#core/i18n/use-messages.ts';
import { Sn } from '#kit/basics/text.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import { texts } from './messages.ts';
import type { StepState } from './steps.ts';
import styles from './connect.module.css';

const LOOK = {
  done: { shape: 'tick', tone: 'ok', word: 'stepDone' },
  current: { shape: 'disc', tone: 'run', word: 'stepCurrent' },
  failed: { shape: 'cross', tone: 'red', word: 'stepFailed' },
  open: { shape: 'dashed', tone: 'none', word: 'stepOpen' },
} as const;

/** Name of a step for this kind of device. */
export function titleOf(kind: ConnectedKind, step: ConnectStep): PlainKey<typeof texts> {
  if (step === 'check') return kind === 'dcu' ? 'checkDcu' : 'checkMeter';
  if (step === 'meters') return 'findMeters';
  return step === 'value' ? 'firstValue' : step;
}

interface StepRailProps {
  kind: ConnectedKind;
  states: ReadonlyMap<ConnectStep, StepState>;
  shown: ConnectStep;
  progress: Progress | undefined;
  onOpen: (step: ConnectStep) => void;
}

/** All steps with their states. Steps that need the registered device cannot be opened before. */
export function StepRail({ kind, states, shown, progress, onOpen }: StepRailProps) {
  const t = useMessages(texts);
  return (
    <nav className={styles['rail']} aria-label={t('steps')}>
      <p className={styles['railHead']}>
        {progress === undefined ? t(kind === 'dcu' ? 'dcuChoice' : 'meterChoice') : <Sn sn={progress.sn} />}
        {progress === undefined ? null : <small>{progress.typeName}</small>}
      </p>
      <ol>
        {[...states].map(([step, state]) => {
          const { shape, tone, word } = LOOK[state];
          const isShut = progress === undefined && step !== 'call' && step !== 'register';
          return (
            <li key={step}>
              <button
                type="button"
                aria-current={step === shown ? 'step' : undefined}
                data-state={state}
                disabled={isShut}
                onClick={() => onOpen(step)}
              >
                <Glyph shape={shape} tone={tone} size={16} />
                <span>{t(titleOf(kind, step))}</span>
                <small>{t(word)}</small>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
