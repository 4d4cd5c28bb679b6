import type { CertificateRow } from '@hes/contract/asset/certificate.ts';
import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { OwnClicks } from '#kit/table/row-actions.tsx';

/** The device of a certificate, with a link to its record. */
export function DeviceLink({ row: { deviceKind, deviceSn } }: { row: Pick<CertificateRow, 'deviceKind' | 'deviceSn'> }) {
  if (deviceSn === null) return '—';
  const target = deviceKind === 'dcu' ? to.dcus({ search: deviceSn }) : to.meterAssets({ tab: 'assets', search: deviceSn });
  return (
    <OwnClicks>
      <Link to={target}>{deviceSn}</Link>
    </OwnClicks>
  );
}
