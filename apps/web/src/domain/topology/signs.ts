import { SIGNAL_TEXT, type SignalStrength, type SignalUnit } from '@hes/contract/states/signal.ts';
import type { Tone } from '#core/theme/tokens.ts';

/** Colours of the six signal strengths. Two share a tone: the better one uses the darker shade. */
export const SIGNAL_COLOUR: Record<SignalStrength, string> = {
  outstanding: '--ok-fg',
  excellent: '--ok-solid',
  good: '--wait-solid',
  poor: '--amber-solid',
  fail: '--red-solid',
  no_signal: '--none-solid',
};
export const SIGNAL_TONE: Record<SignalStrength, Tone> = {
  outstanding: 'ok',
  excellent: 'ok',
  good: 'wait',
  poor: 'amber',
  fail: 'red',
  no_signal: 'none',
};
export const SIGNALS = Object.keys(SIGNAL_TEXT) as SignalStrength[]; // keys of that very object
/** Number of filled bars out of five. */
export const SIGNAL_BARS: Record<SignalStrength, number> = { outstanding: 5, excellent: 4, good: 3, poor: 2, fail: 1, no_signal: 0 };

/** Measured values of a station; those of an offline station are outdated. */
export const signalFigure = ({
  signalValue,
  signalUnit,
  isOnline,
}: {
  signalValue: number | null;
  signalUnit: SignalUnit;
  isOnline: boolean;
}): string => (signalValue === null || !isOnline ? '—' : `${signalValue} ${signalUnit}`);
