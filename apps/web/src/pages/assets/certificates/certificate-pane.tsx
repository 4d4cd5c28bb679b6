import { certificate, type CertificateRow } from '@hes/contract/asset/certificate.ts';
import { CERTIFICATE_KIND_TEXT, CERTIFICATE_USAGE_TEXT } from '@hes/contract/states/certificate.ts';
import { FileBadge } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { CopyButton } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DeviceLink } from './device-link.tsx';
import { texts } from './messages.ts';
import { CERTIFICATE } from './signs.ts';

/** The details of a certificate or of a key pair of the head-end. */
export function CertificatePane({ id, rows, select, buttonsOf }: PaneProps<CertificateRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const query = useApiQuery(certificate.get, { params: { id } });
  return (
    <RecordPane<CertificateRow>
      id={id}
      rows={rows}
      query={query}
      label={query.data?.subject ?? t('title')}
      icon={<FileBadge size={20} aria-hidden="true" />}
      head={(row) => ({
        title: <span className="mono">{row.subject}</span>,
        place: say(CERTIFICATE_KIND_TEXT[row.kind]),
        state: <StateOf tag sign={CERTIFICATE[row.state]} extra={row.isCurrent ? `· ${t('inUse')}` : ''} />,
      })}
      actions={buttonsOf}
      properties={(row) => [
        { label: t('device'), value: <DeviceLink row={row} /> },
        { label: t('usage'), value: row.usages.map((usage) => say(CERTIFICATE_USAGE_TEXT[usage])).join(', ') },
        { label: t('suite'), value: t(row.suite === 1 ? 'suiteOne' : 'suiteTwo') },
        { label: t('issuer'), value: row.issuer },
        { label: t('validFrom'), value: row.validFrom && dateTime(row.validFrom) },
        { label: t('validTo'), value: row.validTo && dateTime(row.validTo) },
        { label: t('serialNumber'), wide: true, value: row.serialNumber && <span className="mono">{row.serialNumber}</span> },
        {
          label: t('fingerprint'),
          wide: true,
          value: (
            <span className="mono">
              {row.fingerprint} <CopyButton text={row.fingerprint} />
            </span>
          ),
        },
        { label: t('added'), wide: true, value: `${dateTime(row.createdAt)} · ${row.createdByName ?? '—'}` },
      ]}
      onSelect={select}
    />
  );
}
