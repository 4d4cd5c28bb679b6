import type { ErrorCode, Problem } from '@hes/contract/core/errors.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import type { FastifyReply } from 'fastify';
import { ApiError } from '#platform/api-error.ts';
import type { Log } from '#platform/log.ts';

/** Error codes of RFC 6749 5.2, for OAuth clients. */
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

/** SQLSTATEs of values that pass the contract but that PostgreSQL cannot represent, such as text with NUL or too large numbers. */
const NO_VALUE = new Set(['22021', '22003', '22P02', '22007', '22008']);

/** Whether a path cannot be a file: it has `..` segments or NUL. */
export const isNoPath = (error: unknown): boolean => codeOf(error) === 'FST_STATIC_FORBIDDEN_PATH';

/** Whether the database is unavailable or starting: SQLSTATE 08 and 57P, socket errors, or a pool timeout. */
function isDatabaseAway(error: unknown): boolean {
  if (/^(08|57P)/.test(codeOf(error)) || ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'].includes(codeOf(error))) return true;
  return error instanceof Error && /Connection terminated|timeout exceeded when trying to connect/i.test(error.message);
}

/** Maps a thrown value to an error that may be shown to the caller. */
export function toApiError(error: unknown, log: Log, requestId: string): { error: ApiError; traceId?: string } {
  if (error instanceof ApiError) return { error };
  if (codeOf(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') return { error: new ApiError('FILE_TOO_LARGE') };
  if (codeOf(error).startsWith('FST_ERR_CTP') || (error instanceof Error && 'statusCode' in error && error.statusCode === 400))
    return { error: new ApiError('VALIDATION') };
  if (NO_VALUE.has(codeOf(error))) return { error: new ApiError('VALIDATION') };
  if (isDatabaseAway(error)) {
    log.warn('A call failed because the database is unavailable', { requestId, error });
    return { error: new ApiError('UNAVAILABLE') };
  }
  log.error('A call failed', { traceId: requestId, error });
  return { error: new ApiError('INTERNAL', { traceId: requestId }), traceId: requestId };
}

/** Sends RFC 9457 problem details in the caller's language, with the request id of the log. */
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
    ...(error.key === undefined ? {} : { key: error.key }),
    ...(error.missing === undefined ? {} : { missing: error.missing }),
    ...(error.proof === undefined ? {} : { proof: error.proof }),
    ...(traceId === undefined ? {} : { traceId }),
    ...(oauth === undefined ? {} : { error: oauth }),
  };
  void reply.header('x-request-id', reply.request.id);
  const { seconds } = error.params;
  if ((error.code === 'RATE_LIMIT' || error.code === 'TOO_BUSY') && typeof seconds === 'number') void reply.header('retry-after', seconds);
  return reply.status(error.status).type('application/problem+json; charset=utf-8').send(JSON.stringify(body));
}
