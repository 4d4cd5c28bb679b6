import { Gauge, type Registry } from 'prom-client';
import type { InstallationFigures } from './queries.ts';

interface Series {
  labels: Record<string, string>;
  value: number;
}

/** A gauge of the installation: its name, its help, and the series of the figures. */
interface InstallationMetric {
  name: string;
  help: string;
  labelNames: string[];
  series(figures: InstallationFigures): Series[];
}

const single = (value: number | null): Series[] => (value === null ? [] : [{ labels: {}, value }]);

const METRICS: readonly InstallationMetric[] = [
  {
    name: 'hes_queue_items',
    help: 'Items of tasks that are not finished, by priority (1 is the most urgent); without paused tasks and those that wait for approval.',
    labelNames: ['priority'],
    series: ({ queue }) => queue.map(({ priority, items }) => ({ labels: { priority: String(priority) }, value: items })),
  },
  {
    name: 'hes_queue_oldest_seconds',
    help: 'Age of the oldest task that is not finished, by priority.',
    labelNames: ['priority'],
    series: ({ queue }) => queue.map(({ priority, oldestSeconds }) => ({ labels: { priority: String(priority) }, value: oldestSeconds })),
  },
  {
    name: 'hes_endpoints',
    help: 'DCUs and direct meters by their connection status.',
    labelNames: ['kind', 'status'],
    series: ({ endpoints }) => endpoints.map(({ kind, status, count }) => ({ labels: { kind, status }, value: count })),
  },
  {
    name: 'hes_gaps',
    help: 'Gaps that are still read again, by profile: one per meter and day.',
    labelNames: ['profile'],
    series: ({ gaps }) => gaps.map(({ profile, count }) => ({ labels: { profile }, value: count })),
  },
  {
    name: 'hes_gap_values',
    help: 'Missing values of the gaps, by profile.',
    labelNames: ['profile'],
    series: ({ gaps }) => gaps.map(({ profile, values }) => ({ labels: { profile }, value: values })),
  },
  {
    name: 'hes_incidents_open',
    help: 'Incidents of the last day that are not acknowledged, by level.',
    labelNames: ['level'],
    series: ({ incidents }) => incidents.map(({ level, count }) => ({ labels: { level }, value: count })),
  },
  {
    name: 'hes_certificate_ends_seconds',
    help: 'Time until the first certificate expires that has no successor, by kind.',
    labelNames: ['kind'],
    series: ({ certificates }) =>
      certificates.flatMap(({ kind, seconds }) => (seconds === null ? [] : [{ labels: { kind }, value: seconds }])),
  },
  {
    name: 'hes_certificates_expired',
    help: 'Certificates that have expired and have no successor, by kind.',
    labelNames: ['kind'],
    series: ({ certificates }) => certificates.map(({ kind, expired }) => ({ labels: { kind }, value: expired })),
  },
  {
    name: 'hes_program_token_ends_seconds',
    help: 'Time until the first valid token of a program expires.',
    labelNames: [],
    series: ({ programTokens }) => single(programTokens.firstEndsSeconds),
  },
  {
    name: 'hes_delivery_failures',
    help: 'Attempts of a sender without success in a row; paused senders are left out.',
    labelNames: ['sender'],
    series: ({ deliveries }) => deliveries.map(({ sender, failures }) => ({ labels: { sender }, value: failures })),
  },
  {
    name: 'hes_delivery_dead_letters',
    help: 'Messages of a sender that its receiver refused for good.',
    labelNames: ['sender'],
    series: ({ deliveries }) => deliveries.map(({ sender, deadLetters }) => ({ labels: { sender }, value: deadLetters })),
  },
  {
    name: 'hes_alarm_channel_failures',
    help: 'Attempts of a channel of alarms without success in a row; paused channels are left out.',
    labelNames: ['channel'],
    series: ({ alarmChannels }) => alarmChannels.map(({ channel, failures }) => ({ labels: { channel }, value: failures })),
  },
  {
    name: 'hes_alarm_messages_waiting',
    help: 'Messages of alarms that were not sent yet.',
    labelNames: [],
    series: ({ alarms }) => single(alarms.waiting),
  },
  {
    name: 'hes_alarm_message_oldest_seconds',
    help: 'Age of the oldest message of an alarm that was not sent yet; 0: none waits.',
    labelNames: [],
    series: ({ alarms }) => single(alarms.oldestSeconds),
  },
  {
    name: 'hes_alarms_unacknowledged',
    help: 'Alarms that rules have raised and nobody has acknowledged.',
    labelNames: [],
    series: ({ alarms }) => single(alarms.unacknowledged),
  },
  {
    name: 'hes_nodes_alive',
    help: 'Head-ends on this database that have not ended.',
    labelNames: [],
    series: ({ livingNodes }) => single(livingNodes),
  },
  {
    name: 'hes_partitions_end_seconds',
    help: 'Time until the last partition of readings ends.',
    labelNames: [],
    series: ({ partitionsEndSeconds }) => single(partitionsEndSeconds),
  },
];

/** Registers the gauges of the installation; the returned function fills them, or empties them when the figures are not known. */
export function registerInstallationMetrics(registry: Registry): (figures: InstallationFigures | undefined) => void {
  const registers = [registry];
  const gauges = METRICS.map((metric) => ({ metric, gauge: new Gauge({ ...metric, registers }) }));
  const known = new Gauge({
    name: 'hes_database_up',
    help: '1: the database answered; 0: it did not, and no figure of the installation is shown.',
    registers,
  });
  return (figures) => {
    known.set(figures === undefined ? 0 : 1);
    for (const { metric, gauge } of gauges) {
      const series = figures === undefined ? [] : metric.series(figures);
      gauge.reset();
      // After a reset, a gauge without labels would show 0 instead of nothing.
      if (series.length === 0 && metric.labelNames.length === 0) gauge.remove();
      for (const { labels, value } of series) gauge.labels(labels).set(value);
    }
  };
}
