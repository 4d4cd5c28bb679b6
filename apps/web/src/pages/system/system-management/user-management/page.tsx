import { PAGE_WORDS, to } from '@hes/contract/page/links.ts';
import { Button, Segmented } from 'antd';
import { ScrollText } from 'lucide-react';
import { useNavigate, useSearchParams } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { userList } from './list.tsx';
import { programList } from './program-list.tsx';
import { programTexts } from './program.messages.ts';
import { texts } from './texts.ts';

const DEFAULTS = { tab: 'people' } as const;

function AuditLogButton() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  return (
    <Button icon={<ScrollText size={15} aria-hidden="true" />} onClick={() => void navigate(to.audit())}>
      {t('auditLog')}
    </Button>
  );
}

/** The filters of one list are not those of the other. */
function Tabs({ tab }: { tab: string | undefined }) {
  const t = useMessages(programTexts);
  const [, setSearch] = useSearchParams();
  return (
    <Segmented
      aria-label={t('kinds')}
      value={tab}
      options={[
        { value: 'people', label: t('people') },
        { value: 'programs', label: t('programs') },
      ]}
      onChange={(next) => setSearch({ tab: next })}
    />
  );
}

export default function UserManagement() {
  const [{ tab }] = useUrl(PAGE_WORDS.users, DEFAULTS);
  const head = () => (
    <>
      <Tabs tab={tab} />
      <AuditLogButton />
    </>
  );
  // The keys keep the state of one list from the other.
  if (tab === 'programs') return <ListScreen key="programs" list={programList} head={head} />;
  return <ListScreen key="people" list={userList} head={head} />;
}
