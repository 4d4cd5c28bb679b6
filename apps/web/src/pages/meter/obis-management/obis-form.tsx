import { obis as routes, obisChange, obisFields, type ObisRow } from '@hes/contract/reading/obis.ts';
import { DATA_TYPES, OBIS_ACCESS_TEXT, OBIS_CATEGORY_TEXT, OBIS_DECODER_TEXT, OBIS_KIND_TEXT } from '@hes/contract/states/obis.ts';
import { unitSymbol } from '@hes/dlms/cosem/unit.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { texts } from './messages.ts';

const UNITS = Array.from({ length: 255 }, (_, index) => index + 1).filter((code) => code !== 255 && unitSymbol(code) !== '');

const startOf = (row: ObisRow | undefined) => ({
  obis: row?.obis ?? '',
  key: row?.key ?? '',
  classId: row?.classId ?? 3,
  attribute: row?.attribute ?? 2,
  kind: row?.kind ?? 'attribute',
  nameEn: row?.nameEn ?? '',
  nameZh: row?.nameZh ?? '',
  category: row?.category ?? 'energy',
  dataType: row?.dataType ?? '',
  unit: row?.unit ?? 255,
  scaler: row?.scaler ?? null,
  precision: row?.precision ?? 3,
  access: row?.access ?? ['r'],
  decoder: row?.decoder ?? 'plain',
  enumMap: row?.enumMap ? JSON.stringify(row.enumMap) : '',
  enabled: row?.enabled ?? true,
});

/** Parses the field of value texts as JSON. Invalid JSON stays a string, which the contract refuses. */
function wordsOf(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Adds or changes an object of the dictionary. */
export function ObisForm({ row, onDone, onClose }: FormProps<ObisRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const form = useForm(startOf(row), startOf);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const save = () => {
    const extra = { enumMap: wordsOf(form.values.enumMap), dataType: form.values.dataType || null };
    if (row) {
      const body = form.check(obisChange, { ...extra, version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(obisFields, extra);
      if (body) create.mutate({ body });
    }
  };
  const labels = {
    obis: t('obis'),
    key: t('key'),
    nameEn: t('nameEn'),
    nameZh: t('nameZh'),
    classId: t('classId'),
    attribute: t('attribute'),
    kind: t('kind'),
    category: t('category'),
    dataType: t('dataType'),
    unit: t('unit'),
    scaler: t('scaler'),
    precision: t('precision'),
    access: t('access'),
    decoder: t('decoder'),
    enumMap: t('enumMap'),
    enabled: t('enabled'),
  };
  const field = formFields(form, labels);
  return (
    <FormDrawer
      record={`obis/${row?.id ?? 'new'}`}
      title={row ? `${t('edit')} · ${row.key}` : t('add')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('obis', { required: true, mono: true, autoFocus: true, help: t('obisHelp') })}
      {field.text('key', { required: true, mono: true, disabled: row?.isBuiltin ?? false, help: t('keyHelp') })}
      {field.text('nameEn', { required: true })}
      {field.text('nameZh', { required: true })}
      {field.number('classId', { required: true, precision: 0 })}
      {field.number('attribute', { required: true, precision: 0 })}
      {field.choice('kind', choicesOf(OBIS_KIND_TEXT, say), { required: true })}
      {field.choice('category', choicesOf(OBIS_CATEGORY_TEXT, say), { required: true })}
      {field.choice('dataType', [{ value: '', label: '—' }, ...DATA_TYPES.map((value) => ({ value, label: value }))])}
      {field.choice('unit', [
        { value: 255, label: t('noUnit') },
        ...UNITS.map((code) => ({ value: code, label: `${unitSymbol(code)} (${code})` })),
      ])}
      {field.number('scaler', { precision: 0, help: t('scalerHelp') })}
      {field.number('precision', { required: true, precision: 0 })}
      {field.many('access', choicesOf(OBIS_ACCESS_TEXT, say), { required: true })}
      {field.choice('decoder', choicesOf(OBIS_DECODER_TEXT, say), { required: true })}
      {field.text('enumMap', { wide: true, mono: true, rows: 2, help: say(texts.enumHelp) })}
      {field.flag('enabled', t('enabledHelp'))}
    </FormDrawer>
  );
}
