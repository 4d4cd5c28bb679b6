import { faultIn, judgeSchedule, type ScheduleVerdict } from '@hes/contract/schedule/check.ts';
import { SCHEDULE_FIELDS, type ScheduleField } from '@hes/contract/schedule/expression.ts';
import { settingsOf } from '@hes/contract/schedule/restore.ts';
import { defaultSettings, expressionOf, fieldsOf, type PlainUnit, type ScheduleSettings } from '@hes/contract/schedule/settings.ts';
import { Button, Modal } from 'antd';
import { CalendarClock } from 'lucide-react';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { localDay, serverNow, useServerTime } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { CopyButton } from '#kit/basics/text.tsx';
import { DayModes } from './day-modes.tsx';
import { messages } from './messages.ts';
import styles from './schedule-builder.module.css';
import { SchedulePreview } from './schedule-preview.tsx';
import { UnitModes } from './unit-modes.tsx';

const texts = { ...common, ...messages };
const WIDTH = 1120;
const TICK_MS = 30_000;

/** The tabs of the builder; day and weekday share one. */
type Tab = PlainUnit | 'day';
const tabOf = (field: ScheduleField): Tab => (field === 'weekday' ? 'day' : field);

interface ScheduleBuilderProps {
  /** The object that the schedule belongs to. */
  about: string;
  expression: string;
  /** The settings as saved; null: the schedule was created elsewhere. */
  settings: ScheduleSettings | null;
  onSave: (expression: string, settings: ScheduleSettings) => void;
  onClose: () => void;
}

function judge(settings: ScheduleSettings, now: number, timeZone: string): ScheduleVerdict {
  const expression = expressionOf(settings);
  const fault = faultIn(settings);
  return fault === undefined ? judgeSchedule(expression, now, timeZone, true) : { ok: false, ...fault, expression };
}

/** The schedule builder. Save returns expression and settings and closes; Close only closes. @spec seed §4 */
export function ScheduleBuilder({ about, expression, settings, onSave, onClose }: ScheduleBuilderProps) {
  const t = useMessages(texts);
  const timeZone = useServerTime((state) => state.timeZone);
  useNow(TICK_MS);
  const now = serverNow();
  const [draft, setDraft] = useState<ScheduleSettings>(() => {
    const thisYear = Number(localDay(serverNow()).slice(0, 4));
    return settings ?? settingsOf(expression, thisYear) ?? defaultSettings(thisYear);
  });
  const [tab, setTab] = useState<Tab>('minute');
  const minute = Math.floor(now / 60_000);
  const verdict = useMemo(() => judge(draft, minute * 60_000, timeZone), [draft, minute, timeZone]);
  const save = () => {
    onSave(verdict.expression, draft);
    onClose();
  };
  return (
    <Modal
      open
      centered
      width={WIDTH}
      className={styles['builder'] ?? ''}
      mask={{ closable: false }}
      title={
        <span className={styles['title']}>
          <CalendarClock size={18} aria-hidden="true" />
          {t('schedule')}
          <small>{about}</small>
        </span>
      }
      onCancel={onClose}
      footer={
        <div className={styles['footer']}>
          <span>{t('expression')}</span>
          <code className="mono" data-part="expression">
            {verdict.expression}
          </code>
          <CopyButton text={verdict.expression} />
          <span className={styles['space']} />
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" disabled={!verdict.ok} onClick={save}>
            {t('save')}
          </Button>
        </div>
      }
    >
      <Cells draft={draft} tab={tab} fault={verdict.ok ? undefined : verdict.field} onTab={setTab} />
      <div className={styles['body']}>
        <div className={styles['edit']} role="tabpanel" aria-label={t(tab)}>
          {tab === 'day' ? (
            <DayModes
              day={draft.day}
              week={draft.week}
              onChange={(change) =>
                setDraft((old) => ({ ...old, day: { ...old.day, ...change.day }, week: { ...old.week, ...change.week } }))
              }
            />
          ) : (
            <UnitModes
              key={tab}
              unit={tab}
              settings={draft[tab]}
              onChange={(change) => setDraft((old) => ({ ...old, [tab]: { ...old[tab], ...change } }))}
            />
          )}
        </div>
        <div className={styles['preview']}>
          <SchedulePreview verdict={verdict} now={minute * 60_000} />
        </div>
      </div>
    </Modal>
  );
}

interface CellsProps {
  draft: ScheduleSettings;
  tab: Tab;
  fault: ScheduleField | undefined;
  onTab: (tab: Tab) => void;
}

/** The seven fields of the expression with their values; a click opens the tab of a field. */
function Cells({ draft, tab, fault, onTab }: CellsProps) {
  const t = useMessages(messages);
  const values = fieldsOf(draft);
  const step = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const cells = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('[role=tab]')];
    const next = cells[(cells.findIndex((cell) => cell === document.activeElement) + by + cells.length) % cells.length];
    next?.focus();
    next?.click();
  };
  return (
    <div className={styles['cells']} role="tablist" tabIndex={-1} aria-label={t('schedule')} onKeyDown={step}>
      {SCHEDULE_FIELDS.map((field, index) => {
        const isOpen = tabOf(field) === tab;
        return (
          <button
            key={field}
            type="button"
            role="tab"
            aria-selected={isOpen}
            tabIndex={isOpen && field !== 'weekday' ? 0 : -1}
            data-fault={field === fault || undefined}
            data-any={['*', '?'].includes(values[index] ?? '') || undefined}
            onClick={() => onTab(tabOf(field))}
          >
            <span>{t(field)}</span>
            <b className="mono" title={values[index]}>
              {values[index]}
            </b>
          </button>
        );
      })}
    </div>
  );
}
