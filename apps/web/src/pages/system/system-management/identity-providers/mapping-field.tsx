import type { GroupMapping, ProviderFields } from '@hes/contract/manager/identity-provider.ts';
import { user as users } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { Button, Input, Select } from 'antd';
import { Plus, Trash2 } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Field } from '#kit/form/field.tsx';
import type { Form } from '#kit/form/use-form.ts';
import styles from './mapping.module.css';
import { texts } from './messages.ts';

interface GroupProps {
  given: GroupMapping;
  number: number;
  roles: { value: string; label: string; disabled: boolean }[];
  onChange: (change: Partial<GroupMapping>) => void;
  onRemove: () => void;
}

function Group({ given, number, roles, onChange, onRemove }: GroupProps) {
  const t = useMessages(texts);
  const of = (label: string) => `${label}, ${t('groupNumber', { number })}`;
  return (
    <div className={styles['group']} role="group" aria-label={t('groupNumber', { number })}>
      <Input
        aria-label={of(t('group'))}
        className="mono"
        maxLength={512}
        value={given.group}
        onChange={(event) => onChange({ group: event.target.value })}
      />
      <Select
        mode="multiple"
        aria-label={of(t('roles'))}
        placeholder={t('roles')}
        options={roles}
        showSearch={{ optionFilterProp: 'label' }}
        value={given.roleIds}
        onChange={(roleIds) => onChange({ roleIds })}
      />
      <Button type="text" aria-label={of(t('removeGroup'))} icon={<Trash2 size={15} aria-hidden="true" />} onClick={onRemove} />
    </div>
  );
}

/** Groups with the roles that they give. */
export function MappingField({ form, label }: { form: Form<ProviderFields>; label: string }) {
  const t = useMessages(texts);
  const say = useSay();
  const { data } = useApiQuery(users.roles);
  const roles = (data?.items ?? []).map((role) => ({
    value: role.id,
    label: `${say(roleName(role))} (${role.code})${role.canGrant ? '' : `, ${t('cannotGrant')}`}`,
    disabled: !role.canGrant,
  }));
  const names = new Map(roles.map((role) => [role.value, role.label]));
  form.words.set(
    'mapping',
    (value) =>
      (value as GroupMapping[]).map(({ group, roleIds }) => `${group}: ${roleIds.map((id) => names.get(id) ?? id).join(', ')}`).join('; '), // as: the values of this very field
  );
  const { mapping } = form.values;
  const set = (next: GroupMapping[]) => form.set({ mapping: next });
  return (
    <Field name="mapping" label={label} wide help={t('mappingHelp')}>
      {({ id }) => (
        <div id={id} className={styles['groups']}>
          {mapping.map((given, index) => (
            <Group
              key={index}
              given={given}
              roles={roles}
              number={index + 1}
              onChange={(change) => set(mapping.map((each, at) => (at === index ? { ...each, ...change } : each)))}
              onRemove={() => set(mapping.filter((_, at) => at !== index))}
            />
          ))}
          <Button icon={<Plus size={15} aria-hidden="true" />} onClick={() => set([...mapping, { group: '', roleIds: [] }])}>
            {t('addGroup')}
          </Button>
        </div>
      )}
    </Field>
  );
}
