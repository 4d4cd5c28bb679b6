import { WRAPPER_PORT } from '@hes/contract/asset/connection.ts';
import { meter as meters, type AssetRow, type ReplacementRow, type OtherRegisters } from '@hes/contract/asset/meter.ts';
import { CONNECTION_TYPE_TEXT, METER_PHASE_TEXT, RECORDED_PHASE_TEXT } from '@hes/contract/text/device-text.ts';
import { PROTOCOL_TEXT } from '@hes/contract/text/type-text.ts';
import { to } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { Gauge } from 'lucide-react';
import { Link, useNavigate } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { Model } from '#domain/models/model.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { CopyButton, Properties } from '#kit/basics/text.tsx';
import { MeterIcon } from '#domain/node-tree/device-icons.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane, stepsOf } from '#kit/pane/side-pane.tsx';
import { StatusLink } from '#domain/states/status-link.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { FRESHNESS, INVENTORY, ONLINE } from '#domain/states/tables.ts';
import { ArchiveOf, Rate } from './asset-cells.tsx';
import { useRegisterNames } from './exchange-registers.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const kwh = (value: number | null): string => (value === null ? '—' : `${figure(value, 2)} kWh`);

/** Registers of a replaced or new meter, in addition to its total. */
function Others({ sn, registers }: { sn: string; registers: OtherRegisters }) {
  const known = useRegisterNames().flatMap(({ name, label }) => {
    const value = registers[name];
    return value === null ? [] : [`${label} ${figure(value, 2)}`];
  });
  return known.length === 0 ? null : <small>{`${sn}: ${known.join(' · ')}`}</small>;
}

function Exchanges({ rows }: { rows: ReplacementRow[] }) {
  const t = useMessages(texts);
  if (rows.length === 0) return <Empty small text={t('noExchange')} />;
  return (
    <ul className={styles['exchanges']}>
      {rows.map((row) => (
        <li key={row.id}>
          <span className="mono">{row.oldSn}</span> {kwh(row.finalKwh)} →{' '}
          {row.newSn === null ? t('removedOnly') : <span className="mono">{row.newSn}</span>}{' '}
          {row.newSn === null ? '' : kwh(row.initialKwh)}
          <Others sn={row.oldSn} registers={row.final} />
          {row.newSn === null ? null : <Others sn={row.newSn} registers={row.initial} />}
          <small>{[dateTime(row.at), row.transformerName, row.customerNo, row.byName, row.note].filter(Boolean).join(' · ')}</small>
        </li>
      ))}
    </ul>
  );
}

/** Details of a meter: properties, location and history. */
export function AssetPane({ id, rows, select, buttonsOf }: PaneProps<AssetRow>) {
  const t = useMessages(texts);
  const say = useSay();
  const navigate = useNavigate();
  const query = useApiQuery(meters.asset, { params: { id } });
  return (
    <SidePane label={t('detail', { sn: query.data?.sn ?? '' })}>
      <PanelState query={query} lines={12}>
        {(meter) => (
          <>
            <PaneHead
              icon={<MeterIcon size={20} aria-hidden="true" />}
              title={
                <>
                  <StatusLink kind="meter" id={meter.id} sn={meter.sn} />
                  <CopyButton text={meter.sn} />
                </>
              }
              place={[meter.customerName, meter.address, meter.transformerName, meter.levelName].filter(Boolean).join(' · ')}
              state={
                <>
                  <StateOf tag sign={INVENTORY[meter.inventoryState]} />
                  <ArchiveOf row={meter} />
                </>
              }
              {...stepsOf(rows, id, select)}
            />
            <PaneActions>
              <Button
                type="primary"
                icon={<Gauge size={15} aria-hidden="true" />}
                onClick={() => void navigate(to.readings({ node: `meter:${meter.id}` }))}
              >
                {t('readings')}
              </Button>
              {buttonsOf(meter, { hasMain: false })}
            </PaneActions>
            <PaneSection title={t('properties')}>
              <Properties
                items={[
                  { label: t('type'), value: <Model name={meter.meterTypeName} /> },
                  { label: t('supplier'), value: <Model name={meter.supplierName} /> },
                  { label: t('accuracy'), value: meter.accuracy },
                  { label: t('voltage'), value: meter.voltage },
                  { label: t('current'), value: meter.current },
                  { label: t('wiring'), value: say(METER_PHASE_TEXT[meter.phase]) },
                  { label: t('recordedPhase'), value: say(RECORDED_PHASE_TEXT[meter.recordedPhase]) },
                  { label: t('isMaster'), value: t(meter.isMaster ? 'yes' : 'no') },
                  { label: t('mode'), value: t(meter.communicationMode) },
                  ...(meter.connection === null
                    ? []
                    : [
                        { label: t('connectionType'), value: say(CONNECTION_TYPE_TEXT[meter.connection.connectionType]) },
                        { label: t('onlineStatus'), value: <StateOf sign={ONLINE[meter.connection.onlineStatus]} /> },
                        ...(meter.connection.host === null
                          ? []
                          : [{ label: t('host'), value: `${meter.connection.host}:${meter.connection.port ?? WRAPPER_PORT}` }]),
                        { label: t('protocol'), value: say(PROTOCOL_TEXT[meter.connection.protocol]) },
                        ...(meter.connection.physicalAddress === null
                          ? []
                          : [{ label: t('physicalAddress'), value: meter.connection.physicalAddress }]),
                      ]),
                  {
                    label: t('dcu'),
                    value: meter.dcuId ? (
                      <Link to={to.archives({ dcuId: meter.dcuId, sn: meter.sn })}>{meter.dcuSn}</Link>
                    ) : meter.connection === null ? null : (
                      t('noDcu')
                    ),
                  },
                  { label: t('customerNo'), value: meter.customerNo },
                  { label: t('ctRatio'), value: meter.ctRatio },
                  { label: t('ptRatio'), value: meter.ptRatio },
                  { label: t('freshness'), value: <StateOf sign={FRESHNESS[meter.freshness]} /> },
                  { label: t('lastComm'), value: meter.lastCommAt ? dateTime(meter.lastCommAt) : null },
                  { label: t('readingTime'), value: meter.lastReadAt ? dateTime(meter.lastReadAt) : null },
                  { label: t('freezeDate'), value: meter.dailyFreezeDate },
                  { label: t('readingRate'), value: <Rate percent={meter.readRate30d} /> },
                  { label: t('firmware'), value: meter.firmwareVersion },
                  { label: t('keys'), value: t((meter.keys.ek && meter.keys.ak) || meter.keys.password ? 'keysStored' : 'keysMissing') },
                  { label: t('systemTitle'), value: meter.systemTitle ? <span className="mono">{meter.systemTitle}</span> : null },
                  { label: t('installedAt'), value: meter.installedAt ? dateTime(meter.installedAt) : null },
                  ...(meter.removedAt ? [{ label: t('removedAt'), value: dateTime(meter.removedAt) }] : []),
                  { label: t('createdAt'), value: dateTime(meter.createdAt) },
                  ...(meter.note ? [{ label: t('note'), value: meter.note }] : []),
                ]}
              />
            </PaneSection>
            <PaneSection title={t('exchanges')} note={String(meter.replacements.length)}>
              <Exchanges rows={meter.replacements} />
            </PaneSection>
          </>
        )}
      </PanelState>
    </SidePane>
  );
}
