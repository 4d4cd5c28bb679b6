import { useTopic } from '#shared/live/live.ts';
import { CompletenessPanel } from './completeness-panel.tsx';
import { FreshnessPanel } from './freshness-panel.tsx';
import { HeatPanel } from './heat-panel.tsx';
import { KpiBand } from './kpi-band.tsx';
import { LoadPanel } from './load-panel.tsx';
import { MapPanel } from './map-panel.tsx';
import { TasksPanel } from './tasks-panel.tsx';
import { WorstPanel } from './worst-panel.tsx';
import styles from './dashboard.module.css';

/** Is the fleet alive, is the data in, where must I look first? */
export default function DashboardPage() {
  useTopic('dcu');
  useTopic('reading');
  return (
    <div className={styles['page']}>
      <KpiBand />
      <MapPanel />
      <HeatPanel />
      <LoadPanel />
      <div className={styles['rail']}>
        <FreshnessPanel />
        <CompletenessPanel />
        <TasksPanel />
        <WorstPanel />
      </div>
    </div>
  );
}
