import { SIGNATURE_TEXT, UPGRADE_PROTOCOL_TEXT, UPGRADE_TARGET_TEXT } from '@hes/contract/states/upgrade.ts';
import { firmware, type FirmwareRow } from '@hes/contract/upgrade/firmware.ts';
import { Package } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { CopyButton, Num } from '#kit/basics/text.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { RecordPane } from '#kit/pane/record-pane.tsx';
import { Tags } from '#kit/basics/tags.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FIRMWARE } from '#domain/upgrade-state/upgrade-tables.ts';
import { nameOf } from './library-actions.ts';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

/** The details of a firmware. */
export function FirmwarePane({ id, rows, select, buttonsOf }: PaneProps<FirmwareRow>) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const query = useApiQuery(firmware.get, { params: { id } });
  return (
    <RecordPane<FirmwareRow>
      id={id}
      rows={rows}
      query={query}
      label={query.data?.name ?? t('firmware')}
      icon={<Package size={20} aria-hidden="true" />}
      head={(row) => ({
        title: nameOf(row),
        place: `${called(row.supplierName)} · ${say(UPGRADE_TARGET_TEXT[row.targetKind])}`,
        state: <StateOf tag sign={FIRMWARE[row.state]} />,
      })}
      actions={buttonsOf}
      properties={(row) => [
        { label: t('upgradeFile'), value: row.upgradeFile },
        { label: t('size'), value: <Num value={row.size} unit={t('octets')} /> },
        { label: t('format'), value: row.format },
        { label: t('signature'), value: say(SIGNATURE_TEXT[row.signature]) },
        { label: t('upgradeProtocol'), value: say(UPGRADE_PROTOCOL_TEXT[row.upgradeProtocol]) },
        { label: t('blockSize'), value: <Num value={row.blockSize} /> },
        { label: t('imageIdentifier'), value: <span className="mono">{row.imageIdentifier}</span> },
        { label: t('usedIn'), value: t('usedJobs', { count: row.jobs }) },
        {
          label: t('sha256'),
          wide: true,
          value: (
            <span className={`mono ${styles['hash']}`}>
              {row.sha256} <CopyButton text={row.sha256} />
            </span>
          ),
        },
        { label: t('types'), wide: true, value: <Tags words={row.types.map(({ name }) => called(name))} /> },
        {
          label: t('fromVersions'),
          wide: true,
          value: row.fromVersions.length > 0 ? <Tags words={row.fromVersions} /> : t('everyVersion'),
        },
        { label: t('upgradeReason'), wide: true, value: row.upgradeReason },
        { label: t('fileProvider'), wide: true, value: row.fileProvider },
        { label: t('uploadedBy'), wide: true, value: `${row.createdByName ?? '—'} · ${dateTime(row.createdAt)}` },
        {
          label: t('approvedBy'),
          wide: true,
          value: row.approvedAt ? `${row.approvedByName ?? '—'} · ${dateTime(row.approvedAt)}` : '—',
        },
      ]}
      onSelect={select}
    />
  );
}
