import { create } from 'zustand';

/** Whether the head-end answers: the start of the outage by this browser's clock; null: the last call was answered. */
export const useReachable = create<{ awaySince: number | null }>()(() => ({ awaySince: null }));

const GATEWAY_ERRORS = new Set([502, 503, 504]);

/** Any HTTP status shows that the head-end is up, except gateway errors, which a proxy sends in its place. */
export function noteAnswer(status: number): void {
  if (GATEWAY_ERRORS.has(status)) noteNoResponse();
  else if (useReachable.getState().awaySince !== null) useReachable.setState({ awaySince: null });
}

export function noteNoResponse(): void {
  if (useReachable.getState().awaySince === null) useReachable.setState({ awaySince: Date.now() });
}
