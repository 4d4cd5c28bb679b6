import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { PanelState, type Loaded } from '#kit/basics/states.tsx';
import { Properties, type Property } from '#kit/basics/text.tsx';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from './side-pane.tsx';
import { texts } from '#kit/basics/record.messages.ts';

interface RecordPaneProps<Row extends { id: string }> {
  id: string;
  rows: readonly { id: string }[];
  query: Loaded<Row>;
  label: string;
  icon: ReactNode;
  head: (row: Row) => { title: ReactNode; place: string; state?: ReactNode };
  actions?: (row: Row) => ReactNode;
  properties: (row: Row) => Property[];
  children?: (row: Row) => ReactNode;
  onSelect: (id: string | undefined) => void;
}

/** The details of a record: name, actions and properties. */
export function RecordPane<Row extends { id: string }>({ id, rows, query, head, ...props }: RecordPaneProps<Row>) {
  const t = useMessages(texts);
  return (
    <SidePane label={props.label}>
      <PanelState query={query} lines={10}>
        {(row) => (
          <>
            <PaneHead icon={props.icon} {...head(row)} {...stepsOf(rows, id, props.onSelect)} />
            {props.actions ? <PaneActions>{props.actions(row)}</PaneActions> : null}
            <PaneSection title={t('properties')}>
              <Properties items={props.properties(row)} />
            </PaneSection>
            {props.children?.(row)}
          </>
        )}
      </PanelState>
    </SidePane>
  );
}
