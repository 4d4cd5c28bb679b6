import { role as roles } from '@hes/contract/manager/role.ts';
import { App, Button } from 'antd';
import { Download } from 'lucide-react';
import { failureText } from '#core/api/errors.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { downloadCsv } from '#core/files/download-csv.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { roleMatrix } from './export-matrix.ts';
import { roleList } from './list.tsx';
import { texts } from './texts.ts';

function MatrixButton({ list: { tools, filter, url } }: { list: ListState<typeof roles.list> }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  if (!tools.may(roles.permission)) return null;
  const save = async () => {
    try {
      downloadCsv('roles', await roleMatrix(t, tools.say, { ...filter, sort: url['sort'] }));
    } catch (error) {
      void message.error(failureText(error), 0);
    }
  };
  return (
    <Button icon={<Download size={15} aria-hidden="true" />} onClick={() => void save()}>
      {t('matrixCsv')}
    </Button>
  );
}

export default function RoleManagement() {
  return <ListScreen list={roleList} head={(list) => <MatrixButton list={list} />} />;
}
