import { RETURN_PATH } from '@hes/contract/auth/external.ts';
import {
  identityProvider,
  newProvider,
  providerChange,
  type ProviderFields,
  type ProviderRow,
} from '@hes/contract/manager/identity-provider.ts';
import { App } from 'antd';
import type { RequestFailed } from '#core/api/errors.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { GROUP_SOURCE_TEXT, PROVIDER_KIND_TEXT } from '@hes/contract/states/identity-provider.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { MappingField } from './mapping-field.tsx';
import { texts } from './messages.ts';

const HOURS = 168;

const startOf = (row: ProviderRow | undefined): ProviderFields => ({
  name: row?.name ?? '',
  kind: row?.kind ?? 'oidc',
  isEnabled: row?.isEnabled ?? false,
  issuer: row?.issuer ?? '',
  clientId: row?.clientId ?? '',
  secret: '',
  scopes: row?.scopes ?? 'openid profile email',
  groupsClaim: row?.groupsClaim ?? 'groups',
  usernameClaim: row?.usernameClaim ?? 'preferred_username',
  signInAcr: row?.signInAcr ?? '',
  proofAcr: row?.proofAcr ?? '',
  sessionHours: row?.sessionHours ?? 12,
  ca: row?.ca ?? '',
  servers: row?.servers ?? '',
  bindDn: row?.bindDn ?? '',
  baseDn: row?.baseDn ?? '',
  userFilter: row?.userFilter ?? '(uid={name})',
  idAttribute: row?.idAttribute ?? 'entryUUID',
  groupSource: row?.groupSource ?? 'attribute',
  groupBaseDn: row?.groupBaseDn ?? '',
  mapping: row?.mapping ?? [],
});

function useLabels(isDirectory: boolean) {
  const t = useMessages(texts);
  return {
    name: t('name'),
    kind: t('kind'),
    isEnabled: t('isEnabled'),
    issuer: t('issuer'),
    clientId: t('clientId'),
    secret: t(isDirectory ? 'bindPassword' : 'secret'),
    scopes: t('scopes'),
    groupsClaim: t(isDirectory ? 'groupsAttribute' : 'groupsClaim'),
    usernameClaim: t(isDirectory ? 'usernameAttribute' : 'usernameClaim'),
    signInAcr: t('signInAcr'),
    proofAcr: t('proofAcr'),
    sessionHours: t('sessionHours'),
    ca: t('ca'),
    mapping: t('mapping'),
    servers: t('servers'),
    bindDn: t('bindDn'),
    baseDn: t('baseDn'),
    userFilter: t('userFilter'),
    idAttribute: t('idAttribute'),
    groupSource: t('groupSource'),
    groupBaseDn: t('groupBaseDn'),
  };
}

/** Saves a provider. To switch off the last one while passwords are off needs a confirmation, which names the emergency account. */
function useSave(form: ReturnType<typeof useForm<ProviderFields>>, row: ProviderRow | undefined, onDone: () => void) {
  const t = useMessages(texts);
  const { modal } = App.useApp();
  const create = useApiMutation(identityProvider.create, { success: onDone, failure: form.refuse });
  const refuse = (error: RequestFailed) => {
    if (error.failure.code !== 'LAST_PROVIDER') return form.refuse(error);
    modal.confirm({
      title: t('lastTitle'),
      content: error.failure.message,
      okText: t('lastConfirm'),
      okButtonProps: { danger: true },
      onOk: () => change(true),
    });
  };
  const update = useApiMutation(identityProvider.update, { success: onDone, failure: refuse });
  const change = (isLastConfirmed: boolean) => {
    if (row === undefined) return;
    const body = form.check(providerChange, { version: row.version, isLastConfirmed });
    if (body) update.mutate({ params: { id: row.id }, body });
  };
  const save = () => {
    if (row) return change(false);
    const body = form.check(newProvider);
    if (body) create.mutate({ body });
  };
  return { save, saving: create.isPending || update.isPending };
}

/** Adds or changes an identity provider. */
export function ProviderForm({ row, onDone, onClose }: FormProps<ProviderRow>) {
  const t = useMessages(texts);
  const form = useForm(startOf(row), startOf);
  const isDirectory = form.values.kind === 'ldap';
  const labels = useLabels(isDirectory);
  const say = useSay();
  const { save, saving } = useSave(form, row, onDone);
  const field = formFields(form, labels);
  const secret = { mono: true, placeholder: row?.hasSecret === true ? t('secretKept') : '', help: t('secretHelp') };
  return (
    <FormDrawer
      record={`identity-provider/${row?.id ?? 'new'}`}
      title={row ? t('editTitle', { name: row.name }) : t('addTitle')}
      form={form}
      labels={labels}
      saving={saving}
      onSave={save}
      onClose={onClose}
    >
      {field.text('name', { required: true, autoFocus: true })}
      {field.choice('kind', choicesOf(PROVIDER_KIND_TEXT, say), { disabled: row !== undefined })}
      {field.flag('isEnabled', t('isEnabledHelp'))}
      {isDirectory ? (
        <DirectoryFields field={field} secret={secret} />
      ) : (
        <OpenIdFields field={field} secret={secret} isNew={row === undefined} />
      )}
      <MappingField form={form} label={labels.mapping} />
      {field.number('sessionHours', { required: true, min: 1, max: HOURS, precision: 0, help: t('sessionHoursHelp') })}
      {field.text('ca', { wide: true, mono: true, rows: 3, help: t('caHelp') })}
    </FormDrawer>
  );
}

type FieldsProps = { field: ReturnType<typeof formFields<ProviderFields>>; secret: { mono: boolean; placeholder: string; help: string } };

function OpenIdFields({ field, secret, isNew }: FieldsProps & { isNew: boolean }) {
  const t = useMessages(texts);
  return (
    <>
      {field.text('issuer', {
        required: true,
        wide: true,
        mono: true,
        disabled: !isNew,
        placeholder: 'https://',
        help: t('issuerHelp'),
      })}
      {field.text('clientId', { required: true, mono: true, help: t('clientIdHelp', { address: `${location.origin}${RETURN_PATH}` }) })}
      {field.text('secret', secret)}
      {field.text('groupsClaim', { required: true, mono: true, help: t('groupsClaimHelp') })}
      {field.text('usernameClaim', { required: true, mono: true })}
      {field.text('scopes', { mono: true })}
      {field.text('signInAcr', { mono: true, help: t('signInAcrHelp') })}
      {field.text('proofAcr', { mono: true, help: t('proofAcrHelp') })}
    </>
  );
}

function DirectoryFields({ field, secret }: FieldsProps) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <>
      {field.text('servers', { required: true, wide: true, mono: true, placeholder: 'ldaps://', help: t('serversHelp') })}
      {field.text('bindDn', { wide: true, mono: true, help: t('bindDnHelp') })}
      {field.text('secret', secret)}
      {field.text('baseDn', { required: true, wide: true, mono: true })}
      {field.text('userFilter', { required: true, wide: true, mono: true, help: t('userFilterHelp', { what: '{name}' }) })}
      {field.text('usernameClaim', { required: true, mono: true, help: t('usernameAttributeHelp') })}
      {field.text('idAttribute', { required: true, mono: true, help: t('idAttributeHelp') })}
      {field.choice('groupSource', choicesOf(GROUP_SOURCE_TEXT, say))}
      {field.text('groupsClaim', { required: true, mono: true, help: t('groupsAttributeHelp') })}
      {field.text('groupBaseDn', { wide: true, mono: true, help: t('groupBaseDnHelp') })}
    </>
  );
}
