import { say, type Locale } from '@hes/contract/core/text.ts';
import { CancelledError } from '@tanstack/react-query';
import { common } from '#core/i18n/common.messages.ts';
import type { AssertionOptions, ProofKind } from '@hes/contract/core/own-proof.ts';
import { usePreferences } from '#core/theme/preferences.ts';

/** The failure of a call. It is returned, not thrown (@spec seed §8). */
export interface ApiFailure {
  raw: unknown;
  /** HTTP status; 0: no response arrived. */
  status: number;
  message: string;
  code?: string | undefined;
  issues?: { field: string; message: string }[] | undefined;
  /** Set when a sign-in lacks its second factor: continues that sign-in. */
  ticket?: string | undefined;
  /** With `PROOF_REQUIRED`: the kind of own proof that the server requires. */
  proof?: ProofKind | undefined;
  /** With a ticket: what to ask a security key. */
  key?: AssertionOptions | undefined;
  /** With `STALE`: the record as currently stored. */
  current?: Record<string, unknown> | undefined;
}

/** Carries an `ApiFailure` through TanStack Query, which only knows thrown errors. */
export class RequestFailed extends Error {
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

/** The sentence of a refusal: the body as text, or its `detail`, `message` or `message.parameter.issue`. */
export function bodyText(body: unknown): string | undefined {
  if (!isRecord(body)) return text(body);
  const { detail, message } = body;
  if (text(detail) ?? text(message)) return text(detail) ?? text(message);
  const parameter = isRecord(message) ? message['parameter'] : undefined;
  return isRecord(parameter) ? text(parameter['issue']) : undefined;
}

/** The failure of a response whose status is not a success. */
export function failureOfResponse(status: number, body: unknown, locale: Locale): ApiFailure {
  const record = isRecord(body) ? body : {};
  return {
    raw: body,
    status,
    message: bodyText(body) ?? `${say(common.checkNetwork, locale)} (${status})`,
    code: text(record['code']),
    issues: Array.isArray(record['issues']) ? (record['issues'] as ApiFailure['issues']) : undefined, // RFC 9457 body of the HES server
    ticket: text(record['ticket']),
    // as, twice: the server gives what the contract says; the schemas themselves would come with the first page
    proof: text(record['proof']) as ProofKind | undefined,
    key: isRecord(record['key']) ? (record['key'] as unknown as AssertionOptions) : undefined,
    current: isRecord(record['current']) ? record['current'] : undefined,
  };
}

/** The failure of a request without a response. `timedOut` tells the request timeout from a network error. */
export function failureWithoutResponse(cause: unknown, timedOut: boolean, locale: Locale): ApiFailure {
  return { raw: cause, status: 0, message: say(timedOut ? common.timedOut : common.checkNetwork, locale) };
}

/** The text to show for the error of a query or mutation. */
export function failureText(error: unknown): string {
  if (error instanceof CancelledError) return say(common.stopped, usePreferences.getState().locale);
  return error instanceof Error ? error.message : String(error);
}
