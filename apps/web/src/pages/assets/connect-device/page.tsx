import { connecting } from '@hes/contract/asset/connecting.ts';
import { plan } from '@hes/contract/reading/plan.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import type { ConnectStep } from '@hes/contract/states/connecting.ts';
import { Button } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { Failure } from '#kit/basics/states.tsx';
import { ListPage } from '#kit/page/list-page.tsx';
import { Choose } from './choose.tsx';
import { texts } from './messages.ts';
import { StepRail } from './rail.tsx';
import { StepPanel } from './step-panel.tsx';
import { currentStep, stepStates } from './steps.ts';
import styles from './connect.module.css';

/** Fallback poll for changes that no live message announces, such as a connection. */
const POLL_MS = 2000;

/** Guides an operator from nothing to the first value of a device. Everything that it shows is derived from the device, so it can be left. */
export default function ConnectDevice() {
  const t = useMessages(texts);
  const may = useMay();
  const [url, setUrl] = useUrl(PAGE_WORDS.connect);
  const { kind, id } = url;
  const query = useApiQuery(connecting.progress, {
    params: { id: id ?? '' },
    query: { kind },
    enabled: kind !== undefined && id !== undefined,
    refetchMs: POLL_MS,
  });
  const plans = useApiQuery(plan.list, { query: { enabled: 'true', size: 100 }, enabled: may(plan.list) });
  const progress = id === undefined ? undefined : query.data;
  // A plan for all meters collects each one in service; narrower plans are shown by their own page.
  const isCollected = plans.data?.items.some((row) => row.targetKind === 'all') === true && (progress?.active ?? 0) > 0;
  const states = kind === undefined ? undefined : stepStates(kind, progress, isCollected);
  const step: ConnectStep | undefined = url.step ?? (states && currentStep(states));
  const again = (
    <Button onClick={() => setUrl({ kind: undefined, id: undefined, step: undefined, sn: undefined, title: undefined })}>
      {t('another')}
    </Button>
  );
  return (
    <ListPage title={t('title')} purpose={t('purpose')} actions={kind === undefined ? null : again}>
      {kind === undefined || states === undefined || step === undefined ? (
        <Choose onOpen={setUrl} />
      ) : query.isError ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <div className={styles['guide']}>
          <StepRail kind={kind} states={states} shown={step} progress={progress} onOpen={(next) => setUrl({ step: next })} />
          <StepPanel key={step} {...{ kind, step, progress, url, setUrl }} onChanged={() => void query.refetch()} />
        </div>
      )}
    </ListPage>
  );
}
