import { RETURN_PATH } from '@hes/contract/auth/external.ts';
import {
  identityProvider,
  newProvider,
  providerChange,
  type ProviderFields,
  type ProviderRow,
} from '@hes/contract/manager/identity-provider.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
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
  mapping: row?.mapping ?? [],
});

function useLabels() {
  const t = useMessages(texts);
  return {
    name: t('name'),
    kind: t('kind'),
    isEnabled: t('isEnabled'),
    issuer: t('issuer'),
    clientId: t('clientId'),
    secret: t('secret'),
    scopes: t('scopes'),
    groupsClaim: t('groupsClaim'),
    usernameClaim: t('usernameClaim'),
    signInAcr: t('signInAcr'),
    proofAcr: t('proofAcr'),
    sessionHours: t('sessionHours'),
    ca: t('ca'),
    mapping: t('mapping'),
  };
}

/** Adds or changes an identity provider. */
export function ProviderForm({ row, onDone, onClose }: FormProps<ProviderRow>) {
  const t = useMessages(texts);
  const form = useForm(startOf(row), startOf);
  const labels = useLabels();
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(identityProvider.create, events);
  const update = useApiMutation(identityProvider.update, events);
  const save = () => {
    if (row) {
      const body = form.check(providerChange, { version: row.version });
      if (body) update.mutate({ params: { id: row.id }, body });
    } else {
      const body = form.check(newProvider);
      if (body) create.mutate({ body });
    }
  };
  const field = formFields(form, labels);
  const secret = { mono: true, placeholder: row?.hasSecret === true ? t('secretKept') : '', help: t('secretHelp') };
  return (
    <FormDrawer
      record={`identity-provider/${row?.id ?? 'new'}`}
      title={row ? t('editTitle', { name: row.name }) : t('addTitle')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('name', { required: true, autoFocus: true })}
      {field.flag('isEnabled', t('isEnabledHelp'))}
      {field.text('issuer', {
        required: true,
        wide: true,
        mono: true,
        disabled: row !== undefined,
        placeholder: 'https://',
        help: t('issuerHelp'),
      })}
      {field.text('clientId', { required: true, mono: true, help: t('clientIdHelp', { address: `${location.origin}${RETURN_PATH}` }) })}
      {field.text('secret', secret)}
      <MappingField form={form} label={labels.mapping} />
      {field.text('groupsClaim', { required: true, mono: true, help: t('groupsClaimHelp') })}
      {field.text('usernameClaim', { required: true, mono: true })}
      {field.text('scopes', { mono: true })}
      {field.number('sessionHours', { required: true, min: 1, max: HOURS, precision: 0, help: t('sessionHoursHelp') })}
      {field.text('signInAcr', { mono: true, help: t('signInAcrHelp') })}
      {field.text('proofAcr', { mono: true, help: t('proofAcrHelp') })}
      {field.text('ca', { wide: true, mono: true, rows: 3, help: t('caHelp') })}
    </FormDrawer>
  );
}
