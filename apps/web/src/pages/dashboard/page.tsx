import { useDeferredValue } from 'react';
import { useMe } from '#core/api/may.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { HOME, PAGES } from '#core/url/pages.ts';
import { CompletenessPanel } from '#pages/dashboard/panels/completeness-panel.tsx';
import { EventsPanel } from '#pages/dashboard/panels/events-panel.tsx';
import { AnomaliesPanel, ArchivesPanel, AvailabilityPanel, LossesPanel, SignalPanel } from '#pages/dashboard/panels/fleet-cards.tsx';
import { EmergencyNotice } from '#pages/dashboard/panels/emergency-notice.tsx';
import { FillingNotice } from '#pages/dashboard/panels/filling-notice.tsx';
import { FreshnessPanel } from '#pages/dashboard/panels/freshness-panel.tsx';
import { HeatPanel } from '#pages/dashboard/panels/heat-panel.tsx';
import { KpiBand } from '#pages/dashboard/panels/kpi-band.tsx';
import { LoadPanel } from '#pages/dashboard/panels/load-panel.tsx';
import { MapPanel } from '#pages/dashboard/panels/map-panel.tsx';
import { NoArea } from './no-area.tsx';
import { TasksPanel } from '#pages/dashboard/panels/tasks-panel.tsx';
import { UpgradesPanel } from '#pages/dashboard/panels/upgrades-panel.tsx';
import { WorstPanel } from '#pages/dashboard/panels/worst-panel.tsx';
import styles from './dashboard.module.css';

/** Health of the fleet, completeness of the data, and the worst devices. */
function Cards() {
  useTopic('dcu');
  useTopic('reading');
  useTopic('event');
  // The figures render first, then the panels below.
  const isComplete = useDeferredValue(true, false);
  return (
    <div className={styles['page']} data-paper="as-drawn">
      <KpiBand />
      {isComplete ? (
        <>
          <MapPanel />
          <HeatPanel />
          <LoadPanel />
          <div className={styles['rail']}>
            <FreshnessPanel />
            <EventsPanel />
            <SignalPanel />
          </div>
          <div className={styles['more']}>
            <CompletenessPanel />
            <ArchivesPanel />
            <AnomaliesPanel />
            <TasksPanel />
            <AvailabilityPanel />
            <UpgradesPanel />
            <WorstPanel />
            <LossesPanel />
          </div>
        </>
      ) : null}
    </div>
  );
}

function FilledCards() {
  return (
    <>
      <EmergencyNotice />
      <FillingNotice />
      <Cards />
    </>
  );
}

export default function DashboardPage() {
  const { data: me } = useMe();
  const say = useSay();
  return (
    <>
      <h1 className="visually-hidden">{say(PAGES[HOME].title)}</h1>
      {me?.scope.kind === 'none' ? <NoArea me={me} /> : <FilledCards />}
    </>
  );
}
