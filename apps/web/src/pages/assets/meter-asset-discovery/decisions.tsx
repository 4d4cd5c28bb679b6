import { discovery, MAX_FOUND_AT_ONCE, type DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import type { DiscoveryMatch } from '@hes/contract/states/discovery.ts';
import { Alert, App, Button, Input, Modal, Select } from 'antd';
import { ArrowLeftRight, ArrowRightLeft, BellOff, Eraser, IdCard, Link, ListPlus } from 'lucide-react';
import { useId, useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import type { Take } from '#kit/table/use-take.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { someOf } from '#kit/basics/some-of.ts';
import { MeterForm } from './meter-form.tsx';
import { ReplaceForm } from './replace-form.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const REASON_MAX = 128;

/** The matches that each decision applies to. */
const TAKES: Record<'add_bind' | 'bind' | 'replace' | 'move' | 'identify' | 'ignore', readonly DiscoveryMatch[]> = {
  add_bind: ['unknown', 'ignored'],
  bind: ['in_warehouse'],
  replace: ['unknown', 'in_warehouse'],
  move: ['bound_elsewhere', 'duplicate'],
  identify: ['unknown', 'in_warehouse', 'bound_here', 'bound_elsewhere', 'duplicate', 'ignored'],
  ignore: ['unknown', 'in_warehouse', 'bound_elsewhere', 'duplicate'],
};
const BOUND: ReadonlySet<DiscoveryMatch> = new Set(['bound_here', 'bound_elsewhere', 'duplicate']);
type Decision = keyof typeof TAKES;

const idsOf = (rows: DiscoveredRow[]): string[] => rows.map((row) => row.id);

function nameOf(row: DiscoveredRow): string {
  const signalText = (value: number | null) => (value === null ? [] : [`${value} ${row.signalUnit}`]);
  const elsewhere = row.otherDcuSns.map((sn) => ['→', sn, ...signalText(row.otherSignalValue)].join(' '));
  return [row.sn, row.dcuSn, ...signalText(row.signalValue), ...elsewhere].join(' · ');
}

function Named({ rows }: { rows: DiscoveredRow[] }) {
  return (
    <ul>
      {someOf(rows.map(nameOf)).map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}

/** Replaces a meter by a discovered one. An unknown meter is first added to the inventory, with its keys. */
function Successor({ found, onDone, onClose }: { found: DiscoveredRow; onDone: () => void; onClose: () => void }) {
  const [freshId, setFresh] = useState(found.meterId);
  if (freshId !== null) return <ReplaceForm fresh={{ id: freshId, sn: found.sn, dcuId: found.dcuId }} onDone={onDone} onClose={onClose} />;
  const { sn, suggestedTypeId, communicationMode, phase } = found;
  const start = {
    sn,
    meterTypeId: suggestedTypeId ?? undefined,
    communicationMode: communicationMode === 'rf' ? ('rf' as const) : ('plc' as const),
    recordedPhase: phase,
  };
  return <MeterForm meter={undefined} start={start} onDone={setFresh} onClose={onClose} />;
}

interface DecisionsProps {
  take: Take<DiscoveredRow>;
  /** The displayed DCU: only its list can be cleared. */
  dcuId: string | undefined;
  onTask: (taskId: string) => void;
  onDone: () => void;
}

/** Decisions about discovered meters. A missing selection is reported when the button is pressed. */
export function Decisions({ take, dcuId, onTask, onDone }: DecisionsProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const id = useId();
  const { message } = App.useApp();
  const options = useApiQuery(meter.options);
  const [open, setOpen] = useState<Decision | 'clear'>();
  /** The rows of the open decision. */
  const [chosen, setChosen] = useState<DiscoveredRow[]>([]);
  const [meterTypeId, setType] = useState<string>();
  const [until, setUntil] = useState('');
  const adopt = useApiMutation(discovery.adopt, {
    success: ({ taskId, items }) => {
      setOpen(undefined);
      if (taskId === null) void message.success(t('decided', { count: items.length }));
      else onTask(taskId);
      onDone();
    },
  });
  const clear = useApiMutation(discovery.clear, {
    success: () => {
      setOpen(undefined);
      onDone();
    },
  });
  const close = () => {
    setOpen(undefined);
    adopt.reset();
    clear.reset();
  };

  const begin = (decision: Decision, rows: DiscoveredRow[]) => {
    const wrong = rows.filter((row) => !TAKES[decision].includes(row.match));
    const isBindOfBound = (decision === 'bind' || decision === 'add_bind') && wrong.some((row) => BOUND.has(row.match));
    const names = () => someOf(wrong.map((row) => row.sn)).join(', ');
    if (wrong.length > 0) void message.warning(`${t(isBindOfBound ? 'alreadyBound' : 'selectValid')} ${names()}`, 6);
    else if (decision === 'replace' && rows.length > 1) void message.warning(t('chooseOne'));
    else if (decision === 'bind' || decision === 'identify')
      adopt.mutate({ body: { action: decision, ids: idsOf(rows) } }, { onError: (error) => void message.error(error.message, 0) });
    else {
      setType(undefined);
      setUntil('');
      setChosen(rows);
      setOpen(decision);
    }
  };
  const buttons: { decision: Decision; label: string; icon: typeof Link }[] = [
    { decision: 'add_bind', label: t('addBind'), icon: ListPlus },
    { decision: 'bind', label: t('bind'), icon: Link },
    ...(may(meter.replace) && may(meter.create) ? [{ decision: 'replace' as const, label: t('replaces'), icon: ArrowLeftRight }] : []),
    { decision: 'move', label: t('move'), icon: ArrowRightLeft },
    { decision: 'identify', label: t('identify'), icon: IdCard },
    { decision: 'ignore', label: t('ignore'), icon: BellOff },
  ];
  if (!may(discovery.adopt)) return null;
  return (
    <div className={styles['actions']}>
      {buttons.map(({ decision, label, icon: Icon }) => (
        <Button
          key={decision}
          icon={<Icon size={15} aria-hidden="true" />}
          loading={adopt.isPending && adopt.variables?.body?.action === decision}
          onClick={() => take((rows) => begin(decision, rows), MAX_FOUND_AT_ONCE)}
        >
          {label}
        </Button>
      ))}
      <span className={styles['space']} />
      <Button
        danger
        icon={<Eraser size={15} aria-hidden="true" />}
        onClick={() => (dcuId === undefined ? void message.warning(t('selectNode')) : setOpen('clear'))}
      >
        {t('clearList')}
      </Button>
      {open === 'add_bind' ? (
        <Modal
          open
          centered
          title={t('addBindTitle', { count: chosen.length })}
          okText={t('addBind')}
          cancelText={t('cancel')}
          confirmLoading={adopt.isPending}
          onOk={() => adopt.mutate({ body: { action: 'add_bind', ids: idsOf(chosen), ...(meterTypeId ? { meterTypeId } : {}) } })}
          onCancel={close}
        >
          <p className={styles['dim']}>{t('addBindHint')}</p>
          <div className={styles['dialogField']}>
            <label htmlFor={`${id}-type`}>{t('type')}</label>
            <Select
              id={`${id}-type`}
              allowClear
              style={{ width: '100%' }}
              placeholder={t('asSuggested')}
              value={meterTypeId}
              options={(options.data?.types ?? []).map((type) => ({ value: type.id, label: `${type.name} (${type.code})` }))}
              onChange={(value: string | undefined) => setType(value)}
            />
          </div>
          <Named rows={chosen} />
          {adopt.error ? <Alert type="error" showIcon role="alert" className={styles['alert'] ?? ''} title={adopt.error.message} /> : null}
        </Modal>
      ) : null}
      {open === 'replace' && chosen[0] ? (
        <Successor
          found={chosen[0]}
          onDone={() => {
            setOpen(undefined);
            onDone();
          }}
          onClose={close}
        />
      ) : null}
      {open === 'move' ? (
        <DangerDialog
          icon={<ArrowRightLeft size={20} aria-hidden="true" />}
          title={t('moveTitle', { count: chosen.length })}
          effect={t('moveEffect')}
          action={t('move')}
          about={<Named rows={chosen} />}
          busy={adopt.isPending}
          failure={adopt.error?.message}
          onConfirm={() => adopt.mutate({ body: { action: 'move', ids: idsOf(chosen) } })}
          onClose={close}
        />
      ) : null}
      {open === 'ignore' ? (
        <DangerDialog
          icon={<BellOff size={20} aria-hidden="true" />}
          title={t('ignoreTitle', { count: chosen.length })}
          effect=""
          action={t('ignore')}
          about={
            <>
              <Named rows={chosen} />
              <div className={styles['dialogField']}>
                <label htmlFor={`${id}-until`}>{t('until')}</label>
                <Input id={`${id}-until`} type="date" value={until} onChange={(event) => setUntil(event.target.value)} />
              </div>
            </>
          }
          reason={{ label: t('reason'), max: REASON_MAX, missing: say(RULES.reason) }}
          busy={adopt.isPending}
          failure={adopt.error?.message}
          onConfirm={(reason) => adopt.mutate({ body: { action: 'ignore', ids: idsOf(chosen), reason, ...(until ? { until } : {}) } })}
          onClose={close}
        />
      ) : null}
      {open === 'clear' && dcuId !== undefined ? (
        <DangerDialog
          icon={<Eraser size={20} aria-hidden="true" />}
          title={t('sureToClear')}
          effect={t('clearEffect')}
          action={t('clearList')}
          busy={clear.isPending}
          failure={clear.error?.message}
          onConfirm={() => clear.mutate({ query: { dcuId } })}
          onClose={close}
        />
      ) : null}
    </div>
  );
}
