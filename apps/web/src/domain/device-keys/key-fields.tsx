import type { StoredKeys } from '@hes/contract/asset/device.ts';
import { refusalOf, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { Checkbox, Input } from 'antd';
import { Field } from '#kit/form/field.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';

/** Null deletes the stored secret; an empty text keeps it. */
export interface KeyValues {
  password: string | null;
  masterKey: string | null;
  ek: string | null;
  ak: string | null;
}
export const NO_KEYS: KeyValues = { password: '', masterKey: '', ek: '', ak: '' };
export const KEY_NAMES = ['ek', 'ak', 'masterKey', 'password'] as const satisfies readonly (keyof KeyValues)[];

/** The fields to send; undefined when the user changed none. */
export function keysOf(values: KeyValues): Partial<KeyValues> | undefined {
  const typed = KEY_NAMES.filter((name) => values[name] !== '').map((name) => [name, values[name]] as const);
  return typed.length === 0 ? undefined : Object.fromEntries(typed);
}

/** The unchanged fields as undefined, as the contract expects. */
export const untouched = (keys: Partial<KeyValues>): Record<string, undefined> =>
  Object.fromEntries(KEY_NAMES.filter((name) => !(name in keys)).map((name) => [name, undefined]));

interface KeyFieldsProps {
  values: KeyValues;
  set: (change: Partial<KeyValues>) => void;
  /** The secrets that are stored already; undefined: the device is new. */
  stored?: StoredKeys;
}

/** Secrets of a device, write-only. Browsers are asked not to store them. */
export function KeyFields({ values, set, stored }: KeyFieldsProps) {
  const t = useMessages(messages);
  const say = useSay();
  // A secret that can no longer be set is still shown when one is stored, so that it can be deleted.
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
