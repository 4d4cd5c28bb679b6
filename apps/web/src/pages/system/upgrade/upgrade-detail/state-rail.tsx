import type { ResponseOf } from '@hes/contract/core/route.ts';
import { UPGRADE_NEXT, UPGRADE_PHASES, UPGRADE_TEXT, upgradeState, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { upgradeRecord as routes } from '@hes/contract/upgrade/record.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { UPGRADE } from '#domain/upgrade-state/upgrade-tables.ts';
import { texts } from './messages.ts';
import styles from './detail.module.css';

type Summary = ResponseOf<typeof routes.summary>;

const inPhase = new Set<UpgradeState>(UPGRADE_PHASES.flatMap(({ states }) => [...states]));
/** In the order of the specification; states outside the phases come before or after them. */
const ends = upgradeState.options.filter((state) => state !== 'idle' && !inPhase.has(state));

/** All states with their counts under the other filters, beside the list. */
export function StateRail({ list }: { list: ListState<typeof routes.list> }) {
  const t = useMessages(texts);
  const { status: _, ...query } = list.filter;
  const summary = useApiQuery(routes.summary, { query, keep: ['jobId'], refetchMs: 30_000 });
  useOneMoment(list.query, summary);
  return (
    <Panel flush label={t('states')}>
      <PanelState query={summary} lines={12}>
        {(data) => <Rail {...data} selected={list.url['status']} onSelect={(status) => list.filterBy({ status })} />}
      </PanelState>
    </Panel>
  );
}

interface RailProps extends Summary {
  /** One state, or several separated by commas. */
  selected: string | undefined;
  onSelect: (status: string | undefined) => void;
}

/** The states in the order of an upgrade; clicks add states to the filter. */
function Rail({ total, byStatus, selected, onSelect }: RailProps) {
  const t = useMessages(texts);
  const say = useSay();
  const chosen = new Set(selected?.split(',') ?? []);
  const toggle = (state: UpgradeState) => {
    const next = new Set(chosen);
    if (!next.delete(state)) next.add(state);
    onSelect(next.size === 0 ? undefined : [...next].join(','));
  };
  const state = (key: UpgradeState) => {
    const count = byStatus[key] ?? 0;
    const after = UPGRADE_NEXT[key].map((next) => say(UPGRADE_TEXT[next])).join(', ');
    return (
      <button
        key={key}
        type="button"
        aria-pressed={chosen.has(key)}
        data-state={key}
        data-count={count}
        title={after === '' ? say(UPGRADE_TEXT[key]) : `${say(UPGRADE_TEXT[key])}; ${t('followedBy')}: ${after}`}
        onClick={() => toggle(key)}
      >
        <StateOf sign={count === 0 ? { ...UPGRADE[key], quiet: true } : UPGRADE[key]} />
        <b>{figure(count)}</b>
      </button>
    );
  };
  const sum = (states: readonly UpgradeState[]) => figure(states.reduce((all, key) => all + (byStatus[key] ?? 0), 0));
  return (
    <div className={styles['rail']} role="group" aria-label={t('states')}>
      <button type="button" aria-pressed={chosen.size === 0} onClick={() => onSelect(undefined)}>
        {t('all')} <b>{figure(total)}</b>
      </button>
      <h3>
        {t('waiting')} <span>{sum(['idle'])}</span>
      </h3>
      {state('idle')}
      {UPGRADE_PHASES.map((phase) => (
        <div key={phase.key}>
          <h3>
            {say(phase)} <span>{sum(phase.states)}</span>
          </h3>
          {phase.states.map(state)}
        </div>
      ))}
      <h3>
        {t('ended')} <span>{sum(ends)}</span>
      </h3>
      {ends.map(state)}
    </div>
  );
}
