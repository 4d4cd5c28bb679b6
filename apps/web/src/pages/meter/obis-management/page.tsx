import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Segmented } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListPage } from '#kit/page/list-page.tsx';
import { useUrl } from '#core/url/use-url.ts';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { Categories } from './categories.tsx';
import { obisList } from './list.tsx';
import { texts } from './messages.ts';
import { TemplatesView } from './templates-view.tsx';

const DEFAULTS = { tab: 'objects' } as const;

/** The dictionary of COSEM objects, and the templates of meter models. */
export default function ObisManagement() {
  const t = useMessages(texts);
  const [{ tab, template }, setUrl] = useUrl(PAGE_WORDS.obis, DEFAULTS);
  const tabs = (
    <Segmented<typeof tab>
      aria-label={t('title')}
      value={tab}
      options={[
        { value: 'objects', label: t('objects') },
        { value: 'templates', label: t('templates') },
      ]}
      onChange={(next) => setUrl({ tab: next, sel: undefined })}
    />
  );
  if (tab === 'templates')
    return (
      <ListPage title={t('title')} purpose={t('purpose')} actions={tabs}>
        <TemplatesView selected={template} onSelect={(next) => setUrl({ template: next })} />
      </ListPage>
    );
  return (
    <ListScreen
      list={obisList}
      head={() => tabs}
      above={({ query, url, filterBy }) => (
        <Categories counts={query.data?.categories} selected={url['category']} onSelect={(category) => filterBy({ category })} />
      )}
    />
  );
}
