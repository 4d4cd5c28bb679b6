import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { Button } from 'antd';
import { ShieldCheck, Users } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { auditList } from './list.tsx';
import { texts } from './texts.ts';
import { Verification } from './verification.tsx';

const USERS = PAGE_PATH.users;

export default function AuditLog() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const list = useList(auditList);
  const [isVerifying, setVerifying] = useState(false);
  const head = (
    <>
      <Button icon={<Users size={15} aria-hidden="true" />} onClick={() => void navigate(USERS)}>
        {t('users')}
      </Button>
      <Button type="primary" icon={<ShieldCheck size={15} aria-hidden="true" />} onClick={() => setVerifying(true)}>
        {t('verify')}
      </Button>
    </>
  );
  return (
    <>
      <ListView list={list} head={() => head} />
      {isVerifying ? (
        <Verification
          onClose={() => setVerifying(false)}
          onShow={(id) => {
            setVerifying(false);
            // The list starts with the entry that breaks the chain.
            list.clearFilters({ before: String(BigInt(id) + 1n), sel: id });
          }}
        />
      ) : null}
    </>
  );
}
