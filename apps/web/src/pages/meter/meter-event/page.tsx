import { Segmented } from 'antd';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useUrl } from '#core/url/use-url.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { CatalogueButton } from './catalogue.tsx';
import { eventList } from './event-list.tsx';
import { incidentList } from './incident-list.tsx';
import { MutesButton } from './mutes-drawer.tsx';
import { Pareto } from './pareto.tsx';
import { texts } from './texts.ts';

const VIEWS = ['list', 'byCause', 'pareto'] as const;
const DEFAULTS = { view: 'list' } as const;
/** A row and an order of one view mean nothing in another. */
const OF_VIEW = { sel: undefined, page: undefined, sort: undefined };

/** Events as a list, grouped by cause, or counted by code. The filters are those of all views. */
export default function MeterEventPage() {
  const t = useMessages(texts);
  const [{ view }, setUrl] = useUrl(PAGE_WORDS.events, DEFAULTS);
  const head = () => (
    <>
      <Segmented
        aria-label={t('view')}
        value={view}
        options={VIEWS.map((value) => ({ value, label: t(value) }))}
        onChange={(next) => setUrl({ ...OF_VIEW, view: next })}
      />
      <MutesButton />
      <CatalogueButton />
    </>
  );
  if (view === 'byCause') return <ListScreen list={incidentList} head={head} />;
  return <ListScreen list={eventList} head={head} instead={(list) => (view === 'pareto' ? <Pareto list={list} /> : undefined)} />;
}
