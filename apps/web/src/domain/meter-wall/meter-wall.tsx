import { DcuSn } from '#domain/states/dcu-sn.tsx';
import { dcuName } from '@hes/contract/text/device-name.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { RunItemState } from '@hes/contract/task/run-state.ts';
import { itemText, type Ordered } from '@hes/contract/task/words.ts';
import { memo, type KeyboardEvent } from 'react';
import { StackBar } from '#kit/chart/bars.tsx';
import { useSay } from '#core/i18n/use-messages.ts';
import { ITEM_ORDER, itemSign } from '#domain/states/tables.ts';
import styles from './meter-wall.module.css';

interface WallCell {
  id: string;
  meterSn: string | null;
  state: RunItemState;
  /** Text of the state, where the colour alone is ambiguous. */
  word?: Text;
}

export interface WallGroup {
  /** Null: the direct meters of a transformer. */
  dcuId: string | null;
  dcuSn: string | null;
  transformerName: string | null;
  cells: WallCell[];
}

interface MeterWallProps {
  label: string;
  /** The order of the items; it decides the labels of their states. */
  of: Ordered;
  groups: WallGroup[];
  selected: string | undefined;
  onSelect: (itemId: string) => void;
}

/** Thresholds of the number of cells: small cells above the first, one bar per DCU above the second. */
const DENSE_FROM = 2000;
const BARS_FROM = 6000;
/** DCUs with at most this number of cells share a line. */
const SHORT_GROUP_CELLS = 12;

const isEnd = (state: RunItemState): boolean => state !== 'waiting' && state !== 'reading';

const Cell = memo(function Cell({
  cell,
  word,
  selected,
  isStop,
  onSelect,
}: {
  cell: WallCell;
  word: string;
  selected: boolean;
  /** The tab stop of its DCU. */
  isStop: boolean;
  onSelect: (id: string) => void;
}) {
  const name = `${cell.meterSn ?? ''} ${word}`;
  return (
    <button
      type="button"
      className={styles['cell']}
      data-state={cell.state}
      data-selected={selected || undefined}
      tabIndex={isStop ? 0 : -1}
      aria-label={name}
      title={name}
      onClick={() => onSelect(cell.id)}
    />
  );
});

function DcuBar({ group, of }: { group: WallGroup; of: Ordered }) {
  const say = useSay();
  const parts = ITEM_ORDER.filter((state) => state !== 'waiting').map((state) => ({
    value: group.cells.filter((cell) => cell.state === state).length,
    tone: itemSign(of, state).tone,
    label: say(itemSign(of, state).text),
  }));
  return (
    <StackBar height={9} label={dcuName(group, say)} rest={group.cells.filter(({ state }) => state === 'waiting').length} parts={parts} />
  );
}

/** Arrow keys move the focus between the cells of a DCU. */
function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return;
  const next = event.key === 'ArrowRight' ? target.nextElementSibling : event.key === 'ArrowLeft' ? target.previousElementSibling : null;
  if (next instanceof HTMLElement) {
    event.preventDefault();
    next.focus();
  }
}

interface GroupProps extends Pick<MeterWallProps, 'of' | 'onSelect'> {
  group: WallGroup;
  isBar: boolean;
  /** The selected item, if it is of this DCU. */
  selected: string | undefined;
}

/** The cells of a DCU, drawn again only when one of them changes. */
const Group = memo(function Group({ group, of, isBar, selected, onSelect }: GroupProps) {
  const say = useSay();
  const { cells } = group;
  const stop = selected ?? cells[0]?.id;
  return (
    <div className={styles['group']}>
      <div className={styles['name']}>
        <DcuSn sn={group.dcuSn} />
        <small>{group.transformerName}</small>
      </div>
      <span className={styles['count']}>
        {cells.filter((cell) => isEnd(cell.state)).length} / {cells.length}
      </span>
      {isBar ? (
        <DcuBar group={group} of={of} />
      ) : (
        <div className={styles['cells']} role="presentation" onKeyDown={onArrow}>
          {cells.map((cell) => (
            <Cell
              key={cell.id}
              cell={cell}
              word={say(cell.word ?? itemText(of, cell.state))}
              isStop={cell.id === stop}
              selected={cell.id === selected}
              onSelect={onSelect}
            />
          ))}
        </div>
      )}
    </div>
  );
});

const hasCell = ({ cells }: WallGroup, id: string | undefined): boolean => id !== undefined && cells.some((cell) => cell.id === id);

/** One cell per meter, grouped by DCU, as an overview of a run. The table below offers the same as text. */
export function MeterWall({ label, of, groups, selected, onSelect }: MeterWallProps) {
  const total = groups.reduce((sum, group) => sum + group.cells.length, 0);
  return (
    <div
      className={styles['wall']}
      role="group"
      aria-label={label}
      data-dense={total > DENSE_FROM || undefined}
      data-short={groups.every(({ cells }) => cells.length <= SHORT_GROUP_CELLS) || undefined}
    >
      {groups.map((group) => (
        <Group
          key={group.dcuId ?? `direct ${group.transformerName}`}
          group={group}
          of={of}
          isBar={total > BARS_FROM}
          selected={hasCell(group, selected) ? selected : undefined}
          onSelect={onSelect}
        />
      ))}
    </div>
  );
}
