import { create } from 'zustand';

/** Whether the head-end answers calls: since when it does not, by the clock of this browser. Null: the last call was answered. */
export const useReachable = create<{ awaySince: number | null }>()(() => ({ awaySince: null }));

const GATEWAY_ERRORS = new Set([502, 503, 504]);

/** Every answer counts, whatever it says; only a gateway answers in place of a head-end that is away. */
export function noteAnswer(status: number): void {
  if (GATEWAY_ERRORS.has(status)) noteSilence();
  else if (useReachable.getState().awaySince !== null) useReachable.setState({ awaySince: null });
}

export function noteSilence(): void {
  if (useReachable.getState().awaySince === null) useReachable.setState({ awaySince: Date.now() });
}
