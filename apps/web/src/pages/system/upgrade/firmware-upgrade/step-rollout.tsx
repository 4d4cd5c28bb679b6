import { MAX_RINGS, type PreflightReport, type RingSize } from '@hes/contract/upgrade/job.ts';
import { Button, DatePicker, InputNumber, Radio, Select } from 'antd';
import dayjs from 'dayjs';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime, instantOf } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { WindowChoice } from '#domain/upgrade-job/window-choice.tsx';
import type { Draft } from './draft.ts';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

interface RolloutStepProps {
  draft: Draft;
  /** The rings of the draft, or the default ones. */
  rings: RingSize[];
  report: PreflightReport | undefined;
  onChange: (part: Partial<Draft>) => void;
}

const TIME = 'HH:mm';
const MINUTE_MS = 60_000;

const Block = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={styles['field']} role="group" aria-label={label}>
    <b>{label}</b>
    {children}
  </div>
);

function Rings({ rings, report, onChange }: RolloutStepProps) {
  const t = useMessages(texts);
  const set = (at: number, part: Partial<RingSize>) =>
    onChange({ rings: rings.map((ring, index) => (index === at ? { ...ring, ...part } : ring)) });
  return (
    <Block label={t('rings')}>
      <div className={styles['rings']}>
        {rings.map((ring, at) => (
          // eslint-disable-next-line react/no-array-index-key -- a ring is its number
          <div key={at}>
            <span>{t('ringNo', { ring: at + 1 })}</span>
            <InputNumber<number>
              min={1}
              max={ring.unit === 'percent' ? 100 : 10_000}
              aria-label={`${t('ringNo', { ring: at + 1 })} ${t('targets')}`}
              value={ring.size}
              onChange={(size) => set(at, { size: size ?? 1 })}
            />
            <Select
              style={{ width: 120 }}
              aria-label={`${t('ringNo', { ring: at + 1 })} ${t('devices')}`}
              value={ring.unit}
              options={(['devices', 'percent'] as const).map((value) => ({ value, label: t(value) }))}
              onChange={(unit) => set(at, { unit })}
            />
            <span className={styles['count']}>{report?.rings[at] === undefined ? '' : `= ${figure(report.rings[at])}`}</span>
            <Button
              type="text"
              size="small"
              aria-label={t('removeRing', { ring: at + 1 })}
              icon={<Trash2 size={14} aria-hidden="true" />}
              onClick={() => onChange({ rings: rings.filter((_, index) => index !== at) })}
            />
          </div>
        ))}
        <div>
          <span>{t('theRest')}</span>
          <span className={styles['count']}>
            {report?.rings[rings.length] === undefined ? t('ringsHelp') : `= ${figure(report.rings[rings.length] ?? 0)}`}
          </span>
          {rings.length < MAX_RINGS ? (
            <Button
              size="small"
              icon={<Plus size={13} aria-hidden="true" />}
              onClick={() => onChange({ rings: [...rings, { unit: 'percent', size: 10 }] })}
            >
              {t('addRing')}
            </Button>
          ) : null}
        </div>
      </div>
    </Block>
  );
}

/** Rings, time window, and the limits that halt the upgrade. */
export function RolloutStep(props: RolloutStepProps) {
  const { draft, onChange } = props;
  const t = useMessages(texts);
  const percentOf = (key: keyof Draft['haltRule']) => (
    <div className={styles['row']}>
      <span style={{ flex: 1 }}>{t(key)}</span>
      <InputNumber<number>
        min={0}
        max={100}
        suffix="%"
        aria-label={t(key)}
        value={draft.haltRule[key]}
        onChange={(value) => onChange({ haltRule: { ...draft.haltRule, [key]: value ?? 0 } })}
      />
    </div>
  );
  return (
    <div className={styles['columns']}>
      <Rings {...props} />
      <Block label={t('halt')}>
        {percentOf('failPercent')}
        {percentOf('silentPercent')}
        {percentOf('readDropPercent')}
      </Block>
      <Block label={t('continueBy')}>
        <Radio.Group
          className={styles['pick'] ?? ''}
          value={draft.continueBy}
          options={[
            { value: 'hand', label: t('byHand') },
            { value: 'itself', label: t('byItself') },
          ]}
          onChange={(event) => onChange({ continueBy: event.target.value === 'hand' ? 'hand' : 'itself' })}
        />
        <div className={styles['row']}>
          <span style={{ flex: 1 }}>{t('watch')}</span>
          <InputNumber<number>
            min={0}
            max={10_080}
            suffix={t('minutes')}
            aria-label={t('watch')}
            value={draft.watchMinutes}
            onChange={(watchMinutes) => onChange({ watchMinutes: watchMinutes ?? 0 })}
          />
        </div>
      </Block>
      <Block label={t('window')}>
        <WindowChoice value={draft.window} onChange={(window) => onChange({ window })} />
      </Block>
      <Block label={t('concurrency')}>
        <div className={styles['row']}>
          <span style={{ flex: 1 }}>{t('inAll')}</span>
          <InputNumber<number>
            min={1}
            max={200}
            aria-label={t('inAll')}
            value={draft.concurrency}
            onChange={(concurrency) => onChange({ concurrency: concurrency ?? 1 })}
          />
        </div>
        <div className={styles['row']}>
          <span style={{ flex: 1 }}>{t('perDcu')}</span>
          <InputNumber<number>
            min={1}
            max={20}
            aria-label={t('perDcu')}
            value={draft.perDcu}
            onChange={(perDcu) => onChange({ perDcu: perDcu ?? 1 })}
          />
        </div>
        <span className={styles['muted']}>{t('concurrencyHelp')}</span>
      </Block>
      <Block label={t('activation')}>
        <Radio.Group
          className={styles['pick'] ?? ''}
          value={draft.activateAt === null ? 'now' : 'later'}
          options={[
            { value: 'now', label: t('atOnce') },
            { value: 'later', label: t('scheduled') },
          ]}
          onChange={(event) =>
            onChange({ activateAt: event.target.value === 'now' ? null : new Date(Date.now() + 24 * 60 * MINUTE_MS).toISOString() })
          }
        />
        {draft.activateAt ? (
          <DatePicker
            showTime={{ format: TIME }}
            format={`YYYY-MM-DD ${TIME}`}
            aria-label={t('activateAt')}
            value={dayjs(dateTime(draft.activateAt))}
            onChange={(at) => onChange({ activateAt: at ? (instantOf(at.format(`YYYY-MM-DD ${TIME}`)) ?? null) : null })}
          />
        ) : null}
      </Block>
    </div>
  );
}
