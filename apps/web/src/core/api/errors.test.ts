import { expect, test } from 'vitest';
import { bodyText, failureOfResponse, failureWithoutResponse } from './errors.ts';

test('S-499 S-500 S-501 S-502: the sentence of a refusal is its text, its detail, its message or the issue in it', () => {
  expect(bodyText('Service unavailable')).toBe('Service unavailable');
  expect(bodyText({ detail: 'The DCU is offline', message: 'other' })).toBe('The DCU is offline');
  expect(bodyText({ message: 'No such meter' })).toBe('No such meter');
  expect(bodyText({ message: { parameter: { issue: 'Old password is wrong' } } })).toBe('Old password is wrong');
  expect(bodyText({})).toBeUndefined();
});

test('S-510 S-511: no answer in time is "请求超时", no answer at all is "请求失败，请检查网络"', () => {
  expect(failureWithoutResponse(undefined, true, 'zh-CN').message).toBe('请求超时');
  expect(failureWithoutResponse(undefined, false, 'zh-CN').message).toBe('请求失败，请检查网络');
  expect(failureWithoutResponse(undefined, true, 'en-US').message).toBe('Request Timed Out');
});

test('S-512: an error is an object with raw, status and message; the code and the fields of a problem come along', () => {
  const body = { status: 400, detail: 'Please correct', code: 'VALIDATION', issues: [{ field: 'from', message: 'missing' }] };
  expect(failureOfResponse(400, body, 'en-US')).toEqual({
    raw: body,
    status: 400,
    message: 'Please correct',
    code: 'VALIDATION',
    issues: body.issues,
  });
});
