import { connecting, type Demonstration } from '@hes/contract/asset/connecting.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { Button } from 'antd';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { words } from '#core/i18n/words.messages.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { texts } from './messages.ts';
import styles from './connect.module.css';

const LONGEST_REASON = 128;

/** The size of the demonstration, and its removal. */
export function DemonstrationPanel({ demonstration, onChanged }: { demonstration: Demonstration; onChanged: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [isAsking, ask] = useState(false);
  const remove = useApiMutation(connecting.removeDemonstration, {
    success: () => {
      ask(false);
      onChanged();
    },
  });
  const { dcus, meters, state } = demonstration;
  return (
    <Panel
      title={t('demonstration')}
      extra={
        may(connecting.removeDemonstration) ? (
          <Button danger loading={state === 'removing'} icon={<Trash2 size={15} aria-hidden="true" />} onClick={() => ask(true)}>
            {t('removeDemonstration')}
          </Button>
        ) : null
      }
    >
      <p className={styles['hint']} role="status">
        {state === 'removing' ? t('removing') : t('demonstrationHint', { dcus, meters })}
      </p>
      {state === 'failed' ? <p role="alert">{t('removalFailed')}</p> : null}
      {isAsking ? (
        <DangerDialog
          title={t('removeDemonstration')}
          effect={t('removeEffect')}
          action={t('removeDemonstration')}
          reason={{ label: say(words.reason), max: LONGEST_REASON, missing: say(RULES.reason) }}
          busy={remove.isPending}
          failure={remove.error?.message}
          onConfirm={(reason) => remove.mutate({ body: { reason } })}
          onClose={() => ask(false)}
        />
      ) : null}
    </Panel>
  );
}
