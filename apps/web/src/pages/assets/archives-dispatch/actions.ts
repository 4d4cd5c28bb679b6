import { archive, MAX_ARCHIVE_ROWS, type ArchiveRow } from '@hes/contract/asset/archive.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { Send, Trash2, Unlink } from 'lucide-react';
import { defineJointAction, type Action } from '#kit/list/action.ts';
import { texts } from './texts.ts';

const BATCH = { most: MAX_ARCHIVE_ROWS, refusal: texts.selectValid, isOnPage: true };
/** Meters that were only heard in a search have no record. */
const hasRecord = ({ id }: ArchiveRow) => id !== null;
const idsOf = (rows: readonly ArchiveRow[]): string[] => rows.flatMap(({ id }) => (id === null ? [] : [id]));
const dcuOf = ([first]: readonly ArchiveRow[]): string => first?.dcuId ?? '';

const unlessBound = ({ bindState }: ArchiveRow): Text | undefined => (bindState === 'not_bound' ? texts.notBound : undefined);
const unlessUnbound = ({ bindState }: ArchiveRow): Text | undefined => (bindState === 'bound' ? texts.alreadyBound : undefined);

const unbind = defineJointAction<ArchiveRow, typeof archive.unbind>({
  key: 'unbind',
  label: texts.unbind,
  icon: Unlink,
  route: archive.unbind,
  when: hasRecord,
  refusedBy: unlessBound,
  batch: BATCH,
  order: (rows) => ({ body: { recordIds: idsOf(rows) } }),
  confirm: { title: texts.unbindTitle, effect: texts.unbindEffect },
  done: texts.unbound,
});

/** The actions of rows of an archive; `why` is the reason why its DCU cannot receive orders now. */
export function archiveActions(why: Text | undefined) {
  const dispatch = defineJointAction<ArchiveRow, typeof archive.dispatch>({
    key: 'dispatch',
    label: texts.dispatch,
    icon: Send,
    route: archive.dispatch,
    when: hasRecord,
    refusedBy: (row) => why ?? unlessBound(row),
    batch: BATCH,
    order: (rows) => ({ body: { dcuId: dcuOf(rows), recordIds: idsOf(rows) } }),
  });
  const remove = defineJointAction<ArchiveRow, typeof archive.remove>({
    key: 'delete',
    label: texts.remove,
    icon: Trash2,
    isDanger: true,
    route: archive.remove,
    when: hasRecord,
    refusedBy: (row) => why ?? unlessUnbound(row),
    batch: BATCH,
    order: (rows) => ({ body: { dcuId: dcuOf(rows), recordIds: idsOf(rows) } }),
    confirm: { title: texts.removeTitle, effect: texts.removeEffect, action: texts.removeCount },
  });
  return { unbind, dispatch, remove } satisfies Record<string, Action<ArchiveRow>>;
}
