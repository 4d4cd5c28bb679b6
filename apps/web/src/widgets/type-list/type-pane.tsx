import { modelName } from '@hes/contract/text/reference-models.ts';
import type { ReactNode } from 'react';
import { useSay } from '#shared/i18n/use-messages.ts';
import { dateTime } from '#shared/time/format.ts';
import type { Loaded } from '#shared/ui/states.tsx';
import type { Property } from '#shared/ui/text.tsx';
import type { PaneProps } from '#widgets/list/list-parts.ts';
import { ModelName } from '#widgets/record-list/model-name.tsx';
import { RecordPane } from '#widgets/record-list/record-pane.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { ENABLED } from '#widgets/state-of/tables.ts';
import { typeTexts } from './messages.ts';
import type { DeviceType } from './type-list.tsx';

interface TypePaneProps<Row> extends PaneProps<Row> {
  query: Loaded<Row>;
  /** Label of the pane while the type loads. */
  title: string;
  icon: ReactNode;
  properties: (row: Row) => Property[];
}

/** The details of a type. */
export function TypePane<Row extends DeviceType>({ id, rows, select, buttonsOf, query, title, icon, properties }: TypePaneProps<Row>) {
  const say = useSay();
  return (
    <RecordPane<Row>
      id={id}
      rows={rows}
      query={query}
      label={query.data ? say(modelName(query.data.name)) : title}
      icon={icon}
      head={(row) => ({
        title: <ModelName row={row} />,
        place: `${row.code} · ${say(modelName(row.supplierName))}`,
        state: <StateOf tag sign={ENABLED[row.enabled ? 'enabled' : 'disabled']} />,
      })}
      actions={buttonsOf}
      properties={(row) => [...properties(row), { label: say(typeTexts.updated), value: dateTime(row.updatedAt) }]}
      onSelect={select}
    />
  );
}
