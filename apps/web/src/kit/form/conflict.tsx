import { Radio } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { formTexts } from './form.messages.ts';
import styles from './form.module.css';
import { differing, type Form } from './use-form.ts';

/** After another user saved first: the fields that differ, and a choice between both values. */
export function ConflictTable<V extends object>({ form, labels }: { form: Form<V>; labels: Record<string, string> }) {
  const t = useMessages(formTexts);
  const { conflict, values, words, set } = form;
  if (conflict === undefined) return null;
  const { mine, theirs } = conflict;
  const shown = (field: keyof V & string, value: unknown): string => {
    const known = words.get(field);
    if (typeof known === 'function') return known(value);
    const wordOf = (one: unknown) => known?.find((choice) => choice.value === one)?.label;
    const word = wordOf(value);
    if (word !== undefined) return word;
    if (Array.isArray(value) && value.length > 0) return value.map((one: unknown) => wordOf(one) ?? String(one)).join(', ');
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    return value === null || value === undefined || value === '' || Array.isArray(value) ? '—' : String(value);
  };
  const fields = differing(mine, theirs).filter((field) => field in labels);
  return (
    <section role="alert" className={styles['conflict']} aria-label={t('conflict')}>
      <h3>{t('conflict')}</h3>
      <p>{fields.length === 0 ? t('conflictNone') : t('conflictHint')}</p>
      {fields.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              <th>{t('field')}</th>
              <th>{t('yours')}</th>
              <th>{t('theirs')}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => {
              const isTheirs = JSON.stringify(values[field]) === JSON.stringify(theirs[field]);
              const side = (label: string, from: V, checked: boolean) => (
                <td>
                  <Radio
                    name={`conflict-${field}`}
                    checked={checked}
                    aria-label={`${labels[field]}: ${label}`}
                    onChange={() => set({ [field]: from[field] } as unknown as Partial<V>)} // as: the value of that very field
                  >
                    {shown(field, from[field])}
                  </Radio>
                </td>
              );
              return (
                <tr key={field}>
                  <th scope="row">{labels[field]}</th>
                  {side(t('yours'), mine, !isTheirs)}
                  {side(t('theirs'), theirs, isTheirs)}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
