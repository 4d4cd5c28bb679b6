import type { DeviceKeys } from '@hes/contract/asset/device.ts';
import { KEY_DIGITS, type SecuritySuite } from '@hes/contract/asset/spoken.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { ApiError } from '#platform/api-error.ts';
import { KEYS } from '#platform/device-keys.ts';

/** The rule for keys with this number of hexadecimal digits. */
export const lengthRule = (digits: number): Text => (digits === KEY_DIGITS[2] ? RULES.keyOf256Bits : RULES.keyOf128Bits);

/** Refuses keys whose length is not that of the security suite. `path` is the field of the keys in the form. */
export function refuseWrongLengths(keys: Partial<DeviceKeys>, suite: SecuritySuite, path = ''): void {
  const digits = KEY_DIGITS[suite];
  const message = lengthRule(digits);
  const issues = KEYS.filter((name) => typeof keys[name] === 'string' && keys[name]?.length !== digits).map((name) => ({
    field: path + name,
    message,
  }));
  if (issues.length > 0) throw new ApiError('VALIDATION', {}, issues);
}
