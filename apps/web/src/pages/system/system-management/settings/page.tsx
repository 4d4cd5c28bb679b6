import { setting, type SettingRow } from '@hes/contract/manager/setting.ts';
import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { Menu } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { ListPage } from '#kit/page/list-page.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { messages } from './messages.ts';
import { cardId, SettingCard } from './setting-card.tsx';
import styles from './settings.module.css';

const texts = { ...common, ...messages };

/** Moves the focus with the view, so that Tab continues in the card that was chosen. */
function showCard(key: SettingRow['key']): void {
  const card = document.getElementById(cardId(key));
  card?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  card?.focus({ preventScroll: true });
}

function Index({ rows }: { rows: readonly SettingRow[] }) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <nav className={styles['index']} aria-label={t('index')}>
      <ul>
        {rows.map(({ key, isDefault }) => (
          <li key={key}>
            <button type="button" onClick={() => showCard(key)}>
              <span>{say(SETTINGS[key].text)}</span>
              {isDefault ? null : <small>{t('changed')}</small>}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export default function Settings() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const list = useApiQuery(setting.list);
  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <Button icon={<Menu size={15} aria-hidden="true" />} onClick={() => void navigate(to.modules())}>
          {t('modules')}
        </Button>
      }
    >
      <PanelState query={list} lines={12}>
        {(data) => (
          <div className={styles['page']}>
            <Index rows={data.items} />
            <div className={styles['cards']}>
              {data.items.map((row) => (
                <SettingCard key={row.key} row={row} />
              ))}
            </div>
          </div>
        )}
      </PanelState>
    </ListPage>
  );
}
