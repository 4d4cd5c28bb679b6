import { ACTION_TEXT } from '@hes/contract/core/action-text.ts';
import { ADMIN_ROLE, permissionChange, role as roles, type Permission, type RoleRow } from '@hes/contract/manager/role.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { Alert, App, Tabs } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { LoadedDrawer } from '#kit/form/loaded-drawer.tsx';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { grantsOf, permissionOf } from './grants.ts';
import { choiceOf, draftOf } from './area.ts';
import { NetworkArea } from './network-area.tsx';
import { PermissionMatrix } from './permission-matrix.tsx';
import { texts } from './texts.ts';
import styles from './role.module.css';

const WIDTH = 1180;

interface PermissionsProps {
  role: RoleRow;
  onDone: () => void;
  onClose: () => void;
}

interface EditorProps extends PermissionsProps {
  permission: Permission;
  modules: ModuleRow[];
}

/** Actions are sorted, so that a right that is revoked and granted again is no change. */
const startOf = (permission: Permission) => ({
  actions: permissionOf(grantsOf(permission)).actions.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId)),
  area: draftOf(permission),
});
type Values = ReturnType<typeof startOf>;

const grantsIn = (actions: Values['actions']) => grantsOf({ moduleIds: actions.map(({ moduleId }) => moduleId), actions });

function Editor({ role, permission, modules, onDone, onClose }: EditorProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const form = useForm(startOf(permission), startOf);
  const [tab, setTab] = useState('pages');
  const readOnly = !may(roles.setPermission);
  const isAdmin = role.code === ADMIN_ROLE;
  const save = useApiMutation(roles.setPermission, {
    success: () => {
      void message.success(t('savedPermissions'));
      onDone();
    },
    failure: form.refuse,
  });
  const { actions, area } = form.values;
  const grants = grantsIn(actions);
  const nameOf = new Map(modules.map((module) => [module.id, say({ en: module.nameEn, zh: module.nameZh })]));
  const spoken = (value: Values['actions']) =>
    value.map(
      ({ moduleId, actions: held }) => `${nameOf.get(moduleId) ?? moduleId}: ${held.map((one) => say(ACTION_TEXT[one])).join(', ')}`,
    );
  const spokenArea = ({ kind, nodes }: Values['area']) =>
    kind === 'nodes'
      ? nodes.map(({ key, title }) => title ?? key).join(', ')
      : kind === undefined
        ? '—'
        : t(kind === 'whole' ? 'wholeNetwork' : 'noArea');
  form.words.set('actions', (value) => spoken(value as Values['actions']).join('; ')); // as: the value of this field
  form.words.set('area', (value) => spokenArea(value as Values['area'])); // as above
  const submit = () => {
    const moduleIds = actions.map(({ moduleId }) => moduleId);
    const body = form.check(permissionChange, { moduleIds, area: choiceOf(area), version: permission.version });
    if (body) save.mutate({ params: { id: role.id }, body });
    else setTab('area');
  };
  return (
    <FormDrawer
      record={`role-permissions/${role.id}`}
      size={WIDTH}
      title={t('permissionsOf', { name: `${say(roleName(role))} · ${role.code}` })}
      form={form}
      labels={{ actions: t('pagesAndActions'), area: t('networkArea') }}
      saving={save.isPending}
      readOnly={readOnly}
      note={t(readOnly ? 'readOnly' : 'recorded')}
      onSave={submit}
      onClose={onClose}
    >
      <div className={styles['editor']}>
        {isAdmin ? <Alert type="info" showIcon title={t('adminKeeps')} /> : null}
        <Tabs
          className={styles['tabs'] ?? ''}
          activeKey={tab}
          onChange={setTab}
          items={[
            {
              key: 'pages',
              label: t('pagesAndActions'),
              children: (
                <PermissionMatrix
                  modules={modules}
                  grants={grants}
                  onChange={(next) => form.set({ actions: startOf({ ...permission, ...permissionOf(next) }).actions })}
                  readOnly={readOnly}
                  isAdmin={isAdmin}
                />
              ),
            },
            {
              key: 'area',
              label: t('networkArea'),
              children: (
                <NetworkArea
                  area={area}
                  onChange={(next) => form.set({ area: next })}
                  readOnly={readOnly}
                  isAdmin={isAdmin}
                  isMissing={form.errors['area'] !== undefined}
                />
              ),
            },
          ]}
        />
      </div>
    </FormDrawer>
  );
}

/** The permissions of a role: pages with their actions, and the network area. */
export function PermissionDrawer({ rows: [role], ...props }: DialogProps<RoleRow>) {
  return role === undefined ? null : <Permissions role={role} {...props} />;
}

function Permissions({ role, onDone, onClose }: PermissionsProps) {
  const t = useMessages(texts);
  const say = useSay();
  const permission = useApiQuery(roles.permission, { params: { id: role.id }, staleMs: 0 });
  const modules = useApiQuery(roles.modules);
  const title = t('permissionsOf', { name: `${say(roleName(role))} · ${role.code}` });
  // The form takes its initial values once, from a response newer than this mount.
  const fresh = permission.isFetchedAfterMount ? permission : { ...permission, data: undefined };
  return (
    <LoadedDrawer query={fresh} title={title} size={WIDTH} onClose={onClose}>
      {(stored) => (
        <LoadedDrawer query={modules} title={title} size={WIDTH} onClose={onClose}>
          {({ items }) => <Editor role={role} permission={stored} modules={items} onDone={onDone} onClose={onClose} />}
        </LoadedDrawer>
      )}
    </LoadedDrawer>
  );
}
