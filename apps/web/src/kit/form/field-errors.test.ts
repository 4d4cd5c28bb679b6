import { RULES } from '@hes/contract/core/rules.ts';
import { newUser } from '@hes/contract/manager/user.ts';
import { expect, test } from 'vitest';
import { fieldErrors, serverErrors } from './field-errors.ts';
import { formTexts } from './form.messages.ts';

const errorsOf = (values: Record<string, unknown>) => {
  const result = newUser.safeParse(values);
  return result.success ? {} : fieldErrors(result.error.issues, values);
};
const GOOD = { username: 'night.reader', name: 'Nora', phone: '', email: '', roleIds: ['1'], password: 'Owl-And-Lamp-77' };

test('a broken rule is said in the words of the contract, an empty field by its name', () => {
  expect(errorsOf(GOOD)).toEqual({});
  expect(errorsOf({ ...GOOD, phone: 'twelve', email: 'x', username: 'a b' })).toEqual({
    phone: { text: RULES.phone },
    email: { text: RULES.email },
    username: { text: RULES.username },
  });
  expect(errorsOf({ ...GOOD, name: ' ', roleIds: [] })).toEqual({ name: { text: formTexts.enter }, roleIds: { text: RULES.roles } });
  expect(errorsOf({ ...GOOD, name: 'x'.repeat(33) })).toEqual({ name: { text: formTexts.tooLong, params: { max: 32 } } });
});

test('an error of the server is shown at its field, or above the form when it names none', () => {
  const issues = [{ field: 'username', message: 'Username admin is already in use.' }];
  expect(serverErrors({ message: 'taken', issues }, ['username'])).toEqual({
    errors: { username: issues[0]?.message },
    general: undefined,
  });
  expect(serverErrors({ message: 'At least one unlocked administrator must remain.' }, ['username'])).toEqual({
    errors: {},
    general: 'At least one unlocked administrator must remain.',
  });
});
