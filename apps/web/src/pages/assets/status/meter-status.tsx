import { meter } from '@hes/contract/asset/meter.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { ExchangeDrawer } from './exchange-drawer.tsx';
import { texts } from './messages.ts';
import { causesOf, healthOf, type StatusAction } from '@hes/contract/status/cause.ts';
import { METER_CAUSES } from '@hes/contract/status/meter-causes.ts';
import { meterStatus, type MeterFacts } from '@hes/contract/status/meter-status.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { MeterIcon } from '#domain/node-tree/device-icons.tsx';
import { FRESHNESS, INVENTORY } from '#domain/states/tables.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { CauseList } from './cause-list.tsx';
import { Attempts, Events, Gaps } from './meter-evidence.tsx';
import { ClockAndLoss, MeterIdentity } from './meter-identity.tsx';
import { useMeterButtons } from './meter-buttons.tsx';
import { RoutePanel } from './route-panel.tsx';
import { StatusHead } from './status-head.tsx';
import { Timeline } from './timeline.tsx';
import styles from './status.module.css';

const POLL_MS = 60_000;
/** Offered whatever the causes are. */
const ALWAYS: readonly StatusAction[] = ['readNow', 'readings', 'events', 'route', 'relay', 'clock'];

/** Replaces the meter on site; afterwards the page shows the new one. */
function ExchangeButton({ facts: { id, sn, inventoryState } }: { facts: MeterFacts }) {
  const t = useMessages(texts);
  const may = useMay();
  const [, setUrl] = useUrl(PAGE_WORDS.status);
  const [isOpen, setOpen] = useState(false);
  if (inventoryState === 'in_warehouse' || !may(meter.replace)) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('exchange')}</Button>
      {isOpen ? (
        <ExchangeDrawer
          old={{ id, sn }}
          onDone={(newId) => {
            setOpen(false);
            setUrl({ node: `meter:${newId}` });
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

function MeterSheet({ facts }: { facts: MeterFacts }) {
  const { buttons, shown } = useMeterButtons(facts);
  const codes = causesOf(METER_CAUSES, facts);
  const health = healthOf(METER_CAUSES, codes);
  return (
    <>
      <StatusHead
        icon={<MeterIcon size={22} aria-hidden="true" />}
        sn={facts.sn}
        place={[facts.customerName, facts.address, facts.transformer?.name, facts.typeName]}
        health={health}
        states={
          <>
            <StateOf tag sign={INVENTORY[facts.inventoryState]} />
            <StateOf tag sign={FRESHNESS[facts.freshness]} />
          </>
        }
      >
        {buttons(ALWAYS)}
        <ExchangeButton facts={facts} />
      </StatusHead>
      <CauseList table={METER_CAUSES} codes={codes} facts={facts} at={facts.at} buttons={buttons} />
      <div className={styles['columns']}>
        <div>
          <RoutePanel facts={facts} />
          <Attempts rows={facts.attempts} />
          <Gaps rows={facts.gaps} />
          <Events rows={facts.events} />
        </div>
        <div>
          <MeterIdentity facts={facts} />
          <ClockAndLoss facts={facts} />
          <Timeline rows={facts.timeline} />
        </div>
      </div>
      {shown}
    </>
  );
}

/** The status of one meter, from one request. */
export function MeterStatus({ id }: { id: string }) {
  const facts = useApiQuery(meterStatus.get, { params: { id }, refetchMs: POLL_MS });
  return (
    <PanelState query={facts} lines={12}>
      {(data) => <MeterSheet facts={data} />}
    </PanelState>
  );
}
