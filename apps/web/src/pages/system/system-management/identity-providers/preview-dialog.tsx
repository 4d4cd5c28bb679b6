import { identityProvider, type ClaimsPreview, type ProviderRow } from '@hes/contract/manager/identity-provider.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { Alert, Button, Input, Modal } from 'antd';
import { useId, useState } from 'react';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Properties } from '#kit/basics/text.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';

const ROWS = 8;
const WIDTH = 640;

/** The claims as an object; undefined if the text is none. */
function readClaims(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // as: an object of JSON
  } catch {
    return undefined;
  }
}

function Result({ found }: { found: ClaimsPreview }) {
  const t = useMessages(texts);
  const say = useSay();
  const areaOf = ({ isWhole, nodes }: ClaimsPreview['roles'][number]): string => {
    if (isWhole) return t('wholeNetwork');
    return nodes === 0 ? t('noArea') : t('nodes', { count: nodes });
  };
  const { username, subject, groups, roles } = found;
  return (
    <>
      <Properties
        items={[
          { label: t('username'), value: username },
          { label: t('name'), value: found.name },
          {
            label: t('groups'),
            value: groups.map(({ group, isMapped }) => (isMapped ? group : t('notMapped', { group }))).join(', '),
          },
          { label: t('roles'), value: roles.map((role) => `${say(roleName(role))} (${areaOf(role)})`).join(', ') },
        ]}
      />
      {username === null || subject === null ? <Alert showIcon type="warning" title={t('noUsername')} /> : null}
      {roles.length === 0 ? <Alert showIcon type="warning" title={t('noRoles')} /> : null}
    </>
  );
}

/** Shows what a sign-in with some claims would do. */
export function PreviewDialog({ row, onClose }: DialogProps<ProviderRow>) {
  const t = useMessages(texts);
  const id = useId();
  const isDirectory = row.kind === 'ldap';
  const [text, setText] = useState('');
  const [isInvalid, setInvalid] = useState(false);
  const show = useApiMutation(identityProvider.preview);
  const send = () => {
    const claims = readClaims(text);
    setInvalid(claims === undefined);
    if (claims !== undefined) show.mutate({ params: { id: row.id }, body: { claims } });
  };
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t(isDirectory ? 'previewTitleDirectory' : 'previewTitle', { name: row.name })}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" loading={show.isPending} onClick={send}>
            {t('show')}
          </Button>
        </>
      }
    >
      <label htmlFor={id}>{t(isDirectory ? 'entry' : 'claims')}</label>
      <Input.TextArea
        id={id}
        rows={ROWS}
        className="mono"
        value={text}
        aria-invalid={isInvalid}
        status={isInvalid ? 'error' : ''}
        onChange={(event) => setText(event.target.value)}
      />
      <p>{isInvalid ? t('claimsInvalid') : t(isDirectory ? 'entryHelp' : 'claimsHelp')}</p>
      {show.error ? <Alert showIcon type="error" role="alert" title={failureText(show.error)} /> : null}
      {show.data ? <Result found={show.data} /> : null}
    </Modal>
  );
}
