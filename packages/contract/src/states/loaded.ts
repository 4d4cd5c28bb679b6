import type { Text } from '../core/text.ts';

/** Trace id of readings, events and clock deviations that were loaded as history when the demonstration began: no exchange brought them. */
export const LOADED_TRACE = '00000000-0000-4000-8000-000000000001';

export const isLoaded = (traceId: string | null): boolean => traceId === LOADED_TRACE;

export const LOADED_TEXT: Text = { en: 'Loaded history', zh: '历史导入' };
