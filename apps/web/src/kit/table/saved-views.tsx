import { Button, Input, Popover } from 'antd';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { tableTexts } from './table.messages.ts';
import type { TablePath } from './table-view.ts';
import { usePreference } from '#core/api/use-preference.ts';
import styles from './table-tools.module.css';

interface SavedView {
  name: string;
  /** Query string of the page: filters and order. */
  search: string;
}

const MAX_NAME = 40;
/** Page number and selected row are not part of a saved view. */
const PASSING = ['page', 'sel'];

export function viewOf(search: URLSearchParams): string {
  const kept = new URLSearchParams(search);
  for (const key of PASSING) kept.delete(key);
  kept.sort();
  return kept.toString();
}

/** Named filters and orders, stored with the user's account. */
export function SavedViews({ page }: { page: TablePath }) {
  const t = useMessages(tableTexts);
  const [search, setSearch] = useSearchParams();
  const [views = [], save] = usePreference<SavedView[]>(`views:${page}`);
  const [name, setName] = useState('');
  const [isOpen, setOpen] = useState(false);
  const current = viewOf(search);
  const add = () => {
    const wanted = name.trim();
    if (wanted === '') return;
    save([...views.filter((view) => view.name !== wanted), { name: wanted, search: current }]);
    setName('');
  };
  const open = (view: SavedView) => {
    setSearch(new URLSearchParams(view.search));
    setOpen(false);
  };
  const content = (
    <div className={styles['views']} role="group" aria-label={t('views')}>
      {views.length === 0 ? <p>{t('noViews')}</p> : null}
      <ul>
        {views.map((view) => (
          <li key={view.name}>
            <Button type="link" size="small" aria-current={view.search === current} onClick={() => open(view)}>
              {view.name}
            </Button>
            <Button
              type="text"
              size="small"
              aria-label={t('forgetView', { name: view.name })}
              icon={<Trash2 size={13} aria-hidden="true" />}
              onClick={() => save(views.filter((each) => each !== view))}
            />
          </li>
        ))}
      </ul>
      <span>
        <Input
          size="small"
          maxLength={MAX_NAME}
          placeholder={t('viewName')}
          aria-label={t('viewName')}
          value={name}
          onChange={(event) => setName(event.target.value)}
          onPressEnter={add}
        />
        <Button size="small" disabled={name.trim() === ''} onClick={add}>
          {t('saveView')}
        </Button>
      </span>
    </div>
  );
  return (
    <Popover trigger="click" placement="bottomRight" open={isOpen} onOpenChange={setOpen} content={content}>
      <Button icon={<Bookmark size={14} aria-hidden="true" />} aria-label={t('views')} title={t('views')} />
    </Popover>
  );
}
