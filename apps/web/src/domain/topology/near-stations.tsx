import type { NearStation } from '@hes/contract/debug/sta-model.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Sn } from '#kit/basics/text.tsx';
import { PaneSection } from '#kit/pane/side-pane.tsx';
import { texts } from './messages.ts';
import { SignalBars } from './signal-bars.tsx';
import { signalFigure } from './signs.ts';
import styles from './station.module.css';

const SHOWN = 8;

/** The neighbours of a station in its network; a click opens one. */
export function NearStations({ near, onSelect }: { near: readonly NearStation[]; onSelect: (mac: string) => void }) {
  const t = useMessages(texts);
  return (
    <PaneSection title={t('neighbours')} note={String(near.length)}>
      <ul className={styles['near']} aria-label={t('neighbours')}>
        {near.slice(0, SHOWN).map((one) => (
          <li key={one.mac}>
            <button type="button" onClick={() => onSelect(one.mac)}>
              <Sn sn={one.sn} />
              <small>
                {t('level')} {one.level}
              </small>
              <SignalBars signal={one.signal} quiet />
              <b>{signalFigure(one)}</b>
            </button>
          </li>
        ))}
      </ul>
    </PaneSection>
  );
}
