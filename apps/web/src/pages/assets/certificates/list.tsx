import { certificate, type CertificateRow } from '@hes/contract/asset/certificate.ts';
import {
  CERTIFICATE_KIND_TEXT,
  CERTIFICATE_STATE_TEXT,
  CERTIFICATE_USAGE_TEXT,
  certificateKind,
  certificateState,
  certificateUsage,
} from '@hes/contract/states/certificate.ts';
import { certificateExport } from '@hes/contract/transfer/assets.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { KeyRound } from 'lucide-react';
import { choiceFilter, textFilter } from '#kit/list/filters.tsx';
import { defineList } from '#kit/list/list-declaration.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { certificateActions } from './actions.ts';
import { CertificatePane } from './certificate-pane.tsx';
import { DeviceLink } from './device-link.tsx';
import { KeyPairDialog } from './key-pair-dialog.tsx';
import { texts } from './messages.ts';
import { CERTIFICATE } from './signs.ts';

const usagesOf = ({ usages }: CertificateRow, { say }: ListTools): string =>
  usages.map((usage) => say(CERTIFICATE_USAGE_TEXT[usage])).join(', ');

export const certificateList = defineList({
  route: certificate.list,
  path: PAGE_PATH.certificates,
  title: texts.title,
  purpose: texts.purpose,
  rowName: (row) => row.subject,
  sort: 'validTo,asc',
  filters: [
    textFilter('search', texts.search, { width: 230 }),
    choiceFilter('kind', texts.owner, certificateKind.options, { textOf: (word) => CERTIFICATE_KIND_TEXT[word], width: 150 }),
    choiceFilter('usage', texts.usage, certificateUsage.options, { textOf: (word) => CERTIFICATE_USAGE_TEXT[word], width: 170 }),
    choiceFilter('suite', texts.suite, ['1', '2'], { textOf: (word) => (word === '1' ? texts.suiteOne : texts.suiteTwo), width: 120 }),
    choiceFilter('state', texts.state, certificateState.options, { textOf: (word) => CERTIFICATE_STATE_TEXT[word], width: 190 }),
  ],
  columns: [
    { key: 'subject', title: texts.subject, hint: texts.subjectHint, width: 190, sort: 'subject', mono: true, value: (row) => row.subject },
    { key: 'kind', title: texts.owner, width: 110, cell: (row, { say }) => say(CERTIFICATE_KIND_TEXT[row.kind]) },
    {
      key: 'deviceSn',
      title: texts.device,
      width: 150,
      sort: 'deviceSn',
      value: (row) => row.deviceSn,
      cell: (row) => <DeviceLink row={row} />,
    },
    { key: 'usages', title: texts.usage, width: 160, cell: usagesOf },
    { key: 'suite', title: texts.suite, width: 76, align: 'right', value: (row) => row.suite },
    { key: 'validFrom', title: texts.validFrom, width: 160, low: true, sort: 'validFrom', time: (row) => row.validFrom },
    { key: 'validTo', title: texts.validTo, width: 160, sort: 'validTo', time: (row) => row.validTo },
    {
      key: 'state',
      title: texts.state,
      width: 200,
      cell: (row, { say }) => <StateOf sign={CERTIFICATE[row.state]} extra={row.isCurrent ? `· ${say(texts.inUse)}` : ''} />,
    },
    { key: 'issuer', title: texts.issuer, width: 180, low: true, value: (row) => row.issuer },
    { key: 'serialNumber', title: texts.serialNumber, width: 160, low: true, mono: true, value: (row) => row.serialNumber },
    { key: 'createdAt', title: texts.added, width: 160, low: true, sort: 'createdAt', time: (row) => row.createdAt },
  ],
  actions: certificateActions,
  add: { label: texts.generate, icon: KeyRound, right: certificate.generate, Form: KeyPairDialog, done: texts.generated },
  export: certificateExport,
  Pane: CertificatePane,
  empty: texts.empty,
  emptyHint: texts.emptyHint,
});
