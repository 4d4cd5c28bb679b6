import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Button, Segmented } from 'antd';
import { useSearchParams } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { Empty } from '#kit/basics/states.tsx';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { AcknowledgeDialog } from './acknowledge-dialog.tsx';
import { channelList } from './channel-list.tsx';
import { logList } from './log-list.tsx';
import { texts } from './messages.ts';
import { recipientList } from './recipient-list.tsx';
import { ruleList } from './rule-list.tsx';

const DEFAULTS = { tab: 'log' } as const;

/** The filters of one list are not those of another. */
function Tabs({ tab }: { tab: string }) {
  const t = useMessages(texts);
  const [, setSearch] = useSearchParams();
  return (
    <Segmented
      aria-label={t('parts')}
      value={tab}
      options={[
        { value: 'log', label: t('log') },
        { value: 'rules', label: t('rules') },
        { value: 'channels', label: t('channels') },
        { value: 'recipients', label: t('recipients') },
      ]}
      onChange={(next) => setSearch({ tab: next })}
    />
  );
}

/** The parts that an alarm needs, in the order in which they are added. */
const FIRST_STEPS = ['recipients', 'channels', 'rules'] as const;

/** Without any alarm, the page leads to what is needed for one. */
function NoAlarms() {
  const t = useMessages(texts);
  const [, setSearch] = useSearchParams();
  return (
    <Empty
      text={t('noAlarms')}
      hint={t('noAlarmsHint')}
      action={
        <span>
          {FIRST_STEPS.map((step, at) => (
            <Button key={step} type="link" onClick={() => setSearch({ tab: step })}>
              {`${at + 1}. ${t(step)}`}
            </Button>
          ))}
        </span>
      }
    />
  );
}

function List({ tab }: { tab: string }) {
  const head = () => <Tabs tab={tab} />;
  // The keys keep the state of one list from the others.
  if (tab === 'rules') return <ListScreen key="rules" list={ruleList} head={head} />;
  if (tab === 'channels') return <ListScreen key="channels" list={channelList} head={head} />;
  if (tab === 'recipients') return <ListScreen key="recipients" list={recipientList} head={head} />;
  return <ListScreen key="log" list={logList} head={head} empty={({ isFiltered }) => (isFiltered ? undefined : <NoAlarms />)} />;
}

/** Alarms with their messages, the rules that open them, and the ways to their recipients. */
export default function Alarms() {
  const [{ tab, ack }, setUrl] = useUrl(PAGE_WORDS.alarms, DEFAULTS);
  return (
    <>
      <List tab={tab} />
      {ack === undefined ? null : <AcknowledgeDialog link={ack} onClose={() => setUrl({ ack: undefined })} />}
    </>
  );
}
