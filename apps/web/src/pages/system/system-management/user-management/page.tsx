import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { ScrollText } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { userList } from './list.tsx';
import { texts } from './texts.ts';

function AuditLogButton() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  return (
    <Button icon={<ScrollText size={15} aria-hidden="true" />} onClick={() => void navigate(to.audit())}>
      {t('auditLog')}
    </Button>
  );
}

export default function UserManagement() {
  return <ListScreen list={userList} head={() => <AuditLogButton />} />;
}
