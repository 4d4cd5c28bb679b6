import { COMMAND_KINDS, orderOf } from '@hes/contract/orders/every-order.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';
import { nameText, type Text } from '@hes/contract/core/text.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { useReason } from '#domain/device-run/device-run.tsx';
import type { RunColumn } from '#domain/live-run/run-columns.tsx';
import { shownOf, valueColumns } from '#domain/read-values/value-columns.ts';
import { texts } from './messages.ts';
import styles from './device-command.module.css';

const FACT_WIDTH = 190;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Labels of the values that a command of this kind returns. */
const factsOf = (kind: string): Record<string, Text> => orderOf(kind)?.command?.facts ?? {};
/** Labels by value key. Commands that share a value use the same label. */
const LABELS = new Map(COMMAND_KINDS.flatMap((kind) => Object.entries(factsOf(kind))));
const factOf = (row: TaskItemRow, item: string): ReadValue | undefined => row.result?.values?.find((value) => value.item === item);

function Fact({ read }: { read: ReadValue | undefined }) {
  const reason = useReason();
  if (read === undefined) return '—';
  const shown = shownOf(read);
  // A count is a whole number without a unit.
  if (shown)
    return `${figure(shown.value, shown.unit === '' && Number.isInteger(shown.value) ? 0 : shown.decimals)} ${shown.unit}`.trimEnd();
  if (typeof read.value === 'string') return INSTANT.test(read.value) ? dateTime(read.value) : read.value;
  return reason(read.reasonCode) ?? '—';
}

/** A column for each value that the command declares. */
export const factColumns = ({ kind }: Pick<TaskRow, 'kind'>, say: (text: Text) => string): RunColumn[] =>
  Object.entries(factsOf(kind)).map(([item, label]) => ({
    key: item,
    title: say(label),
    width: FACT_WIDTH,
    value: (row) => {
      const read = factOf(row, item);
      return read && (shownOf(read)?.value ?? read.value);
    },
    cell: (row) => <Fact read={factOf(row, item)} />,
  }));

/** The columns in a file: times with UTC offset, numbers with the units that the devices returned. */
export const filedFacts = (run: Pick<TaskRow, 'kind'>, rows: readonly TaskItemRow[], say: (text: Text) => string): RunColumn[] =>
  factColumns(run, say).flatMap((column) =>
    valueColumns({ items: [column.key], rows, valueOf: factOf, nameOf: () => column.title }).map((filed) => ({ ...column, ...filed })),
  );

/** All values that one device returned. */
export function ItemFacts({ item }: { item: TaskItemRow }) {
  const t = useMessages(texts);
  const say = useSay();
  if (item.result?.values === undefined) return null;
  return (
    <ul className={styles['facts']} aria-label={t('facts')}>
      {item.result.values.map((read) => (
        <li key={read.item} data-item={read.item}>
          <div>
            <span>{say(LABELS.get(read.item) ?? nameText(read.item))}</span>
            <small className="mono">{read.obis}</small>
          </div>
          <b>
            <Fact read={read} />
          </b>
        </li>
      ))}
    </ul>
  );
}
