import type { loss } from '@hes/contract/analysis/loss.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Figures, Num } from '#kit/basics/text.tsx';
import { ListScreen } from '#kit/list/list-screen.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { lossList } from './list.tsx';
import { texts } from './messages.ts';
import styles from './loss.module.css';

/** The period, and the energy of all transformers that match. */
function Total({ list }: { list: ListState<typeof loss.list> }) {
  const t = useMessages(texts);
  const { data } = list.query;
  if (data === undefined) return null;
  const { supply, sold, missing, loss: lost } = data.sum;
  const lossPercent = lost === null || supply === null || supply <= 0 ? null : (100 * lost) / supply;
  return (
    <Panel className={styles['total']} label={t('total')}>
      <Figures
        items={[
          { label: t('dateRange'), value: `${data.from} – ${data.to}` },
          { label: t('supply'), value: <Num value={supply} decimals={1} unit="kWh" /> },
          { label: t('sold'), value: <Num value={sold} decimals={1} unit="kWh" /> },
          { label: t('missing'), value: <Num value={missing} decimals={1} unit="kWh" /> },
          { label: t('loss'), value: <Num value={lost} decimals={1} unit="kWh" /> },
          { label: t('lossPercent'), value: <Num value={lossPercent} decimals={2} unit="%" strong /> },
        ]}
      />
    </Panel>
  );
}

export default function LineLossPage() {
  return <ListScreen list={lossList} before={(list) => <Total list={list} />} />;
}
