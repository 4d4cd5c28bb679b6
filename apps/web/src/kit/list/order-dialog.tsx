import { useState } from 'react';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { someOf } from '#kit/basics/some-of.ts';
import { labelOf, type Action, type Confirmation, type Rows } from './action.ts';
import type { ListTools } from './list-parts.ts';

interface OrderDialogProps<Row> {
  action: Action<Row>;
  confirm: Confirmation<Row>;
  rows: Rows<Row>;
  tools: ListTools;
  rowName: (row: Row, tools: ListTools) => string;
  /** Sends the order, and returns its refusal. */
  submit: (reason: string) => Promise<string | undefined>;
  onClose: () => void;
}

/** Asks for the confirmation of an order for one or several rows. A refusal of all of them is shown in the dialog. */
export function OrderDialog<Row>(props: OrderDialogProps<Row>) {
  const { action, confirm, rows, tools, rowName, submit, onClose } = props;
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const confirmed = async (reason: string) => {
    setBusy(true);
    const refusal = await submit(reason);
    setBusy(false);
    setFailure(refusal);
  };
  const { say } = tools;
  const [first] = rows;
  const params = { count: rows.length, name: rowName(first, tools) };
  const isOne = rows.length === 1;
  const { title, titleOfMany = title, action: verb = labelOf(action, first), actionOfMany = verb, effect, reason } = confirm;
  const Icon = action.icon;
  return (
    <DangerDialog
      icon={<Icon size={20} aria-hidden="true" />}
      title={say(isOne ? title : titleOfMany, params)}
      effect={say(typeof effect === 'function' ? effect(first) : effect, params)}
      action={say(isOne ? verb : actionOfMany, params)}
      about={
        !isOne ? (
          <ul>
            {someOf(rows.map((row) => rowName(row, tools))).map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        ) : (
          confirm.about?.(first, tools)
        )
      }
      {...(reason ? { reason: { label: say(reason.label), max: reason.max, missing: say(reason.missing) } } : {})}
      busy={isBusy}
      failure={failure}
      onConfirm={(given) => void confirmed(given)}
      onClose={onClose}
    />
  );
}
