import type { ErrorCode, Problem } from '@hes/contract/core/errors.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import type { FastifyReply } from 'fastify';
import { ApiError } from '#platform/api-error.ts';
import type { Log } from '#platform/log.ts';

/** RFC 6749 5.2, for clients that only know OAuth. */
const OAUTH_ERRORS: Partial<Record<ErrorCode, string>> = {
  INVALID_GRANT: 'invalid_grant',
  INVALID_GRANT_TRIES: 'invalid_grant',
  LOCKED: 'invalid_grant',
  MFA_REQUIRED: 'mfa_required',
  MFA_EXPIRED: 'invalid_grant',
  OTP_WRONG: 'invalid_grant',
  OTP_WRONG_TRIES: 'invalid_grant',
  INVALID_CLIENT: 'invalid_client',
  UNSUPPORTED_GRANT: 'unsupported_grant_type',
  SLIDER_INVALID: 'invalid_request',
};

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Text with a NUL, a number beyond 64 bits: well formed for the contract, and no value of the database. */
const NO_VALUE = new Set(['22021', '22003', '22P02', '22007', '22008']);

/** An address that can be no file: with dots that lead upwards, with a NUL. */
export const isNoPath = (error: unknown): boolean => codeOf(error) === 'FST_STATIC_FORBIDDEN_PATH';

/** The database is away or on its way back: SQLSTATE 08 and 57P, its socket, or a pool that waited in vain. */
function isDatabaseAway(error: unknown): boolean {
  if (/^(08|57P)/.test(codeOf(error)) || ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'].includes(codeOf(error))) return true;
  return error instanceof Error && /Connection terminated|timeout exceeded when trying to connect/i.test(error.message);
}

/** Anything that was thrown, as what the caller may know of it. */
export function toApiError(error: unknown, log: Log, requestId: string): { error: ApiError; traceId?: string } {
  if (error instanceof ApiError) return { error };
  if (codeOf(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') return { error: new ApiError('FILE_TOO_LARGE') };
  if (codeOf(error).startsWith('FST_ERR_CTP') || (error instanceof Error && 'statusCode' in error && error.statusCode === 400))
    return { error: new ApiError('VALIDATION') };
  if (NO_VALUE.has(codeOf(error))) return { error: new ApiError('VALIDATION') };
  if (isDatabaseAway(error)) {
    log.warn('A call found the database away', { requestId, error });
    return { error: new ApiError('UNAVAILABLE') };
  }
  log.error('A call failed', { traceId: requestId, error });
  return { error: new ApiError('INTERNAL', { traceId: requestId }), traceId: requestId };
}

/** Answers with RFC 9457 problem details in the caller's language, and with the id under which the log has the call. */
export function sendProblem(reply: FastifyReply, error: ApiError, locale: Locale, traceId?: string): FastifyReply {
  const oauth = OAUTH_ERRORS[error.code];
  const issues = error.issuesIn(locale);
  const body: Problem = {
    type: `/hes/problems/${error.code}`,
    title: error.say('en-US'),
    status: error.status,
    detail: error.say(locale),
    code: error.code,
    ...(issues === undefined ? {} : { issues }),
    ...(error.current === undefined ? {} : { current: error.current }),
    ...(error.ticket === undefined ? {} : { ticket: error.ticket }),
    ...(error.proof === undefined ? {} : { proof: error.proof }),
    ...(traceId === undefined ? {} : { traceId }),
    ...(oauth === undefined ? {} : { error: oauth }),
  };
  void reply.header('x-request-id', reply.request.id);
  const { seconds } = error.params;
  if ((error.code === 'RATE_LIMIT' || error.code === 'TOO_BUSY') && typeof seconds === 'number') void reply.header('retry-after', seconds);
  return reply.status(error.status).type('application/problem+json; charset=utf-8').send(JSON.stringify(body));
}
