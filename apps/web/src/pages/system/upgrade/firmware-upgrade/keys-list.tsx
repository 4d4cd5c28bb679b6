import { modelName } from '@hes/contract/text/reference-models.ts';
import { firmwareKey, type FirmwareKeyRow } from '@hes/contract/upgrade/firmware.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { KeyRound, Trash2 } from 'lucide-react';
import { CopyButton } from '#kit/basics/text.tsx';
import { defineAction, type Action } from '#kit/list/action.ts';
import { defineList } from '#kit/list/list-declaration.ts';
import { KeyForm } from './key-form.tsx';
import { texts } from './messages.ts';

/** Groups of eight characters, for comparing by voice. */
const grouped = (fingerprint: string): string => fingerprint.match(/.{1,8}/g)?.join(' ') ?? fingerprint;

const replace: Action<FirmwareKeyRow> = {
  key: 'replace',
  label: texts.replaceKey,
  icon: KeyRound,
  right: firmwareKey.save,
  act: { kind: 'form', Form: KeyForm, done: texts.saved },
};

const take = defineAction<FirmwareKeyRow, typeof firmwareKey.save>({
  key: 'take',
  label: texts.takeKey,
  icon: Trash2,
  isDanger: true,
  route: firmwareKey.save,
  order: ({ supplierId }) => ({ params: { id: supplierId }, body: { publicKey: '' } }),
  confirm: {
    title: texts.takeKeyOf,
    effect: texts.takeKeyHint,
    about: ({ algorithm, fingerprint }) => `${algorithm} ${fingerprint.slice(0, 16)}…`,
  },
  done: texts.saved,
  removesRow: true,
});

/** The suppliers whose firmware must be signed, and their public keys. */
export const keysList = defineList({
  route: firmwareKey.list,
  path: PAGE_PATH.upgrades,
  at: { tab: 'keys' },
  title: texts.keys,
  purpose: texts.keysPurpose,
  rowId: (row) => row.supplierId,
  rowName: (row, { say }) => say(modelName(row.supplierName)),
  isWhole: true,
  filters: [],
  columns: [
    { key: 'supplierName', title: texts.manufacturer, width: 220, cell: (row, { say }) => say(modelName(row.supplierName)) },
    { key: 'algorithm', title: texts.algorithm, width: 160, value: (row) => row.algorithm },
    {
      key: 'fingerprint',
      title: texts.fingerprint,
      mono: true,
      cell: (row) => (
        <span title={row.fingerprint}>
          {grouped(row.fingerprint)} <CopyButton text={row.fingerprint} />
        </span>
      ),
    },
    { key: 'updatedAt', title: texts.updatedAt, width: 170, time: (row) => row.updatedAt },
    { key: 'updatedByName', title: texts.updatedBy, width: 140, value: (row) => row.updatedByName },
  ],
  actions: [replace, take],
  add: { label: texts.addKey, icon: KeyRound, right: firmwareKey.save, Form: KeyForm, done: texts.saved },
  empty: texts.noKeys,
  emptyHint: texts.keysPurpose,
});
