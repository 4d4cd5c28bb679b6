import { deviceSn } from '@hes/contract/text/device-name.ts';
import { AUTHENTICATION_TEXT } from '@hes/contract/text/type-text.ts';
import type { LinkResult, ReadValue, TaskStep } from '@hes/contract/orders/results.ts';
import { isOver, task, type TaskItemRow } from '@hes/contract/task/task.ts';
import { runItemStateOf } from '@hes/contract/task/words.ts';
import { Button, Drawer } from 'antd';
import { useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useChangingRun } from '#domain/live/changed-by-run.ts';
import { useTopic } from '#core/live/live.ts';
import { dateTime } from '#core/time/format.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { Num, Properties, Sn, type Property } from '#kit/basics/text.tsx';
import { Frames } from '#domain/frames/frames.tsx';
import { shownOf } from '#domain/read-values/value-columns.ts';
import { outcomeParts } from '#domain/live-run/outcome.ts';
import { RunActions } from '#domain/live-run/run-actions.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { itemSign, TASK } from '#domain/states/tables.ts';
import { texts as runTexts } from '#domain/live-run/texts.ts';
import { messages } from './messages.ts';
import { reasonOf } from './reason.ts';
import styles from './device-run.module.css';

const SIZE = 620;
const RUN_POLL_MS = 5000;
const ITEMS_POLL_MS = 2000;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** The text for the reason code of a device; an unknown code is shown unchanged. */
export function useReason(): (code: string | null, text?: string | null) => string | undefined {
  const say = useSay();
  return (code, text) => reasonOf(say, code, text);
}

const isStep = (key: string): key is keyof typeof messages => Object.hasOwn(messages, key);

function Steps({ steps, hasEnded }: { steps: TaskStep[]; hasEnded: boolean }) {
  const t = useMessages(messages);
  const say = useSay();
  const reason = useReason();
  return (
    <ol className={styles['steps']} aria-label={t('steps')}>
      {steps.map((step, at) => (
        <li key={`${step.key} ${at}`} data-ok={step.ok}>
          <Glyph shape={step.ok ? 'tick' : 'cross'} tone={step.ok ? 'ok' : 'red'} size={16} />
          <span>{isStep(step.key) ? say(messages[step.key]) : step.key}</span>
          <small>{reason(step.reasonCode, step.detail) ?? step.detail}</small>
          <span className={styles['ms']}>{t('tookMs', { ms: step.ms })}</span>
        </li>
      ))}
      {hasEnded ? null : (
        <li>
          <Glyph shape="arc" tone="run" size={16} spin />
          <span className={styles['dim']}>…</span>
        </li>
      )}
    </ol>
  );
}

/** The parameters of an association as the device granted them. */
function Link({ link }: { link: LinkResult }) {
  const t = useMessages(messages);
  const say = useSay();
  const { authenticationType, suite, conformance, maxPduSize, systemTitle } = link;
  return (
    <section aria-label={t('negotiated')}>
      <h3>{t('negotiated')}</h3>
      <Properties
        items={[
          { label: t('mechanism'), value: say(AUTHENTICATION_TEXT[authenticationType]) },
          { label: t('ciphering'), value: t(suite === null ? 'unprotected' : 'protected') },
          { label: t('suite'), value: suite === null ? null : String(suite) },
          { label: t('pduSize'), value: t('octets', { count: maxPduSize }) },
          { label: t('systemTitle'), value: systemTitle === null ? null : <span className="mono">{systemTitle}</span> },
          { label: t('conformance'), wide: true, value: <span className="mono">{conformance.join(', ')}</span> },
        ]}
      />
    </section>
  );
}

/** The frames of a step, loaded on request. */
function Bytes({ traceId }: { traceId: string }) {
  const t = useMessages(messages);
  const [isOpen, setOpen] = useState(false);
  return (
    <section>
      <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t('frames')}
      </Button>
      {isOpen ? <Frames traceId={traceId} /> : null}
    </section>
  );
}

type WordOf = (key: string, value: string | number) => string | undefined;

/** The value from a device; timestamps are shown in the utility's zone. */
const shownValue = (value: string | number | null): string | number =>
  typeof value === 'string' && INSTANT.test(value) ? dateTime(value) : (value ?? '—');

/** Numbers in the unit that tables show, such as kWh; coded values and texts in words. */
function ValueText({ value, wordOf }: { value: ReadValue; wordOf: WordOf }) {
  const word = value.value === null ? undefined : wordOf(value.item, value.value);
  const shown = word === undefined && value.scaler !== null ? shownOf(value) : undefined;
  return (
    <span data-value={value.value ?? ''} title={value.obis}>
      {shown ? <Num value={shown.value} decimals={shown.decimals} unit={shown.unit} /> : `${word ?? shownValue(value.value)} ${value.unit}`}
    </span>
  );
}

/** Longer values, such as server addresses, get a full line: in half a line they would break at any character. */
const LONG = 18;
const isLong = (value: string | number | null): boolean => typeof value === 'string' && value.length >= LONG && !INSTANT.test(value);

/** The steps of one device, the values it returned, and its frames. */
function Item({ item, nameOf, wordOf, about }: { item: TaskItemRow } & Required<Pick<DeviceRunProps, 'nameOf' | 'wordOf' | 'about'>>) {
  const t = useMessages(messages);
  const reason = useReason();
  const hasEnded = isOver(item);
  const { steps, values, counts } = item.result ?? {};
  const properties = [
    ...(item.result ? about(item.result) : []),
    ...Object.entries(counts ?? {}).map(([key, value]) => ({ label: nameOf(key), value })),
  ];
  return (
    <div className={styles['item']}>
      {item.state === 'waiting' ? <p className={styles['dim']}>{t('inQueue')}</p> : null}
      {item.reasonCode ? <p role="alert">{reason(item.reasonCode, item.reasonText)}</p> : null}
      {steps || item.state === 'reading' ? <Steps steps={steps ?? []} hasEnded={hasEnded} /> : null}
      {values && values.length > 0 ? (
        <section>
          <h3>{t('values')}</h3>
          <Properties
            items={values.map((value) => ({
              label: nameOf(value.item),
              wide: isLong(value.value),
              value:
                value.reasonCode === null ? (
                  <ValueText value={value} wordOf={wordOf} />
                ) : (
                  <span className={styles['refused']}>{reason(value.reasonCode)}</span>
                ),
            }))}
          />
        </section>
      ) : null}
      {item.result?.link ? <Link link={item.result.link} /> : null}
      {properties.length > 0 ? <Properties items={properties} /> : null}
      {hasEnded && item.traceId ? <Bytes traceId={item.traceId} /> : null}
    </div>
  );
}

interface DeviceResultsProps {
  taskId: string;
  /** Labels of the values that the devices return. */
  nameOf?: (key: string) => string;
  /** Texts for coded values, such as mode numbers; undefined: the value is shown unchanged. */
  wordOf?: WordOf;
  /** Further properties of a result, for kinds of orders that return more than values. */
  about?: (result: NonNullable<TaskItemRow['result']>) => Property[];
}

/** Follows an order to one or several devices live: the steps, values and frames of each. */
export function DeviceResults({ taskId, nameOf = (key) => key, wordOf = () => undefined, about = () => [] }: DeviceResultsProps) {
  useTopic(`task:${taskId}`);
  const [open, setOpen] = useState<string>();
  const run = useApiQuery(task.get, { params: { id: taskId }, refetchMs: RUN_POLL_MS });
  useChangingRun(run.data?.kind);
  const items = useApiQuery(task.items, {
    params: { id: taskId },
    // The end of the run may be announced before the last states of its devices: poll until all items have ended.
    refetchMs: (page) => (page?.items.every(isOver) ? false : ITEMS_POLL_MS),
  });
  return (
    <PanelState query={items} lines={6}>
      {(page) => {
        const shown = page.items.toSorted((a, b) => (a.dcuSn ?? '').localeCompare(b.dcuSn ?? ''));
        const only = shown.length === 1;
        return (
          <ul className={styles['list']} aria-live="polite">
            {shown.map((item) => {
              const isOpen = only || open === item.id;
              return (
                <li key={item.id} data-state={item.state}>
                  <button type="button" aria-expanded={isOpen} disabled={only} onClick={() => setOpen(isOpen ? undefined : item.id)}>
                    <Sn sn={deviceSn(item)} />
                    <span className={styles['dim']}>{item.transformerName}</span>
                    {run.data ? <StateOf tag sign={itemSign(run.data, runItemStateOf(item))} /> : null}
                  </button>
                  {isOpen ? <Item item={item} nameOf={nameOf} wordOf={wordOf} about={about} /> : null}
                </li>
              );
            })}
          </ul>
        );
      }}
    </PanelState>
  );
}

interface DeviceRunProps extends DeviceResultsProps {
  title: string;
  onClose: () => void;
}

/** The results of an order in a drawer. Closing it does not stop the order. */
export function DeviceRun({ title, onClose, ...results }: DeviceRunProps) {
  const { taskId } = results;
  const runWords = useMessages(runTexts);
  const run = useApiQuery(task.get, { params: { id: taskId }, refetchMs: RUN_POLL_MS });
  return (
    <Drawer
      open
      size={SIZE}
      title={title}
      extra={
        <div className={styles['extra']}>
          <span className={styles['dim']}>
            #{taskId} · {run.data ? `${outcomeParts(runWords, run.data).join(' · ')} · ${dateTime(run.data.createdAt)}` : null}
          </span>
          {run.data?.state === 'paused' ? <StateOf tag sign={TASK.paused} /> : null}
          {run.data ? <RunActions run={run.data} failed={run.data.failed} unknown={run.data.unknown} /> : null}
        </div>
      }
      onClose={onClose}
    >
      <DeviceResults {...results} />
    </Drawer>
  );
}
