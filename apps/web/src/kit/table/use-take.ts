import { App } from 'antd';
import { failureText } from '#core/api/errors.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import type { Selection } from './selection.tsx';
import { tableTexts } from './table.messages.ts';

const texts = { ...common, ...tableTexts };

/** Passes the selected rows to `then`. Shows a message instead when there are none, more than `most`, or the list cannot be read. */
export type Take<R> = (then: (rows: R[]) => void, most?: number) => void;

/** With "all" the rows are read at the time of the call; `everyRow` may stop once it has more than `most`. */
export function useTake<R>(selection: Selection<R>, everyRow: (most: number) => Promise<R[]>): Take<R> {
  const t = useMessages(texts);
  const { message } = App.useApp();
  return (then, most = Infinity) => {
    const wanted = selection.isAll ? everyRow(most) : Promise.resolve([...selection.chosen.values()]);
    wanted
      .then((found) => {
        const rows = found.filter(selection.mayChoose);
        if (found.length > most) void message.warning(t('tooMany', { count: most }));
        else if (rows.length === 0) void message.warning(t('selectData'));
        else then(rows);
      })
      .catch((error: unknown) => void message.error(failureText(error), 0));
  };
}
