import { Button, type MenuProps } from 'antd';
import { EllipsisVertical } from 'lucide-react';
import { Link } from 'react-router';
import type { Column } from '#kit/table/data-table.tsx';
import { OwnClicks, RowActions } from '#kit/table/row-actions.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { ActionMenu } from '#kit/basics/action-menu.tsx';
import { offersOf, type Action, type Offer } from './action.ts';
import type { ListTools } from './list-parts.ts';
import { listTexts } from './messages.ts';
import styles from './list.module.css';

const MENU_ICON = 14;
const BUTTON_ICON = 15;

interface Actions<Row> {
  actions: readonly Action<Row>[];
  tools: ListTools;
  act: (action: Action<Row>, rows: readonly Row[]) => void;
}

const itemsOf = <Row,>(offers: readonly Offer<Row>[], { act }: Pick<Actions<Row>, 'act'>, row: Row): NonNullable<MenuProps['items']> =>
  offers.map(({ action, label, refusal }) => {
    const { act: what, icon: Icon } = action;
    return {
      key: action.key,
      label: what.kind === 'link' ? <Link to={what.to(row)}>{label}</Link> : label,
      icon: <Icon size={MENU_ICON} aria-hidden="true" />,
      danger: action.isDanger ?? false,
      disabled: refusal !== undefined,
      title: refusal ?? '',
      ...(what.kind === 'link' ? {} : { onClick: () => act(action, [row]) }),
    };
  });

export const hiddenTitle = (title: string) => <span className="visually-hidden">{title}</span>;

interface ColumnParts<Row> extends Actions<Row> {
  rowName: (row: Row, tools: ListTools) => string;
}

/** The column with actions as buttons; without the right to any of them its cells stay as declared. */
export const buttonColumn = <Row,>(column: Column<Row>, { actions, tools, act, rowName }: ColumnParts<Row>): Column<Row> =>
  actions.some(({ right }) => tools.may(right))
    ? {
        ...column,
        cell: (row) => (
          <OwnClicks>
            <span className={styles['buttons']}>
              {offersOf(actions, row, tools).map(({ action, label, refusal }) => (
                <Button
                  key={action.key}
                  type="text"
                  size="small"
                  disabled={refusal !== undefined}
                  aria-label={`${label}: ${rowName(row, tools)}`}
                  title={refusal ?? label}
                  icon={<action.icon size={MENU_ICON} aria-hidden="true" />}
                  onClick={() => act(action, [row])}
                />
              ))}
            </span>
          </OwnClicks>
        ),
      }
    : column;

/** The column with the menu of each row. */
export const actionColumn = <Row,>({ rowName, ...parts }: ColumnParts<Row>): Column<Row> => ({
  key: 'actions',
  title: hiddenTitle(parts.tools.say(listTexts.more)),
  width: 46,
  cell: (row) => (
    <RowActions
      label={parts.tools.say(listTexts.actionsOf, { name: rowName(row, parts.tools) })}
      items={itemsOf(offersOf(parts.actions, row, parts.tools), parts, row)}
    />
  ),
});

/** The actions of a row as buttons, for its details pane; the first one is the main one. */
export function RowButtons<Row>({ row, actions, tools, act, hasMain = true }: Actions<Row> & { row: Row; hasMain?: boolean }) {
  const all = offersOf(actions, row, tools);
  const offers = all.filter(({ action }) => !action.isInMenu);
  const hidden = all.filter(({ action }) => action.isInMenu);
  const main = offers.find(({ action, refusal }) => !action.isDanger && refusal === undefined);
  const buttons = offers.map((offer) => {
    const { action, label, refusal } = offer;
    const { act: what, icon: Icon } = action;
    const type = hasMain && offer === main ? 'primary' : 'default';
    if (what.kind === 'link')
      return (
        <LinkButton key={action.key} type={type} to={what.to(row)} icon={<Icon size={BUTTON_ICON} aria-hidden="true" />}>
          {label}
        </LinkButton>
      );
    return (
      <Button
        key={action.key}
        type={type}
        danger={action.isDanger ?? false}
        disabled={refusal !== undefined}
        title={refusal ?? ''}
        icon={<Icon size={BUTTON_ICON} aria-hidden="true" />}
        onClick={() => act(action, [row])}
      >
        {label}
      </Button>
    );
  });
  return (
    <>
      {buttons}
      {hidden.length === 0 ? null : (
        <ActionMenu placement="bottomRight" menu={{ items: itemsOf(hidden, { act }, row) }}>
          <Button
            aria-label={tools.say(listTexts.more)}
            aria-haspopup="menu"
            icon={<EllipsisVertical size={BUTTON_ICON} aria-hidden="true" />}
          />
        </ActionMenu>
      )}
    </>
  );
}
