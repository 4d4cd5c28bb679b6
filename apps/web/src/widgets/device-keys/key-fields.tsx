import type { StoredKeys } from '@hes/contract/asset/device.ts';
import { refusalOf, SPOKEN } from '@hes/contract/states/spoken.ts';
import { Checkbox, Input } from 'antd';
import { Field } from '#shared/form/field.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { messages } from './messages.ts';

/** Null: the stored one is to be taken away. Empty: it stays. */
export interface KeyValues {
  password: string | null;
  masterKey: string | null;
  ek: string | null;
  ak: string | null;
}
export const NO_KEYS: KeyValues = { password: '', masterKey: '', ek: '', ak: '' };
export const KEY_NAMES = ['ek', 'ak', 'masterKey', 'password'] as const satisfies readonly (keyof KeyValues)[];

/** What of the fields is an order; undefined when nothing was typed. */
export function keysOf(values: KeyValues): Partial<KeyValues> | undefined {
  const typed = KEY_NAMES.filter((name) => values[name] !== '').map((name) => [name, values[name]] as const);
  return typed.length === 0 ? undefined : Object.fromEntries(typed);
}

/** The fields nothing was typed into, as the contract calls that: absent. */
export const untouched = (keys: Partial<KeyValues>): Record<string, undefined> =>
  Object.fromEntries(KEY_NAMES.filter((name) => !(name in keys)).map((name) => [name, undefined]));

interface KeyFieldsProps {
  values: KeyValues;
  set: (change: Partial<KeyValues>) => void;
  /** Which are there already; undefined: the device is new. */
  stored?: StoredKeys;
}

/** Secrets of a device, to be written only: browsers are asked to remember none of it. */
export function KeyFields({ values, set, stored }: KeyFieldsProps) {
  const t = useMessages(messages);
  const say = useSay();
  // What is stored of a secret that cannot be given any more may still be taken away.
  const shown = KEY_NAMES.filter((name) => SPOKEN.secrets[name] === true || stored?.[name] === true);
  return shown.map((name) => {
    const value = values[name];
    const refusal = refusalOf(SPOKEN.secrets, name);
    const help = refusal ? say(refusal) : t(name === 'password' ? 'passwordHelp' : 'keyHelp');
    return (
      <Field key={name} name={name} label={t(name)} help={stored ? `${help} · ${t(stored[name] ? 'stored' : 'notStored')}` : help}>
        {(control) => (
          <>
            <Input
              {...control}
              className="mono"
              autoComplete="off"
              spellCheck={false}
              disabled={value === null || refusal !== undefined}
              value={value ?? ''}
              onChange={(event) => set({ [name]: event.target.value })}
            />
            {stored?.[name] ? (
              <Checkbox checked={value === null} onChange={(event) => set({ [name]: event.target.checked ? null : '' })}>
                {t('clear')}
              </Checkbox>
            ) : null}
          </>
        )}
      </Field>
    );
  });
}
