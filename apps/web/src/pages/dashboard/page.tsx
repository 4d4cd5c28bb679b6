import { useDeferredValue } from 'react';
import { useMe } from '#shared/api/may.ts';
import { useTopic } from '#shared/live/live.ts';
import { CompletenessPanel } from './completeness-panel.tsx';
import { EventsPanel } from './events-panel.tsx';
import { AnomaliesPanel, ArchivesPanel, AvailabilityPanel, LossesPanel, SignalPanel } from './fleet-cards.tsx';
import { FreshnessPanel } from './freshness-panel.tsx';
import { HeatPanel } from './heat-panel.tsx';
import { KpiBand } from './kpi-band.tsx';
import { LoadPanel } from './load-panel.tsx';
import { MapPanel } from './map-panel.tsx';
import { NoArea } from './no-area.tsx';
import { TasksPanel } from './tasks-panel.tsx';
import { UpgradesPanel } from './upgrades-panel.tsx';
import { WorstPanel } from './worst-panel.tsx';
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

export default function DashboardPage() {
  const { data: me } = useMe();
  return me?.scope.kind === 'none' ? <NoArea me={me} /> : <Cards />;
}
