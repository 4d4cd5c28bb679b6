import { dcuType } from '@hes/contract/asset/dcu-type.ts';
import { meterType } from '@hes/contract/asset/meter-type.ts';
import { supplier } from '@hes/contract/asset/supplier.ts';
import { SPOKEN } from '@hes/contract/asset/spoken.ts';
import { UPGRADE_PROTOCOL_TEXT, UPGRADE_TARGET_TEXT, type UpgradeProtocol, type UpgradeTarget } from '@hes/contract/states/upgrade.ts';
import {
  BLOCK_OCTETS,
  firmware as routes,
  firmwareChange,
  FIRMWARE_ENDINGS,
  MAX_FIRMWARE_OCTETS,
  newFirmware,
  type FirmwareRow,
  type UploadedFile,
} from '@hes/contract/upgrade/firmware.ts';
import { Button } from 'antd';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { useEveryRow } from '#core/api/every-row.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { Field } from '#kit/form/field.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { notOffered, offeredChoices } from '#domain/protocols/offered.ts';
import { useForm } from '#kit/form/use-form.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { choicesOf, formFields } from '#kit/form/form-fields.tsx';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

const startOf = (row: FirmwareRow | undefined) => ({
  fileId: '',
  name: row?.name ?? '',
  version: row?.version ?? '',
  upgradeProtocol: row?.upgradeProtocol ?? ('dlms_image' satisfies UpgradeProtocol),
  supplierId: row?.supplierId ?? '',
  targetKind: row?.targetKind ?? ('meter' satisfies UpgradeTarget),
  typeIds: row?.types.map(({ id }) => id) ?? ([] as string[]),
  imageIdentifier: row?.imageIdentifier ?? '',
  blockSize: row?.blockSize ?? BLOCK_OCTETS.usual,
  upgradeReason: row?.upgradeReason ?? '',
  fileProvider: row?.fileProvider ?? '',
  fromVersions: row?.fromVersions ?? ([] as string[]),
  sha256: '',
  signature: '',
});

/** The file is uploaded first: the server computes its hash, and the form describes the received file. */
function FilePicker({ value, onFile }: { value: UploadedFile | undefined; onFile: (file: UploadedFile) => void }) {
  const t = useMessages(texts);
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const upload = useApiMutation(routes.upload, { success: onFile, failure: (error) => setProblem(error.message) });
  const take = (file: File | undefined) => {
    if (!file) return;
    setName(file.name);
    setProblem(file.size > MAX_FIRMWARE_OCTETS ? t('tooLarge') : undefined);
    if (file.size <= MAX_FIRMWARE_OCTETS) upload.mutate({ query: { name: file.name }, body: file });
  };
  return (
    <div className={styles['file']}>
      <FileUp size={22} aria-hidden="true" />
      <div>
        {upload.isPending ? (
          <span role="status">{t('uploading', { name: name ?? '' })}</span>
        ) : value ? (
          <>
            <b>{value.name}</b> <span className={styles['muted']}>{`${figure(value.size)} ${t('octets')} · ${value.format}`}</span>
            <div className={`mono ${styles['hash']}`}>{value.sha256}</div>
          </>
        ) : (
          <span className={styles['muted']}>{t('fileHint')}</span>
        )}
        {problem ? (
          <div role="alert" style={{ color: 'var(--red-fg)' }}>
            {problem}
          </div>
        ) : null}
      </div>
      <Button loading={upload.isPending} onClick={() => input.current?.click()}>
        {t('chooseFile')}
      </Button>
      <input
        ref={input}
        type="file"
        accept={FIRMWARE_ENDINGS.map((ending) => `.${ending}`).join(',')}
        aria-label={t('upgradeFile')}
        className="visually-hidden"
        tabIndex={-1}
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
    </div>
  );
}

export function FirmwareForm({ row, onDone, onClose }: FormProps<FirmwareRow>) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const form = useForm(startOf(row), startOf);
  const [file, setFile] = useState<UploadedFile>();
  const { values } = form;
  const isMeter = values.targetKind === 'meter';
  const suppliers = useEveryRow(supplier.list, {});
  const dcuTypes = useEveryRow(dcuType.list, {}, { enabled: !isMeter });
  const meterTypes = useEveryRow(meterType.list, {}, { enabled: isMeter });
  const types: { id: string; name: string }[] = (isMeter ? meterTypes.data : dcuTypes.data) ?? [];
  const events = { success: onDone, failure: form.refuse };
  const create = useApiMutation(routes.create, events);
  const update = useApiMutation(routes.update, events);
  const save = () => {
    if (row) {
      const body = form.check(firmwareChange, { revision: row.revision });
      if (body) update.mutate({ params: { id: row.id }, body });
      return;
    }
    const body = form.check(newFirmware, { sha256: values.sha256 === '' ? null : values.sha256, signature: values.signature || null });
    if (body) create.mutate({ body });
  };
  const labels = {
    fileId: t('upgradeFile'),
    name: t('name'),
    version: t('version'),
    upgradeProtocol: t('upgradeProtocol'),
    supplierId: t('manufacturer'),
    targetKind: t('targetKind'),
    typeIds: t('types'),
    imageIdentifier: t('imageIdentifier'),
    blockSize: t('blockSize'),
    upgradeReason: t('upgradeReason'),
    fileProvider: t('fileProvider'),
    fromVersions: t('fromVersions'),
    sha256: t('givenHash'),
    signature: t('signature'),
  };
  const field = formFields(form, labels);
  return (
    <FormDrawer
      record={`firmware/${row?.id ?? 'new'}`}
      title={row ? t('editFirmware', { name: row.name, version: row.version }) : t('addFirmware')}
      form={form}
      labels={labels}
      saving={create.isPending || update.isPending}
      onSave={save}
      onClose={onClose}
    >
      {row ? null : (
        <Field name="fileId" label={t('upgradeFile')} required wide>
          {() => (
            <FilePicker
              value={file}
              onFile={(next) => {
                setFile(next);
                form.set({ fileId: next.fileId });
              }}
            />
          )}
        </Field>
      )}
      {field.text('name', { required: true })}
      {field.text('version', { required: true, mono: true })}
      {field.choice(
        'supplierId',
        (suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: called(name) })),
        { required: true },
      )}
      {field.choice('upgradeProtocol', offeredChoices(SPOKEN.upgradeProtocol, UPGRADE_PROTOCOL_TEXT, say), {
        required: true,
        help: notOffered(SPOKEN.upgradeProtocol, UPGRADE_PROTOCOL_TEXT, say),
      })}
      {field.choice('targetKind', choicesOf(UPGRADE_TARGET_TEXT, say), {
        required: true,
        onChoose: (targetKind: UpgradeTarget) => form.set({ targetKind, ...((targetKind === 'meter') === isMeter ? {} : { typeIds: [] }) }),
      })}
      {field.choice(
        'typeIds',
        types.map(({ id, name }) => ({ value: id, label: called(name) })),
        { required: true, multiple: true },
      )}
      {field.text('imageIdentifier', { required: true, mono: true, help: t('imageIdentifierHelp') })}
      {field.number('blockSize', { required: true, precision: 0 })}
      {field.tags('fromVersions', { help: t('fromVersionsHelp') })}
      {field.text('fileProvider', { required: true })}
      {field.text('upgradeReason', { required: true, wide: true, rows: 2 })}
      {row ? null : field.text('sha256', { mono: true, wide: true, help: t('givenHashHelp') })}
      {row ? null : field.text('signature', { mono: true, wide: true, rows: 2, help: t('signatureHelp') })}
    </FormDrawer>
  );
}
