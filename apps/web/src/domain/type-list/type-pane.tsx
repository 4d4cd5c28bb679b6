import { modelName } from '@hes/contract/text/reference-models.ts';
import type { ReactNode } from 'react';
import { useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import type { Loaded } from '#kit/basics/states.tsx';
import type { Property } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { ModelName } from '#domain/models/model-name.tsx';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ENABLED } from '#domain/states/tables.ts';
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
