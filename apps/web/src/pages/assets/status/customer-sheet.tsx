import { exchange } from '@hes/contract/asset/exchange.ts';
import { App, Button } from 'antd';
import { failureText } from '#core/api/errors.ts';
import { download } from '#core/files/download.ts';
import { bill } from '@hes/contract/analysis/bill.ts';
import { to } from '@hes/contract/page/links.ts';
import { BILL_STATUS_TEXT } from '@hes/contract/states/bill.ts';
import { causesOf, healthOf, worstHealth, type StatusAction } from '@hes/contract/status/cause.ts';
import { customerStatus, type CustomerFacts } from '@hes/contract/status/customer-status.ts';
import { METER_CAUSES } from '@hes/contract/status/meter-causes.ts';
import type { MeterFacts } from '@hes/contract/status/meter-status.ts';
import { RELAY_TEXT } from '@hes/contract/text/device-text.ts';
import { UserRound } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { FRESHNESS, INVENTORY } from '#domain/states/tables.ts';
import { StatusLink } from '#domain/states/status-link.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { CauseList } from './cause-list.tsx';
import { shortTime } from './meter-evidence.tsx';
import { useMeterButtons } from './meter-buttons.tsx';
import { texts } from './messages.ts';
import { Rows } from './rows.tsx';
import { StatusHead } from './status-head.tsx';
import styles from './status.module.css';

const POLL_MS = 60_000;
/** Offered for each meter. */
const ALWAYS: readonly StatusAction[] = ['readNow', 'readings', 'relay'];
const kwh = (value: number | null): string => (value === null ? '—' : `${figure(value, 2)} kWh`);

/** Why one meter of the supply is not well, with the buttons for it. */
function MeterCauses({ facts }: { facts: MeterFacts }) {
  const t = useMessages(texts);
  const { buttons, shown } = useMeterButtons(facts);
  return (
    <>
      <CauseList
        title={t('causesOf', { sn: facts.sn })}
        table={METER_CAUSES}
        codes={causesOf(METER_CAUSES, facts)}
        facts={facts}
        at={facts.at}
        buttons={buttons}
        always={ALWAYS}
      />
      {shown}
    </>
  );
}

function Meters({ facts }: { facts: CustomerFacts }) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <Rows
      title={t('metersOf')}
      note={facts.meterCount > facts.meters.length ? t('firstOf', { shown: facts.meters.length, count: facts.meterCount }) : undefined}
      rows={facts.meters}
      empty="—"
      rowKey={({ id }) => id}
      columns={[
        { title: t('meterSn'), width: '17%', cell: ({ id, sn }) => <StatusLink kind="meter" id={id} sn={sn} /> },
        { title: t('addressOf'), cell: ({ address, transformer }) => [address, transformer?.name].filter(Boolean).join(' · ') || '—' },
        { title: t('status'), width: '14%', cell: ({ inventoryState }) => <StateOf sign={INVENTORY[inventoryState]} /> },
        { title: t('lastComm'), width: '14%', cell: ({ freshness }) => <StateOf sign={FRESHNESS[freshness]} /> },
        { title: t('lastRead'), width: '15%', cell: ({ lastReadAt }) => (lastReadAt === null ? t('never') : shortTime(lastReadAt)) },
        { title: t('relay'), width: '12%', cell: ({ relayState }) => say(RELAY_TEXT[relayState]) },
      ]}
    />
  );
}

function Bills({ rows }: { rows: CustomerFacts['bills'] }) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <Rows
      title={t('bills')}
      rows={rows}
      empty={t('noBills')}
      rowKey={({ periodId, meterId }) => `${periodId}/${meterId}`}
      columns={[
        {
          title: t('period'),
          width: '32%',
          cell: ({ firstDay, lastDay, sn }) => (
            <Link to={to.bills({ kind: 'custom', from: firstDay, to: lastDay, search: sn })}>{`${firstDay} – ${lastDay}`}</Link>
          ),
        },
        { title: t('meterSn'), width: '20%', cell: ({ sn }) => <Sn sn={sn} /> },
        { title: t('used'), width: '18%', cell: ({ plus }) => <Num value={plus} decimals={2} unit="kWh" /> },
        {
          title: t('amount'),
          width: '15%',
          cell: ({ amount, currency }) => <Num value={amount} decimals={2} {...(currency ? { unit: currency } : {})} />,
        },
        { title: t('status'), cell: ({ status }) => say(BILL_STATUS_TEXT[status]) },
      ]}
    />
  );
}

function PhotoLink({ id }: { id: string }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const open = () => download(exchange.photo, { params: { id } }).catch((error: unknown) => void message.error(failureText(error)));
  return (
    <Button size="small" type="link" onClick={() => void open()}>
      {t('photo')}
    </Button>
  );
}

function Exchanges({ rows }: { rows: CustomerFacts['exchanges'] }) {
  const t = useMessages(texts);
  return (
    <Rows
      title={t('exchanges')}
      rows={rows}
      empty={t('noExchanges')}
      rowKey={({ id }) => id}
      columns={[
        { title: t('time'), width: '8.5em', cell: ({ at }) => shortTime(at) },
        { title: t('removed'), cell: ({ oldMeterId, oldSn }) => <StatusLink kind="meter" id={oldMeterId} sn={oldSn} /> },
        { title: t('lastValue'), width: '17%', cell: ({ finalKwh }) => kwh(finalKwh) },
        {
          title: t('installedInstead'),
          cell: ({ newMeterId, newSn }) =>
            newMeterId === null || newSn === null ? '—' : <StatusLink kind="meter" id={newMeterId} sn={newSn} />,
        },
        { title: t('firstValue'), width: '17%', cell: ({ initialKwh }) => kwh(initialKwh) },
        { title: t('by'), width: '14%', cell: ({ byName, note }) => [byName, note].filter(Boolean).join(' · ') || '—' },
        { title: t('photo'), width: '9%', cell: ({ id, hasPhoto }) => (hasPhoto ? <PhotoLink id={id} /> : '—') },
      ]}
    />
  );
}

function CustomerSheet({ facts }: { facts: CustomerFacts }) {
  const t = useMessages(texts);
  const may = useMay();
  const health = worstHealth(facts.meters.map((one) => healthOf(METER_CAUSES, causesOf(METER_CAUSES, one))));
  const [first] = facts.meters;
  return (
    <>
      <StatusHead
        icon={<UserRound size={22} aria-hidden="true" />}
        sn={facts.no}
        writtenAs="number"
        place={[facts.name, facts.address, first?.transformer?.name]}
        health={health}
        states={null}
      >
        {may(bill.list) ? <LinkButton to={to.bills({ search: facts.no })}>{t('bills')}</LinkButton> : null}
      </StatusHead>
      {facts.meters.map((one) => (
        <MeterCauses key={one.id} facts={one} />
      ))}
      <Meters facts={facts} />
      <div className={styles['columns']}>
        <div>
          <Bills rows={facts.bills} />
        </div>
        <div>
          <Exchanges rows={facts.exchanges} />
        </div>
      </div>
    </>
  );
}

/** The supply of one customer, from one request. */
export function CustomerStatus({ no }: { no: string }) {
  const facts = useApiQuery(customerStatus.get, { query: { no }, refetchMs: POLL_MS });
  return (
    <PanelState query={facts} lines={12}>
      {(data) => <CustomerSheet facts={data} />}
    </PanelState>
  );
}
