import {
  ACCURACIES,
  meterType as routes,
  meterTypeChange,
  newMeterType,
  PERIODS_S,
  VOLTAGES,
  type MeterTypeRow,
} from '@hes/contract/asset/meter-type.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { COMMUNICATION_MODE_TEXT, METER_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { modelName } from '@hes/contract/text/reference-models.ts';
import { offered, SPOKEN } from '@hes/contract/asset/spoken.ts';
import {
  ADDRESSING_TEXT,
  AUTHENTICATION_TEXT,
  ASSOCIATION_TEXT,
  CIPHERING_TEXT,
  KEY_AGREEMENT_TEXT,
  METER_QUIRK_TEXT,
  SECURITY_SUITE_TEXT,
} from '@hes/contract/text/type-text.ts';
import { Alert } from 'antd';
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

const titleOf = (t: Translate<typeof texts>, row: MeterTypeRow | undefined, isCopy: boolean): string =>
  row && !isCopy ? t('editType', { name: row.name }) : t('addType');

interface TypeFormProps extends FormProps<MeterTypeRow> {
  /** The row gives the initial values of a new type. */
  isCopy?: boolean;
}

type Choices = ResponseOf<typeof routes.choices>;

/** The built-in template for a wiring; wirings without one use the template of four-wire meters. */
const templateOf = (profiles: Choices['profiles'], phase: string) => {
  const builtIn = profiles.filter(({ isBuiltin }) => isBuiltin);
  return (builtIn.find(({ key }) => key.endsWith(phase)) ?? builtIn.find(({ key }) => key.endsWith('3p4w')))?.id;
};

const startOf = (row: MeterTypeRow | undefined, isNew: boolean, profiles: Choices['profiles'] = []) => ({
  code: row && !isNew ? row.code : '',
  name: row && !isNew ? row.name : '',
  supplierId: row?.supplierId ?? '',
  phase: row?.phase ?? '1p2w',
  accuracy: row?.accuracy ?? 'B',
  voltage: row?.voltage ?? '230',
  current: row?.current ?? '5(60)',
  ctMetering: row?.ctMetering ?? false,
  communicationModes: row?.communicationModes ?? ['plc'],
  hasRelay: row?.hasRelay ?? true,
  relayMode: row?.relayMode ?? 4,
  clientSap: row?.clientSap ?? 1,
  serverSap: row?.serverSap ?? 1,
  addressing: row?.addressing ?? 'logical',
  authenticationType: row?.authenticationType ?? 'hls_gmac',
  association: row?.association ?? 'negotiated',
  ciphering: row?.ciphering ?? 'by_mechanism',
  keyAgreement: row?.keyAgreement ?? 'none',
  generalSigning: row?.generalSigning ?? false,
  securitySuite: row?.securitySuite ?? 0,
  heartbeatSeconds: row?.heartbeatSeconds ?? 3600,
  apduSize: row?.apduSize ?? 1024,
  allowedAddresses: row?.allowedAddresses ?? [],
  profileId: row?.profileId ?? templateOf(profiles, '1p2w') ?? '',
  lpaPeriodSec: row?.lpaPeriodSec ?? 900,
  lpbPeriodSec: row?.lpbPeriodSec ?? 900,
  imageBlockSize: row?.imageBlockSize ?? null,
  quirks: row?.quirks ?? [],
  enabled: row?.enabled ?? true,
});

/** The usual options and, for an older record, its own value. */
const words = (usual: readonly string[], own: string) =>
  [...new Set([...usual, own])].filter((value) => value !== '').map((value) => ({ value, label: value }));

/** Fields that determine the communication with a meter. */
const WIRE = [
  'profileId',
  'addressing',
  'association',
  'authenticationType',
  'clientSap',
  'serverSap',
  'ciphering',
  'keyAgreement',
  'generalSigning',
  'securitySuite',
  'quirks',
] as const;

/** Adds or changes a meter type; asks for confirmation before a change that affects its meters. */
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
export const DuplicateForm = (props: FormProps<MeterTypeRow>) => <TypeForm {...props} isCopy />;

function FilledForm({ row, isCopy = false, onDone, onClose, profiles, suppliers: makers }: TypeFormProps & Choices) {
  const t = useMessages(texts);
  const say = useSay();
  const isNew = row === undefined || isCopy;
  const form = useForm(startOf(row, isNew, profiles), (current: MeterTypeRow) => startOf(current, false));
  const [asking, setAsking] = useState(false);
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const { values } = form;
  const change = () => {
    setAsking(false);
    const body = row && form.check(meterTypeChange, { version: row.version });
    if (row && body) update.mutate({ params: { id: row.id }, body });
  };
  const save = () => {
    if (isNew) {
      const body = form.check(newMeterType);
      if (body) create.mutate({ body });
    } else if (row.meters > 0 && WIRE.some((key) => values[key] !== row[key])) setAsking(true);
    else change();
  };
  const labels = {
    code: t('code'),
    name: t('name'),
    supplierId: t('supplier'),
    phase: t('phase'),
    accuracy: t('accuracy'),
    voltage: t('voltage'),
    current: t('current'),
    ctMetering: t('ctMetering'),
    communicationModes: t('communicationModes'),
    hasRelay: t('hasRelay'),
    relayMode: t('relayMode'),
    clientSap: t('clientSap'),
    serverSap: t('serverSap'),
    addressing: t('addressing'),
    authenticationType: t('authenticationType'),
    association: t('association'),
    ciphering: t('ciphering'),
    keyAgreement: t('keyAgreement'),
    generalSigning: t('generalSigning'),
    securitySuite: t('securitySuite'),
    heartbeatSeconds: t('heartbeatSeconds'),
    apduSize: t('apduSize'),
    allowedAddresses: t('allowedAddresses'),
    profileId: t('template'),
    lpaPeriodSec: t('lpaPeriodSec'),
    lpbPeriodSec: t('lpbPeriodSec'),
    imageBlockSize: t('imageBlockSize'),
    quirks: t('quirks'),
    enabled: t('enabled'),
  };
  /** A new type uses the template of its wiring until the user chooses another one. */
  const set: typeof form.set = (change) => {
    const isUsual = isNew && change.phase !== undefined && values.profileId === (templateOf(profiles, values.phase) ?? '');
    form.set(isUsual ? { ...change, profileId: templateOf(profiles, change.phase ?? '') ?? '' } : change);
  };
  const field = formFields({ ...form, set }, labels);
  const isDirect = values.communicationModes.includes('direct');
  const suppliers = makers.filter((supplier) => supplier.enabled || supplier.id === row?.supplierId);
  const periods = PERIODS_S.map((value) => ({ value, label: t('minutes', { count: value / 60 }) }));
  const lacksDaily = row?.lacksDailyFreeze === true && values.profileId === row.profileId;
  return (
    <>
      <FormDrawer
        record={`meter-type/${isNew ? `new/${row?.id ?? ''}` : row?.id}`}
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
        {field.choice('phase', choicesOf(METER_PHASE_TEXT, say), { required: true })}
        {field.choice('accuracy', words(ACCURACIES, values.accuracy), { required: true })}
        {field.choice('voltage', words(VOLTAGES, values.voltage), { required: true })}
        {field.text('current', { required: true, help: t('currentHelp') })}
        {field.flag('ctMetering', t('ctHelp'))}
        {field.many('communicationModes', choicesOf(COMMUNICATION_MODE_TEXT, say), { required: true })}
        {field.choice(
          'profileId',
          profiles.map((profile) => ({ value: profile.id, label: `${profile.name} (${profile.objects})` })),
          {
            required: true,
          },
        )}
        {field.flag('hasRelay', t('relayHelp'))}
        {field.choice(
          'relayMode',
          [0, 1, 2, 3, 4, 5, 6].map((value) => ({ value, label: String(value) })),
          { disabled: !values.hasRelay },
        )}
        {field.choice('lpaPeriodSec', periods, { required: true })}
        {field.choice('lpbPeriodSec', periods, { required: true })}
        {field.choice('authenticationType', offeredChoices(SPOKEN.authenticationType, AUTHENTICATION_TEXT, say), {
          required: true,
          help: authenticationHelp(values.authenticationType, say),
        })}
        {field.choice('association', choicesOf(ASSOCIATION_TEXT, say), { required: true, help: t('associationHelp') })}
        {field.choice('ciphering', choicesOf(CIPHERING_TEXT, say), { required: true, help: t('cipheringHelp') })}
        {field.choice('keyAgreement', choicesOf(KEY_AGREEMENT_TEXT, say), { required: true, help: t('keyAgreementHelp') })}
        {field.flag('generalSigning', t('generalSigningHelp'))}
        {field.choice(
          'securitySuite',
          offeredChoices<string>(SPOKEN.securitySuite, SECURITY_SUITE_TEXT, say).map(({ value, label }) => ({
            value: Number(value),
            label,
          })),
          { required: true, help: notOffered<string>(SPOKEN.securitySuite, SECURITY_SUITE_TEXT, say) },
        )}
        {field.number('clientSap', { required: true })}
        {field.number('serverSap', { required: true })}
        {field.choice('addressing', offeredChoices(SPOKEN.addressing, ADDRESSING_TEXT, say), {
          required: true,
          help: notOffered(SPOKEN.addressing, ADDRESSING_TEXT, say),
        })}
        {isDirect ? field.number('heartbeatSeconds', { required: true, unit: t('seconds'), help: t('heartbeatHelp') }) : null}
        {isDirect ? field.number('apduSize', { required: true, unit: t('bytes') }) : null}
        {isDirect ? field.tags('allowedAddresses', { help: t('allowedAddressesHelp'), placeholder: '10.20.0.0/16', wide: true }) : null}
        {SPOKEN.imageBlockSize.type === true ? field.number('imageBlockSize', { unit: t('bytes'), help: t('imageHelp') }) : null}
        {offered(SPOKEN.quirks).length > 0
          ? field.many('quirks', offeredChoices(SPOKEN.quirks, METER_QUIRK_TEXT, say), { wide: true })
          : null}
        {field.flag('enabled', t('enabledHelp'))}
        {lacksDaily ? <Alert type="warning" showIcon title={t('lacksDaily')} style={{ gridColumn: '1 / -1' }} /> : null}
      </FormDrawer>
      {asking && row ? (
        <DangerDialog
          title={t('confirmTitle', { count: row.meters })}
          effect={t('confirmEffect')}
          action={t('changeAll')}
          about={row.name}
          busy={false}
          failure={undefined}
          onConfirm={change}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}
