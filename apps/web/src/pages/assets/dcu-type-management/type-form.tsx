import { dcuType as routes, dcuTypeChange, newDcuType, type DcuTypeRow } from '@hes/contract/asset/dcu-type.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { hasMutualProof, offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import { AUTHENTICATION_TEXT, DOWNLINK_TEXT, FEATURE_TEXT, PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { LoadedDrawer } from '#kit/form/loaded-drawer.tsx';
import { authenticationHelp, notOffered, offeredChoices } from '#domain/protocols/offered.ts';
import { useForm } from '#kit/form/use-form.ts';
import { useMessages, useSay, type Translate } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import type { FormProps } from '#kit/list/list-parts.ts';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { texts } from './messages.ts';

const titleOf = (t: Translate<typeof texts>, row: DcuTypeRow | undefined, isCopy: boolean): string =>
  row && !isCopy ? t('editType', { name: row.name }) : t('addType');

interface TypeFormProps extends FormProps<DcuTypeRow> {
  /** The row gives the initial values of a new type. */
  isCopy?: boolean;
}

type Choices = ResponseOf<typeof routes.choices>;

const NAMED = 12;

const FEATURES = offered(SPOKEN.features);
/** The optional features of a profile. */
const featuresOf = (profile: Choices['profiles'][number] | undefined) => FEATURES.filter((feature) => profile?.features.includes(feature));

/** The DCUs of a type by serial number, for users who may read them. */
function Affected({ type }: { type: DcuTypeRow }) {
  const dcus = useApiQuery(routes.candidates, { params: { id: type.id }, query: {} });
  const shown = (dcus.data?.items ?? []).slice(0, NAMED);
  return (
    <ul>
      {shown.map((dcu) => (
        <li key={dcu.id}>{`${dcu.sn} · ${dcu.name}`}</li>
      ))}
      {type.dcus > shown.length && shown.length > 0 ? <li>{`+ ${type.dcus - shown.length}`}</li> : null}
    </ul>
  );
}

const startOf = (row: DcuTypeRow | undefined, isNew: boolean, usual?: Choices['profiles'][number]) => ({
  code: row && !isNew ? row.code : '',
  name: row && !isNew ? row.name : '',
  supplierId: row?.supplierId ?? '',
  hardwareVersion: row?.hardwareVersion ?? '',
  protocol: row?.protocol ?? 'dlms_wrapper',
  authenticationType: row?.authenticationType ?? 'hls_gmac',
  allowedAddresses: row?.allowedAddresses ?? [],
  downlinkModes: row?.downlinkModes ?? ['plc'],
  maxMeters: row?.maxMeters ?? 1024,
  heartbeatSeconds: row?.heartbeatSeconds ?? 300,
  parallelMeters: row?.parallelMeters ?? 1,
  apduSize: row?.apduSize ?? 1024,
  profileId: row?.profileId ?? usual?.id ?? '',
  features: row?.features ?? featuresOf(usual),
  enabled: row?.enabled ?? true,
});

/** Adds or changes a DCU type; asks for confirmation before a change that affects its DCUs. */
export function TypeForm(props: TypeFormProps) {
  const t = useMessages(texts);
  const { row, isCopy = false, onClose } = props;
  return (
    <LoadedDrawer query={useApiQuery(routes.choices)} title={titleOf(t, row, isCopy)} onClose={onClose}>
      {(choices) => <FilledForm {...props} {...choices} />}
    </LoadedDrawer>
  );
}

/** Adds a type with the values of an existing one. */
export const DuplicateForm = (props: FormProps<DcuTypeRow>) => <TypeForm {...props} isCopy />;

function FilledForm({ row, isCopy = false, onDone, onClose, profiles, suppliers: makers }: TypeFormProps & Choices) {
  const t = useMessages(texts);
  const say = useSay();
  const isNew = row === undefined || isCopy;
  // Built-in profiles come first.
  const form = useForm(startOf(row, isNew, profiles[0]), (current: DcuTypeRow) => startOf(current, false));
  const [asking, setAsking] = useState(false);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const { values } = form;
  const change = () => {
    setAsking(false);
    const body = row && form.check(dcuTypeChange, { version: row.version });
    if (row && body) update.mutate({ params: { id: row.id }, body });
  };
  const save = () => {
    if (isNew) {
      const body = form.check(newDcuType);
      if (body) create.mutate({ body });
    } else if (row.dcus > 0 && (values.protocol !== row.protocol || values.profileId !== row.profileId)) setAsking(true);
    else change();
  };
  const labels = {
    code: t('code'),
    name: t('name'),
    supplierId: t('supplier'),
    hardwareVersion: t('hardwareVersion'),
    protocol: t('protocol'),
    authenticationType: t('authenticationType'),
    allowedAddresses: t('allowedAddresses'),
    downlinkModes: t('downlinkModes'),
    maxMeters: t('maxMeters'),
    heartbeatSeconds: t('heartbeatSeconds'),
    parallelMeters: t('parallelMeters'),
    apduSize: t('apduSize'),
    profileId: t('profile'),
    features: t('features'),
    enabled: t('enabled'),
  };
  /** A new type gets all features of its profile until the user changes them. */
  const set: typeof form.set = (change) => {
    const profile = isNew ? profiles.find(({ id }) => id === change.profileId) : undefined;
    form.set(profile ? { ...change, features: featuresOf(profile) } : change);
  };
  const field = formFields({ ...form, set }, labels);
  const suppliers = makers.filter((supplier) => supplier.enabled || supplier.id === row?.supplierId);
  return (
    <>
      <FormDrawer
        record={`dcu-type/${isNew ? `new/${row?.id ?? ''}` : row?.id}`}
        title={titleOf(t, row, isCopy)}
        form={form}
        labels={labels}
        saving={create.isPending || update.isPending}
        onSave={save}
        onClose={onClose}
      >
        {field.text('code', { required: true, mono: true, autoFocus: true, disabled: !isNew && (row?.isBuiltin ?? false) })}
        {field.text('name', { required: true })}
        {field.choice(
          'supplierId',
          suppliers.map(({ id, name }) => ({ value: id, label: say(modelName(name)) })),
          { required: true },
        )}
        {field.text('hardwareVersion')}
        {field.choice('protocol', offeredChoices(SPOKEN.protocol, PROTOCOL_TEXT, say), {
          required: true,
          help: notOffered(SPOKEN.protocol, PROTOCOL_TEXT, say),
        })}
        {field.choice('authenticationType', offeredChoices(SPOKEN.authenticationType, AUTHENTICATION_TEXT, say), {
          required: true,
          help: [
            hasMutualProof(values.authenticationType) ? undefined : t('admittedWithoutKeys'),
            authenticationHelp(values.authenticationType, say),
          ]
            .filter(Boolean)
            .join(' '),
        })}
        {field.tags('allowedAddresses', { help: t('allowedAddressesHelp'), placeholder: '10.20.0.0/16', wide: true })}
        {field.choice(
          'profileId',
          profiles.map((profile) => ({ value: profile.id, label: `${profile.name} (${profile.objects})` })),
          { required: true },
        )}
        {field.many('downlinkModes', choicesOf(DOWNLINK_TEXT, say), { required: true })}
        {field.number('maxMeters', { required: true })}
        {field.number('parallelMeters', { required: true })}
        {field.number('heartbeatSeconds', { required: true, unit: t('seconds') })}
        {field.number('apduSize', { required: true, unit: t('bytes') })}
        {FEATURES.length > 0 ? field.many('features', offeredChoices(SPOKEN.features, FEATURE_TEXT, say), { wide: true }) : null}
        {field.flag('enabled', t('enabledHelp'))}
      </FormDrawer>
      {asking && row ? (
        <DangerDialog
          title={t('confirmTitle', { count: row.dcus })}
          effect={t('confirmEffect')}
          action={t('changeAll')}
          about={<Affected type={row} />}
          busy={false}
          failure={undefined}
          onConfirm={change}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}
