import { certificate, type CertificateRow } from '@hes/contract/asset/certificate.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { CircleCheck, Download, FileKey, Trash2 } from 'lucide-react';
import { download } from '#core/files/download.ts';
import { defineAction, type Action } from '#kit/list/action.ts';
import { texts } from './messages.ts';

const MAX_REASON = 128;

const about = ({ subject, serialNumber, deviceSn }: CertificateRow): string =>
  [subject, deviceSn, serialNumber].filter((part) => part !== null).join(' · ');

const request: Action<CertificateRow> = {
  key: 'request',
  label: texts.request,
  icon: FileKey,
  right: certificate.request,
  when: ({ kind }) => kind === 'head_end',
  act: { kind: 'run', run: ({ id }) => download(certificate.request, { params: { id } }) },
};

const save: Action<CertificateRow> = {
  key: 'file',
  label: texts.download,
  icon: Download,
  right: certificate.file,
  when: ({ state }) => state !== 'waiting',
  act: { kind: 'run', run: ({ id }) => download(certificate.file, { params: { id } }) },
};

const use = defineAction<CertificateRow, typeof certificate.use>({
  key: 'use',
  label: texts.use,
  icon: CircleCheck,
  when: ({ kind, isCurrent, state }) => kind === 'head_end' && !isCurrent && (state === 'valid' || state === 'expiring'),
  route: certificate.use,
  order: ({ id }) => ({ params: { id } }),
  confirm: { title: texts.useTitle, effect: texts.useEffect, about },
  done: texts.used,
});

const remove = defineAction<CertificateRow, typeof certificate.remove>({
  key: 'delete',
  label: texts.remove,
  icon: Trash2,
  isDanger: true,
  route: certificate.remove,
  order: ({ id }, reason) => ({ params: { id }, body: { reason } }),
  confirm: {
    title: texts.removeCertificate,
    effect: texts.removeHint,
    about,
    reason: { label: texts.reason, max: MAX_REASON, missing: RULES.reason },
  },
  done: texts.removed,
  removesRow: true,
});

/** In the order of the menu. */
export const certificateActions = [request, save, use, remove];
