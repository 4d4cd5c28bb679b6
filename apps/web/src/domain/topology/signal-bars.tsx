import { SIGNAL_TEXT, type SignalStrength } from '@hes/contract/states/signal.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { SIGNAL_BARS, SIGNAL_COLOUR } from './signs.ts';

const BARS = [0, 1, 2, 3, 4];

/** Five bars and a text, so that colour is not needed. */
export function SignalBars({ signal, quiet }: { signal: SignalStrength; quiet?: boolean }) {
  const say = useSay();
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 7, whiteSpace: 'nowrap' }}>
      <svg width="16" height="13" viewBox="0 0 16 13" aria-hidden="true">
        {BARS.map((bar) => (
          <rect
            key={bar}
            x={bar * 3.2}
            y={10 - bar * 2.2}
            width="2.2"
            height={3 + bar * 2.2}
            fill={`var(${bar < SIGNAL_BARS[signal] ? SIGNAL_COLOUR[signal] : '--line-strong'})`}
          />
        ))}
        {signal === 'no_signal' ? <path d="M1 1 15 12" stroke="var(--none-fg)" strokeWidth="1.4" /> : null}
      </svg>
      {quiet ? null : <span style={{ alignSelf: 'baseline' }}>{say(SIGNAL_TEXT[signal])}</span>}
    </span>
  );
}
