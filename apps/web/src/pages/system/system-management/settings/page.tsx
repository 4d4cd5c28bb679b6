import { setting } from '@hes/contract/manager/setting.ts';
import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { Menu } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListPage } from '#kit/page/list-page.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { messages } from './messages.ts';
import { SettingCard } from './setting-card.tsx';
import styles from './settings.module.css';

const texts = { ...common, ...messages };

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
      <div className={styles['cards']}>
        <PanelState query={list} lines={12}>
          {(data) => data.items.map((row) => <SettingCard key={row.key} row={row} />)}
        </PanelState>
      </div>
    </ListPage>
  );
}
