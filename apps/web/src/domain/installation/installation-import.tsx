import { archive } from '@hes/contract/asset/archive.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { to } from '@hes/contract/page/links.ts';
import { installationImport as routes } from '@hes/contract/transfer/devices.ts';
import { App, Button } from 'antd';
import { SendHorizontal } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { AfterImport } from '#kit/import-drawer/import-drawer.tsx';
import type { ListImport } from '#kit/list/list-declaration.ts';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { messages } from './messages.ts';

/** Writes the imported meters to their DCU, and leads to its archive. A list of several DCUs leads to all archives. */
function DispatchNext({ result, onClose }: AfterImport) {
  const t = useMessages(messages);
  const may = useMay();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const sns = [...new Set(result.rows.flatMap(({ verdict, cells }) => (verdict === 'error' ? [] : [cells['dcuSn']?.toUpperCase() ?? ''])))];
  const [sn = ''] = sns;
  const found = useApiQuery(dcu.list, { query: { search: sn, size: 1 }, enabled: sns.length === 1 });
  const row = found.data?.items.find((one) => one.sn === sn);
  const dispatch = useApiMutation(archive.dispatch, {
    success: ({ taskId }) => {
      onClose();
      void navigate(to.archives({ dcuId: row?.id, task: taskId }));
    },
    failure: (error) => void message.error(error.message, 0),
  });
  if (!may(archive.dispatch)) return null;
  if (row === undefined) return <LinkButton to={to.archives({})}>{t('openArchives')}</LinkButton>;
  return (
    <Button
      type="primary"
      icon={<SendHorizontal size={14} aria-hidden="true" />}
      loading={dispatch.isPending}
      onClick={() => dispatch.mutate({ body: { dcuId: row.id, all: true } })}
    >
      {t('dispatch', { sn })}
    </Button>
  );
}

/** The import of delivered meters with their DCU and keys. */
export const installationList: ListImport = { routes, what: messages.list, hint: messages.hint, Next: DispatchNext };
