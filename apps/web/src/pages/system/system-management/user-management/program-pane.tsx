import { program as programs, PROGRAM_DANGER_TEXT, type ProgramRow, type ProgramToken } from '@hes/contract/manager/program.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { Button } from 'antd';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, localDay } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Properties } from '#kit/basics/text.tsx';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { programTexts, type T } from './program.messages.ts';
import { signOfProgram, TOKEN } from './program-signs.ts';
import styles from './user.module.css';

const tokenColumns = (t: T, revoke: ((token: ProgramToken) => void) | undefined): Column<ProgramToken>[] => [
  { key: 'name', title: t('tokenName'), width: 104, cell: (row) => <span title={row.name}>{row.name}</span> },
  { key: 'state', title: t('status'), width: 92, cell: (row) => <StateOf sign={TOKEN[row.state]} /> },
  {
    key: 'expiresAt',
    title: t('expires'),
    width: 98,
    cell: (row) => <span title={dateTime(row.expiresAt)}>{localDay(row.expiresAt)}</span>,
  },
  {
    key: 'revoke',
    title: t('revoke'),
    width: 92,
    cell: (row) =>
      row.state === 'live' && revoke ? (
        <Button size="small" danger aria-label={t('revokeTitle', { name: row.name })} onClick={() => revoke(row)}>
          {t('revoke')}
        </Button>
      ) : null,
  },
  {
    key: 'lastUsed',
    title: t('lastUsed'),
    width: 152,
    cell: (row) => <span title={row.lastUsedIp ?? undefined}>{row.lastUsedAt === null ? t('never') : dateTime(row.lastUsedAt)}</span>,
  },
  { key: 'createdBy', title: t('createdBy'), width: 120, cell: (row) => row.createdByName ?? '—' },
  {
    key: 'addresses',
    title: t('addresses'),
    width: 160,
    mono: true,
    cell: (row) => <span title={row.addressRanges.join(', ')}>{row.addressRanges.join(', ') || t('everywhere')}</span>,
  },
];

interface RevokeProps {
  id: string;
  token: ProgramToken;
  onDone: () => void;
  onClose: () => void;
}

function Revoke({ id, token, onDone, onClose }: RevokeProps) {
  const t = useMessages(programTexts);
  const revoke = useApiMutation(programs.revokeToken, { success: onDone });
  return (
    <DangerDialog
      title={t('revokeTitle', { name: token.name })}
      effect={t('revokeEffect')}
      action={t('revokeToken')}
      busy={revoke.isPending}
      failure={revoke.error ? failureText(revoke.error) : undefined}
      onConfirm={() => revoke.mutate({ params: { id, tokenId: token.id } })}
      onClose={onClose}
    />
  );
}

/** Details of a service account: access, and its tokens. */
export function ProgramPane({ id, rows, select, buttonsOf, reload }: PaneProps<ProgramRow>) {
  const t = useMessages(programTexts);
  const say = useSay();
  const may = useMay();
  const [revoked, setRevoked] = useState<ProgramToken>();
  const query = useApiQuery(programs.get, { params: { id } });
  const close = () => setRevoked(undefined);
  const done = () => {
    close();
    void query.refetch();
    reload();
  };
  return (
    <SidePane label={t('detail', { name: query.data?.username ?? '' })}>
      <PanelState query={query} lines={10}>
        {(account) => (
          <>
            <PaneHead
              icon={<Bot size={20} aria-hidden="true" />}
              title={account.username}
              place={account.name}
              state={
                <>
                  <StateOf tag sign={signOfProgram(account, query.dataUpdatedAt)} />
                  <span>{account.lockReason}</span>
                </>
              }
              {...stepsOf(rows, id, select)}
            />
            <PaneActions>{buttonsOf(account)}</PaneActions>
            <PaneSection title={t('properties')}>
              <Properties
                items={[
                  { label: t('role'), value: account.roles.map((role) => say(roleName(role))).join(', ') },
                  {
                    label: t('mayOrder'),
                    value: account.mayOrder.map((danger) => say(PROGRAM_DANGER_TEXT[danger])).join(', ') || t('nothing'),
                  },
                  { label: t('lastUsed'), value: account.lastUsedAt === null ? t('never') : dateTime(account.lastUsedAt) },
                  { label: t('created'), value: dateTime(account.createdAt) },
                ]}
              />
            </PaneSection>
            <PaneSection title={t('tokens')} note={String(account.tokens.length)}>
              <div className={styles['sessions']}>
                <DataTable
                  label={t('tokens')}
                  columns={tokenColumns(t, may(programs.revokeToken) ? setRevoked : undefined)}
                  rows={account.tokens}
                  rowKey={(row) => row.id}
                  empty={<Empty small text={t('noTokens')} />}
                />
              </div>
            </PaneSection>
          </>
        )}
      </PanelState>
      {revoked === undefined ? null : <Revoke id={id} token={revoked} onDone={done} onClose={close} />}
    </SidePane>
  );
}
