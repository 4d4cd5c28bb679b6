import { useUrl } from '#core/url/use-url.ts';
import { UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { firmware } from '@hes/contract/upgrade/firmware.ts';
import { namesTargets, upgradeJob, upgradeOrder, usualRings } from '@hes/contract/upgrade/job.ts';
import { PAGE_WORDS, to } from '@hes/contract/page/links.ts';
import { App, Button } from 'antd';
import { Check } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { ListPage } from '#kit/page/list-page.tsx';
import { usePageDraft } from '#kit/form/drafts.ts';
import { figure } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { EMPTY_DRAFT, orderOf, selectionOf, type Draft } from './draft.ts';
import { texts } from './messages.ts';
import { FirmwareStep } from './step-firmware.tsx';
import { RolloutStep } from './step-rollout.tsx';
import { StartStep } from './step-start.tsx';
import { TargetsStep } from './step-targets.tsx';
import { usePreflight } from './use-preflight.ts';
import styles from './upgrade.module.css';

const STEPS = ['stepFirmware', 'stepTargets', 'stepRollout', 'stepStart'] as const;
const LAST = STEPS.length - 1;

/** The wizard from a firmware to a running upgrade: one decision per step, previous steps stay visible. */
export function NewUpgrade() {
  const t = useMessages(texts);
  const say = useSay();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const [url, setUrl] = useUrl(PAGE_WORDS.upgrades);
  const [draft = EMPTY_DRAFT, setDraft] = usePageDraft<Draft>({ record: 'upgrade/new', title: t('newUpgrade') });
  const [step, setStep] = useState(url.firmware === undefined ? 0 : 1);
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(JSON.stringify(next) === JSON.stringify(EMPTY_DRAFT) ? undefined : next);
  };
  const chosen = useApiQuery(firmware.get, { params: { id: url.firmware ?? '0' }, enabled: url.firmware !== undefined });
  const selection = useMemo(() => selectionOf(draft, chosen.data?.types ?? []), [draft, chosen.data]);
  const report = usePreflight(step > 0 ? chosen.data?.id : undefined, selection, draft.rings);
  const start = useApiMutation(upgradeJob.create, {
    success: ({ jobId }) => {
      setDraft(undefined);
      void message.success(t('startedNow'));
      void navigate(to.upgradeRecords({ jobId }));
    },
  });
  const isNamed = namesTargets(selection);
  const found = isNamed ? report.data : undefined;
  const going = found === undefined ? 0 : found.ready + found.warned;
  const rings = draft.rings ?? usualRings(going);
  const row = chosen.data;
  const summaries = [
    row ? `${row.name} ${row.version} · ${say(UPGRADE_TARGET_TEXT[row.targetKind])}` : '',
    step > 0 && found ? t('targetsOf', { count: figure(found.total) }) : '',
    step > 1 ? rings.map((ring) => `${ring.size}${ring.unit === 'percent' ? ' %' : ''}`).join(' → ') : '',
    '',
  ];
  // The missing input of each step, in the words of the specification.
  const missing =
    row === undefined
      ? t('chooseFirmware')
      : step === 0
        ? undefined
        : !isNamed
          ? t('nameTargets')
          : found !== undefined && found.total === 0
            ? t('noTargets')
            : step === LAST && (found?.refused ?? 0) > 0 && !draft.leaveOutRefused
              ? t('selectValid')
              : undefined;
  const mayReach = (at: number) => at === 0 || (row !== undefined && (at === 1 || (found?.total ?? 0) > 0));
  const order = row === undefined ? undefined : orderOf(draft, row);
  const isComplete = order !== undefined && upgradeOrder.safeParse(order).success;

  return (
    <ListPage title={t('newUpgrade')} purpose={t('purpose')}>
      <div className={styles['wizard']}>
        <Panel flush label={t('newUpgrade')}>
          <nav className={styles['steps']} aria-label={t('newUpgrade')}>
            {STEPS.map((name, at) => (
              <button
                key={name}
                type="button"
                aria-current={at === step ? 'step' : undefined}
                data-done={at < step}
                disabled={!mayReach(at)}
                onClick={() => setStep(at)}
              >
                <b>{at < step ? <Check size={14} aria-hidden="true" /> : at + 1}</b>
                <strong>{t(name)}</strong>
                <small>{summaries[at]}</small>
              </button>
            ))}
          </nav>
        </Panel>
        <Panel title={t(STEPS[step] ?? 'stepStart')}>
          <div className={styles['step']}>
            {step === 0 ? <FirmwareStep selected={url.firmware} onSelect={(id) => setUrl({ firmware: id })} /> : null}
            {step === 1 && row ? (
              <TargetsStep firmware={row} draft={draft} report={isNamed ? report : undefined} onChange={change} />
            ) : null}
            {step === 2 ? <RolloutStep draft={draft} rings={rings} report={found} onChange={change} /> : null}
            {step === LAST && row ? <StartStep draft={draft} report={report} failure={start.error?.message} onChange={change} /> : null}
          </div>
          <div className={styles['actions']}>
            <span role="status">{missing}</span>
            {step > 0 ? <Button onClick={() => setStep(step - 1)}>{t('back')}</Button> : null}
            {step < LAST ? (
              <Button type="primary" disabled={missing !== undefined || !mayReach(step + 1)} onClick={() => setStep(step + 1)}>
                {t('nextStep')}
              </Button>
            ) : (
              <Button
                type="primary"
                // The report shown belongs to the previous selection.
                loading={start.isPending || report.isPlaceholderData}
                disabled={missing !== undefined || !isComplete || going === 0}
                onClick={() => order && start.mutate({ body: order })}
              >
                {t('startNow', { count: figure(going) })}
              </Button>
            )}
          </div>
        </Panel>
      </div>
    </ListPage>
  );
}
