import { failed } from '@hes/contract/core/outcome.ts';
import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { ExceptionResponse } from '@hes/dlms/xdlms/exception-response.ts';
import { expect, test } from 'vitest';
import { ExchangeError } from './channel.ts';
import { failedAction, failedResult, isSecurityException, outcomeOf, refusalOf } from './link-failure.ts';

type Errors = [stateError: ExceptionResponse['stateError'], serviceError: ExceptionResponse['serviceError']];
const exceptionOf = (...[stateError, serviceError]: Errors) =>
  new AssociationError('EXCEPTION', 'x', { exception: { stateError, serviceError } });
const reasonOf = (error: unknown, connecting = false) => {
  const outcome = outcomeOf(error, connecting);
  return outcome.ok ? undefined : outcome.reason;
};

test('refused attributes and methods have the reason of their result, and the result as detail', () => {
  expect(failedResult('objectUnavailable')).toEqual(failed('OBJECT_UNDEFINED', 'objectUnavailable'));
  expect(failedResult('scopeOfAccessViolated')).toEqual(failed('ACCESS_DENIED', 'scopeOfAccessViolated'));
  expect(failedAction('otherReason')).toEqual(failed('TEMPORARY_FAILURE', 'otherReason'));
  expect(failedAction('longActionAborted')).toEqual(failed('BLOCK_ERROR', 'longActionAborted'));
  expect(failedAction('noLongActionInProgress')).toEqual(failed('BLOCK_ERROR', 'noLongActionInProgress'));
});

test('an error result that says success is no answer', () => {
  for (const outcome of [failedResult('success'), failedAction('success')])
    expect(outcome).toEqual(failed('BAD_ANSWER', 'The error result is success'));
});

test('an exchange without response fails with its reason', () => {
  expect(outcomeOf(new ExchangeError('METER_TIMEOUT', 'no response', 5), false)).toEqual(failed('METER_TIMEOUT', 'no response'));
});

test('octets that are not authentic have a reason of their own, unlike malformed ones', () => {
  const errorOf = (code: 'NOT_AUTHENTIC' | 'BAD_VALUE') => new DecodeError({ code } as DecodeError['fault'], { offset: 0, path: '' }); // as: the outcome reads only the code
  expect(reasonOf(errorOf('NOT_AUTHENTIC'))).toBe('DECRYPT_FAILED');
  expect(reasonOf(errorOf('BAD_VALUE'))).toBe('BAD_ANSWER');
});

test('a failed association has the reason of its cause', () => {
  expect(outcomeOf(new AssociationError('WRONG_TITLE', 'of another'), true)).toEqual(failed('IDENTITY_MISMATCH', 'of another'));
  expect(reasonOf(new AssociationError('COUNTER_REPLAY', ''))).toBe('COUNTER_REPLAY');
  expect(reasonOf(new AssociationError('REFUSED', ''))).toBe('ASSOC_REFUSED');
  expect(reasonOf(new AssociationError('WRONG_STATE' as 'REFUSED', ''))).toBe('BAD_ANSWER'); // as: a code without reason
});

test('an exception response tells counters, keys, and a lost or refused association apart', () => {
  expect(outcomeOf(exceptionOf('serviceNotAllowed', 'invocationCounterError'), false)).toEqual(
    failed('COUNTER_REPLAY', 'serviceNotAllowed, invocationCounterError'),
  );
  expect(reasonOf(exceptionOf('serviceUnknown', 'decipheringError'))).toBe('AUTH_FAILED');
  expect(reasonOf(exceptionOf('serviceUnknown', 'otherReason'), true)).toBe('BAD_ANSWER');
  expect(reasonOf(exceptionOf('serviceNotAllowed', 'operationNotPossible'))).toBe('LINK_LOST');
  expect(reasonOf(exceptionOf('serviceNotAllowed', 'operationNotPossible'), true)).toBe('NOT_IN_ARCHIVE');
  expect(reasonOf(exceptionOf('serviceNotAllowed', 'otherReason'), true)).toBe('ASSOC_REFUSED');
});

test('only errors of counters and keys make the next request fail likewise', () => {
  expect(isSecurityException(exceptionOf('serviceNotAllowed', 'decipheringError'))).toBe(true);
  expect(isSecurityException(exceptionOf('serviceNotAllowed', 'invocationCounterError'))).toBe(true);
  expect(isSecurityException(exceptionOf('serviceNotAllowed', 'otherReason'))).toBe(false);
  expect(isSecurityException(new AssociationError('REFUSED', ''))).toBe(false);
});

test('a request that the device does not know is denied, and other refusals are temporary', () => {
  expect(refusalOf(new AssociationError('NOT_GRANTED', 'no SET'))).toEqual(failed('ACCESS_DENIED', 'no SET'));
  expect(refusalOf(exceptionOf('serviceUnknown', 'serviceNotSupported'))).toEqual(failed('ACCESS_DENIED', 'x'));
  expect(refusalOf(exceptionOf('serviceUnknown', 'otherReason'))).toEqual(failed('TEMPORARY_FAILURE', 'x'));
  expect(refusalOf(exceptionOf('serviceNotAllowed', 'serviceNotSupported'))).toEqual(failed('TEMPORARY_FAILURE', 'x'));
  expect(refusalOf(new AssociationError('REFUSED', 'x'))).toEqual(failed('TEMPORARY_FAILURE', 'x'));
});

test('an error that is no failure of a device is thrown again', () => {
  const bug = new TypeError('a bug');
  expect(() => outcomeOf(bug, false)).toThrow(bug);
});
