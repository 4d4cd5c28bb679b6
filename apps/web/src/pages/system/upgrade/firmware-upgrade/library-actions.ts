import { firmware, type FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import { upgradeJob } from '@hes/contract/upgrade/job.ts';
import { to } from '@hes/contract/page/links.ts';
import { Archive, Check, Download, Play, Trash2 } from 'lucide-react';
import { download } from '#core/files/download.ts';
import { defineAction, type Action } from '#kit/list/action.ts';
import { editAction } from '#kit/list/usual-actions.tsx';
import { FirmwareForm } from './firmware-form.tsx';
import { texts } from './messages.ts';

export const nameOf = ({ name, version }: FirmwareRow): string => `${name} ${version}`;
const about = (row: FirmwareRow): string => `${nameOf(row)} · ${row.upgradeFile}`;

const start: Action<FirmwareRow> = {
  key: 'start',
  label: texts.start,
  icon: Play,
  right: upgradeJob.create,
  when: ({ state }) => state === 'approved',
  act: { kind: 'link', to: ({ id }) => to.upgrades({ tab: 'new', firmware: id }) },
};

const approve = defineAction<FirmwareRow, typeof firmware.approve>({
  key: 'approve',
  label: texts.approve,
  icon: Check,
  when: ({ state }) => state === 'draft',
  refusedBy: ({ mayApprove }) => (mayApprove ? undefined : texts.approveOther),
  route: firmware.approve,
  order: ({ id, revision }) => ({ params: { id }, body: { revision } }),
  confirm: { title: texts.approveTitle, effect: texts.approveHint, about },
  done: texts.saved,
});

const edit: Action<FirmwareRow> = { ...editAction(firmware.update, FirmwareForm), when: ({ state }) => state === 'draft' };

const save: Action<FirmwareRow> = {
  key: 'file',
  label: texts.download,
  icon: Download,
  right: firmware.file,
  act: { kind: 'run', run: ({ id }) => download(firmware.file, { params: { id } }) },
};

const retire = defineAction<FirmwareRow, typeof firmware.retire>({
  key: 'retire',
  label: texts.retire,
  icon: Archive,
  when: ({ state }) => state === 'approved',
  route: firmware.retire,
  order: ({ id, revision }) => ({ params: { id }, body: { revision } }),
  confirm: { title: texts.retireTitle, effect: texts.retireHint, about },
  done: texts.saved,
});

const remove = defineAction<FirmwareRow, typeof firmware.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  when: ({ jobs }) => jobs === 0,
  route: firmware.remove,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.sureToDelete, effect: texts.deleteHint, about },
  done: texts.saved,
  removesRow: true,
});

/** In the order of the menu. */
export const libraryActions = [start, approve, edit, save, retire, remove];
