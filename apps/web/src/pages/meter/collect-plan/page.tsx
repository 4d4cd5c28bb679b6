import { plan } from '@hes/contract/reading/plan.ts';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { planList } from './list.tsx';
import { texts } from './messages.ts';
import { READY_MADE, readyMade, type PlanDraft } from './plan-draft.ts';
import { PlanForm } from './plan-form.tsx';
import styles from './plan.module.css';

/** Plans to start from, while there is none. */
function ReadyMade({ onSaved }: { onSaved: () => void }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [start, setStart] = useState<PlanDraft>();
  const saved = () => {
    setStart(undefined);
    void message.success(t('saved'));
    onSaved();
  };
  return (
    <div className={styles['ready']}>
      <span>{t('readyMade')}</span>
      {READY_MADE.map((kind) => (
        <Button key={kind} onClick={() => setStart(readyMade(kind, t(kind)))}>
          {t(kind)}
        </Button>
      ))}
      {start ? <PlanForm row={undefined} start={start} onDone={saved} onClose={() => setStart(undefined)} /> : null}
    </div>
  );
}

export default function CollectPlan() {
  const list = useList(planList);
  const isEmpty = list.query.data?.total === 0 && !list.isFiltered;
  return (
    <ListView list={list} above={({ tools, reload }) => (isEmpty && tools.may(plan.create) ? <ReadyMade onSaved={reload} /> : null)} />
  );
}
