import { module as routes, moduleChange, newModule, type ModuleRow } from '@hes/contract/manager/module.ts';
import { Radio } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ICON_NAMES, ModuleIcon } from '#domain/module-icon/module-icon.tsx';
import { isPage } from '#core/url/pages.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { ParentSelect } from './parent-select.tsx';
import { texts } from './texts.ts';
import { useModules } from './use-modules.ts';
import styles from './module.module.css';

interface ModuleFormProps extends FormProps<ModuleRow> {
  /** The group of a new module; null: the top level. */
  parentId?: string | null;
}

const startOf = (module: ModuleRow | undefined, parent: ModuleRow | undefined) => ({
  parentId: module?.parentId ?? parent?.id ?? null,
  type: module?.type ?? 'page',
  nameEn: module?.nameEn ?? '',
  nameZh: module?.nameZh ?? '',
  path: module?.path ?? (parent ? `${parent.path}/` : '/'),
  icon: module?.icon ?? 'list',
  visible: module?.visible ?? true,
});

/** Adds or changes a group or page of the menu. */
export function ModuleForm({ row: module, parentId = null, onDone, onClose }: ModuleFormProps) {
  const t = useMessages(texts);
  const parent = useModules().find((row) => row.id === (module?.parentId ?? parentId));
  const form = useForm(startOf(module, parent), (current: ModuleRow) => startOf(current, undefined));
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const save = () => {
    if (module) {
      const body = form.check(moduleChange, { version: module.version });
      if (body) update.mutate({ params: { id: module.id }, body });
    } else {
      const body = form.check(newModule);
      if (body) create.mutate({ body });
    }
  };
  const { values, set } = form;
  // Parent and type are fixed after creation; another dialog moves a module.
  const ofNew: Record<string, string> = module ? {} : { parentId: t('parent'), type: t('type') };
  const labels = {
    ...ofNew,
    nameEn: t('nameEn'),
    nameZh: t('nameZh'),
    path: t('path'),
    icon: t('icon'),
    visible: t('inMenu'),
  };
  const field = formFields(form, labels);
  const hasRoute = values.type === 'group' || isPage(values.path);
  return (
    <FormDrawer
      record={`module/${module?.id ?? `new/${parentId ?? ''}`}`}
      title={module ? t('editModule', { name: module.nameEn }) : t('add')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {module ? null : (
        <>
          <Field name="parentId" label={t('parent')} required help={values.parentId === null ? t('topHelp') : undefined}>
            {({ status: _, ...control }) => (
              <ParentSelect {...control} value={values.parentId} onChange={(next) => set({ parentId: next })} />
            )}
          </Field>
          <Field name="type" label={t('type')} required>
            {({ id }) => (
              <Radio.Group
                id={id}
                optionType="button"
                aria-label={t('type')}
                value={values.type}
                options={[
                  { value: 'page', label: t('page') },
                  { value: 'group', label: t('group') },
                ]}
                onChange={(event) => set({ type: event.target.value === 'group' ? 'group' : 'page' })}
              />
            )}
          </Field>
        </>
      )}
      {field.text('nameEn', { required: true, autoFocus: true })}
      {field.text('nameZh', { required: true })}
      {field.text('path', {
        required: true,
        wide: true,
        mono: true,
        disabled: module?.isFixed ?? false,
        help: hasRoute ? t('pathHelp') : <span className={styles['warning']}>{t('noRoute')}</span>,
      })}
      {field.choice(
        'icon',
        ICON_NAMES.map((name) => ({ value: name, label: name })),
        { required: true, render: (name) => <IconOption name={name} /> },
      )}
      {field.toggle('visible')}
    </FormDrawer>
  );
}

const IconOption = ({ name }: { name: string }) => (
  <span className={styles['icon']}>
    <ModuleIcon name={name} />
    {name}
  </span>
);
