import { MAX_OVERLAP_HOURS, MAX_TOKEN_DAYS, newProgramToken, program as programs, type ProgramRow } from '@hes/contract/manager/program.ts';
import { Button, Modal } from 'antd';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { CopyButton } from '#kit/basics/text.tsx';
import { FormDrawer } from '#kit/form/form-drawer.tsx';
import { formFields } from '#kit/form/form-fields.tsx';
import { useForm } from '#kit/form/use-form.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { programTexts } from './program.messages.ts';
import styles from './user.module.css';

const WIDTH = 560;
const USUAL_DAYS = 90;
const USUAL_OVERLAP_HOURS = 48;

const START = {
  name: '',
  validDays: USUAL_DAYS,
  addressRanges: [] as string[],
  replacesId: null as string | null,
  overlapHours: USUAL_OVERLAP_HOURS,
};

/** Creates a token of a service account, and shows it once. */
export function TokenForm({ row, onDone, onClose }: FormProps<ProgramRow>) {
  const t = useMessages(programTexts);
  const form = useForm(START);
  const account = useApiQuery(programs.get, { params: { id: row?.id ?? '' } });
  const create = useApiMutation(programs.createToken, { failure: form.refuse });
  const save = () => {
    const body = form.check(newProgramToken);
    if (body && row) create.mutate({ params: { id: row.id }, body });
  };
  const username = row?.username ?? '';
  if (create.data) return <OneTimeToken username={username} token={create.data.token} onClose={onDone} />;
  const labels = {
    name: t('tokenName'),
    validDays: t('validDays'),
    addressRanges: t('addresses'),
    replacesId: t('replaces'),
    overlapHours: t('overlap'),
  };
  const field = formFields(form, labels);
  const live = (account.data?.tokens ?? []).filter(({ state }) => state === 'live');
  return (
    <FormDrawer
      record={`program-token/${row?.id ?? ''}`}
      title={t('newTokenFor', { name: username })}
      form={form}
      labels={labels}
      saving={create.isPending}
      onSave={save}
      onClose={onClose}
    >
      {field.text('name', { required: true, autoFocus: true, help: t('tokenNameHelp') })}
      {field.number('validDays', { required: true, min: 1, max: MAX_TOKEN_DAYS, precision: 0 })}
      {field.tags('addressRanges', { wide: true, help: t('addressHelp'), placeholder: t('everywhere') })}
      {live.length === 0
        ? null
        : field.choice<string | null>(
            'replacesId',
            live.map(({ id, name }) => ({ value: id, label: name })),
            { clearable: true, placeholder: t('noneReplaced'), help: t('replacesHelp') },
          )}
      {form.values.replacesId === null
        ? null
        : field.number('overlapHours', { unit: t('hours'), min: 0, max: MAX_OVERLAP_HOURS, precision: 0, empty: 0 })}
    </FormDrawer>
  );
}

/** Shows a token once; it cannot be shown again. */
function OneTimeToken({ username, token, onClose }: { username: string; token: string; onClose: () => void }) {
  const t = useMessages(programTexts);
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('tokenOnce', { name: username })}
      mask={{ closable: false }}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('close')}
        </Button>
      }
    >
      <p className={styles['secret']}>
        <b className={`mono ${styles['token'] ?? ''}`}>{token}</b>
        <CopyButton text={token} />
      </p>
      <p className={styles['hint']}>{t('tokenHint')}</p>
    </Modal>
  );
}
