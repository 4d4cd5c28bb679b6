import type { ArchiveRow } from '@hes/contract/asset/archive.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Properties, Sn } from '#kit/basics/text.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import { MeterIcon } from '#domain/node-tree/device-icons.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { bindSign, DELETE, DIFF, dispatchSign, distributionSign } from '#domain/states/tables.ts';
import { isProven } from './known.ts';
import { fieldText, FIELDS, texts } from './texts.ts';
import styles from './archives.module.css';

/** The three views of one meter, field by field. */
export function RowPane({ id, rows, select, buttonsOf }: PaneProps<ArchiveRow>) {
  const t = useMessages(texts);
  const called = useModelName();
  const say = useSay();
  const reason = useReason();
  const keyed = rows.map((one) => ({ id: `${one.dcuId}/${one.sn}`, row: one }));
  const row = keyed.find((one) => one.id === id)?.row;
  if (row === undefined) return null;
  const { hes, dcu, air } = row;
  const airText: Partial<Record<(typeof FIELDS)[number][0], string>> = air
    ? { communicationMode: t(air.communicationMode), phase: air.phase === 'unknown' ? '—' : air.phase.toUpperCase() }
    : {};
  return (
    <SidePane label={t('detail', { sn: row.sn })}>
      <PaneHead
        icon={<MeterIcon size={20} aria-hidden="true" />}
        title={<Sn sn={row.sn} />}
        place={[row.meterTypeName === null ? t('unknownMeter') : called(row.meterTypeName), row.customerNo].filter(Boolean).join(' · ')}
        state={
          <>
            <StateOf tag sign={bindSign(row.bindState, row.dispatchState)} />
            <StateOf tag sign={dispatchSign(row.bindState, row.dispatchState, isProven(row))} />
            {row.diffKind ? <StateOf tag sign={DIFF[row.diffKind]} /> : null}
          </>
        }
        {...stepsOf(keyed, id, select)}
      />
      <PaneActions>{buttonsOf(row, { hasMain: false })}</PaneActions>
      <PaneSection title={t('archive')}>
        <table className={styles['compareTable']}>
          <thead>
            <tr>
              <th scope="col">{t('field')}</th>
              <th scope="col">{t('hesSide')}</th>
              <th scope="col">{t('dcuSide')}</th>
              <th scope="col">{t('airSide')}</th>
            </tr>
          </thead>
          <tbody>
            {FIELDS.map(([field, label]) => (
              <tr key={field} data-differs={row.diffFields.includes(field) || undefined}>
                <td>{t(label)}</td>
                <td>{hes ? fieldText(hes, field, t) : '—'}</td>
                <td>{dcu ? fieldText(dcu, field, t) : '—'}</td>
                <td>{airText[field] ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </PaneSection>
      <Properties
        items={[
          ...(row.otherDcuSn ? [{ label: t('difference'), value: t('inDcuSn', { sn: row.otherDcuSn }) }] : []),
          {
            label: t('distribution'),
            value: row.distributionState ? <StateOf sign={distributionSign(row.distributionState, isProven(row))} /> : null,
          },
          { label: t('deleteStatus'), value: <StateOf sign={DELETE[row.deleteStatus]} /> },
          { label: t('lastDispatch'), value: row.lastDispatchAt ? dateTime(row.lastDispatchAt) : null },
          { label: t('operator'), value: row.lastDispatchBy },
          { label: t('lastVerify'), value: row.lastVerifyAt ? dateTime(row.lastVerifyAt) : null },
          { label: t('result'), value: row.lastResult ? t(row.lastResult) : null },
          ...(row.lastReasonCode ? [{ label: t('reasonOf'), value: reason(row.lastReasonCode) }] : []),
          ...(air
            ? [
                { label: t('hops'), value: air.hops },
                {
                  label: t('signal'),
                  value: `${say(SIGNAL_TEXT[air.signal])}${air.signalValue === null ? '' : ` (${air.signalValue} ${air.signalUnit})`}`,
                },
                { label: t('heard'), value: dateTime(air.lastSeen) },
              ]
            : []),
        ]}
      />
    </SidePane>
  );
}
