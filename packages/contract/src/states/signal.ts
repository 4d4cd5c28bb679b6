import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** Best first. @spec seed §4, ranked as the utility reads it */
export const SIGNAL_STRENGTHS = ['outstanding', 'excellent', 'good', 'poor', 'fail', 'no_signal'] as const;
export const signalStrength = z.enum(SIGNAL_STRENGTHS);
export type SignalStrength = z.infer<typeof signalStrength>;

export const SIGNAL_TEXT: Record<SignalStrength, Text> = {
  outstanding: { en: 'Outstanding', zh: '极好' },
  excellent: { en: 'Excellent', zh: '优' },
  good: { en: 'Good', zh: '良' },
  poor: { en: 'Poor', zh: '差' },
  fail: { en: 'Fail', zh: '信号极弱' },
  no_signal: { en: 'No signal', zh: '无信号' },
};

/** Lower bounds of outstanding, excellent, good and poor; lower values are `fail`. */
export type SignalLimits = readonly [number, number, number, number];

export const signalUnit = z.enum(['dB', 'dBm']);
export type SignalUnit = z.infer<typeof signalUnit>;

/** Unit of a signal by medium: RSSI of RF in dBm, SNR of PLC in dB. */
export const signalUnitOf = (medium: 'plc' | 'rf' | 'rs485'): SignalUnit => (medium === 'rf' ? 'dBm' : 'dB');

/** Class of a measured signal: SNR of PLC in dB, RSSI of RF in dBm. */
export function signalOf(value: number | null, limits: SignalLimits): SignalStrength {
  if (value === null) return 'no_signal';
  const classes = ['outstanding', 'excellent', 'good', 'poor'] as const;
  return classes.find((_name, index) => value >= (limits[index] ?? Infinity)) ?? 'fail';
}
