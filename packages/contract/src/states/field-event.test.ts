import { inEveryLanguage } from '../core/text.ts';
import { expect, test } from 'vitest';
import { changeLine, FIELD_EVENT, messageText, stateLine } from './field-event.ts';

test('a change is described in both languages with the former and the new state', () => {
  const message = [changeLine('period', 'lpa', '900 s', '1800 s'), changeLine('scaler', '1.0.1.8.0.255', '0', '1')].join('\n');
  expect(inEveryLanguage(messageText({ code: FIELD_EVENT.meterChanged, message }))).toMatchObject({
    en: 'Capture period (lpa): 900 s → 1800 s\nScaler (1.0.1.8.0.255): 0 → 1',
    zh: '捕获周期 (lpa): 900 s → 1800 s\n换算系数 (1.0.1.8.0.255): 0 → 1',
  });
});

test('reason codes are replaced by their texts, and messages of devices stay unchanged', () => {
  const { en, zh } = inEveryLanguage(
    messageText({ code: FIELD_EVENT.notProved, message: stateLine('proof', '27', 'AUTH_FAILED, no proof') }),
  );
  expect(en).toBe(
    'Proof of identity (27): Authentication failed: the key, the certificate or the password is not the one in the device, no proof',
  );
  expect(zh).toContain('认证失败');
  const message = 'period lpa: 900 s → 1800 s';
  expect(messageText({ code: 7, message })).toEqual({ en: message, zh: message });
  const row = '0.0.96.11.1.255 = 44, 1.0.32.7.0.255 = 2301';
  expect([44, 45].map((code) => messageText({ code, message: row }).en)).toEqual(['1.0.32.7.0.255 = 2301', row]);
  expect(messageText({ code: 5, message: '0.0.96.11.0.255 = 5' }).en).toBe('');
});
