import { newTransformer, transformer as routes, transformerChange, type TransformerRow } from '@hes/contract/asset/transformer.ts';
import { nodeOf } from '@hes/contract/asset/tree.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { LevelSelect } from '#domain/node-tree/level-select.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { texts } from './messages.ts';
import { PlacePicker } from './place-picker.tsx';

const startOf = (row: TransformerRow | undefined, level: { id: string; name: string } | undefined) => ({
  name: row?.name ?? '',
  code: row?.code ?? '',
  levelId: row?.levelId ?? level?.id ?? '',
  levelName: row?.levelName ?? level?.name,
  address: row?.address ?? '',
  longitude: row?.longitude ?? null,
  latitude: row?.latitude ?? null,
  capacityKva: row ? row.capacityKva : 400,
  publicOrPrivate: row?.publicOrPrivate ?? 'public',
  ctRatio: row?.ctRatio ?? 1,
  ptRatio: row?.ptRatio ?? 1,
  note: row?.note ?? '',
});

/** Adds or changes a transformer; its location is typed or picked on the map. */
export function TransformerForm({ row, onDone, onClose }: FormProps<TransformerRow>) {
  const t = useMessages(texts);
  const [{ node, nodeName }] = useUrl(PAGE_WORDS.transformers);
  // A new transformer starts at the level that is selected in the tree.
  const area = node && nodeOf(node);
  const level = area?.kind === 'level' ? { id: area.id, name: nodeName ?? '' } : undefined;
  const form = useForm(startOf(row, level), (current: TransformerRow) => startOf(current, undefined));
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const { values, set } = form;
  const save = () => {
    if (row) {
      const body = form.check(transformerChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newTransformer);
      if (body) create.mutate({ body });
    }
  };
  const labels = {
    name: t('name'),
    code: t('code'),
    levelId: t('level'),
    address: t('address'),
    longitude: t('longitude'),
    latitude: t('latitude'),
    capacityKva: t('capacity'),
    publicOrPrivate: t('publicOrPrivate'),
    ctRatio: t('ctRatio'),
    ptRatio: t('ptRatio'),
    note: t('note'),
  };
  const field = formFields(form, labels);
  const { conflict } = form;
  const levels = [values, ...(conflict ? [conflict.mine, conflict.theirs] : [])];
  const levelNameOf = (id: unknown) => levels.findLast((side) => side.levelId === id)?.levelName ?? '';
  form.words.set('levelId', levelNameOf);
  return (
    <FormDrawer
      record={`transformer/${row?.id ?? 'new'}`}
      title={row ? t('editTransformer', { name: row.name }) : t('addTransformer')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('name', { required: true, autoFocus: true })}
      {field.text('code', { mono: true, help: t('codeHelp') })}
      <Field name="levelId" label={labels.levelId} required>
        {({ id, status }) => (
          <LevelSelect
            id={id}
            status={status}
            aria-label={labels.levelId}
            value={values.levelId}
            name={levelNameOf(values.levelId)}
            onChange={(levelId, levelName) => set({ levelId, levelName })}
          />
        )}
      </Field>
      {field.text('address')}
      {field.number('longitude', { precision: 6, help: t('longitudeHelp') })}
      {field.number('latitude', { precision: 6, help: t('latitudeHelp') })}
      <Field name="place" label={t('place')} wide help={t('pickHelp')}>
        {() => <PlacePicker longitude={values.longitude} latitude={values.latitude} onPick={set} />}
      </Field>
      {field.number('capacityKva', { unit: 'kVA' })}
      {field.choice('publicOrPrivate', [
        { value: 'public', label: t('public') },
        { value: 'private', label: t('private') },
      ])}
      {field.number('ctRatio')}
      {field.number('ptRatio')}
      {field.text('note', { wide: true, rows: 2 })}
    </FormDrawer>
  );
}
