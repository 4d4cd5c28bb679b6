import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { Download, SlidersHorizontal } from 'lucide-react';
import { useNavigate } from 'react-router';
import { downloadCsv } from '#core/files/download-csv.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { sheetOf } from '#kit/table/sheet.ts';
import { moduleList } from './list.tsx';
import { MenuFile } from './menu-file.tsx';
import { texts } from './texts.ts';
import styles from './module.module.css';

export default function ModuleManagement() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const list = useList(moduleList);
  const modules = list.query.data?.items ?? [];
  const groups = modules.filter(({ type }) => type === 'group').length;
  const exportShown = () => {
    const columns = list.view.columns.flatMap(({ title, ...column }) => (typeof title === 'string' ? [{ ...column, title }] : []));
    downloadCsv('modules', sheetOf(columns, list.rows, list.tools.locale));
  };
  return (
    <ListView
      list={list}
      head={() => (
        <>
          <Button icon={<SlidersHorizontal size={15} aria-hidden="true" />} onClick={() => void navigate(to.settings())}>
            {t('settings')}
          </Button>
          <Button icon={<Download size={15} aria-hidden="true" />} onClick={exportShown}>
            {t('exportCsv')}
          </Button>
          <MenuFile onChanged={list.reload} />
        </>
      )}
      filters={() => <span className={styles['hint']}>{t('count', { groups, pages: modules.length - groups })}</span>}
    />
  );
}
