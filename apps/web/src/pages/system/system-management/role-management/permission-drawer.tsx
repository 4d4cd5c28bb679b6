import { ADMIN_ROLE, role as roles, type Permission, type RoleRow } from '@hes/contract/manager/role.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { Alert, App, Button, Drawer, Tabs } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useDiscard } from '#kit/form/discard.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { PanelState } from '#kit/basics/states.tsx';
import type { ModuleRow } from '@hes/contract/manager/module.ts';
import type { DialogProps } from '#kit/list/action.ts';
import { grantsOf, permissionOf } from './grants.ts';
import { choiceOf, draftOf, type AreaDraft } from './area.ts';
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

interface Shape extends Pick<Permission, 'moduleIds' | 'actions'> {
  area: AreaDraft;
}

const shapeOf = ({ moduleIds, actions, area }: Shape): string =>
  JSON.stringify([
    moduleIds.toSorted(),
    actions.map((entry) => [entry.moduleId, ...entry.actions.toSorted()].join()).toSorted(),
    area.kind,
    area.kind === 'nodes' ? area.nodes.map(({ key }) => key).toSorted() : [],
  ]);

function Editor({ role, permission: current, modules, onDone, onClose }: EditorProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const discard = useDiscard();
  // Later changes by other users neither clear the input nor are overwritten: the server refuses a stale save.
  const [permission] = useState(current);
  const [grants, setGrants] = useState(() => grantsOf(permission));
  const [area, setArea] = useState(() => draftOf(permission));
  const [wasTried, setWasTried] = useState(false);
  const [tab, setTab] = useState('pages');
  const readOnly = !may(roles.setPermission);
  const isAdmin = role.code === ADMIN_ROLE;
  const save = useApiMutation(roles.setPermission, {
    success: () => {
      void message.success(t('savedPermissions'));
      onDone();
    },
  });
  const wanted = permissionOf(grants);
  const choice = choiceOf(area);
  const before = { ...permissionOf(grantsOf(permission)), area: draftOf(permission) };
  const isChanged = shapeOf({ ...wanted, area }) !== shapeOf(before);
  const close = () => {
    if (!isChanged || readOnly) onClose();
    else discard(onClose);
  };
  const submit = () => {
    setWasTried(true);
    if (choice === undefined) setTab('area');
    else save.mutate({ params: { id: role.id }, body: { ...wanted, area: choice, version: permission.version } });
  };
  return (
    <Drawer
      open
      size={WIDTH}
      title={t('permissionsOf', { name: `${say(roleName(role))} · ${role.code}` })}
      onClose={close}
      footer={
        <div className={styles['footer']}>
          <span>{t(readOnly ? 'readOnly' : 'recorded')}</span>
          <Button onClick={close}>{t(readOnly ? 'close' : 'cancel')}</Button>
          {readOnly ? null : (
            <Button type="primary" disabled={!isChanged} loading={save.isPending} onClick={submit}>
              {t('save')}
            </Button>
          )}
        </div>
      }
    >
      <div className={styles['editor']}>
        {save.error ? <Alert type="error" showIcon role="alert" title={save.error.message} /> : null}
        {isAdmin ? <Alert type="info" showIcon title={t('adminKeeps')} /> : null}
        <Tabs
          className={styles['tabs'] ?? ''}
          activeKey={tab}
          onChange={setTab}
          items={[
            {
              key: 'pages',
              label: t('pagesAndActions'),
              children: <PermissionMatrix modules={modules} grants={grants} onChange={setGrants} readOnly={readOnly} isAdmin={isAdmin} />,
            },
            {
              key: 'area',
              label: t('networkArea'),
              children: (
                <NetworkArea
                  area={area}
                  onChange={setArea}
                  readOnly={readOnly}
                  isAdmin={isAdmin}
                  isMissing={wasTried && choice === undefined}
                />
              ),
            },
          ]}
        />
      </div>
    </Drawer>
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
  // The form takes its initial values once, from a response newer than this mount.
  if (permission.data && modules.data && permission.isFetchedAfterMount)
    return <Editor role={role} permission={permission.data} modules={modules.data.items} onDone={onDone} onClose={onClose} />;
  return (
    <Drawer open size={WIDTH} title={t('permissionsOf', { name: `${say(roleName(role))} · ${role.code}` })} onClose={onClose}>
      <PanelState query={permission.isError ? permission : { ...modules, data: undefined }} lines={12}>
        {() => null}
      </PanelState>
    </Drawer>
  );
}
