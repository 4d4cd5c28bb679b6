import { LineChart } from '#kit/chart/line-chart.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { texts } from './columns.tsx';
import { useRowState } from './row-state.ts';
import { CHARTS, secondsOf, valueOf, type Kind, type Row } from './data-kinds.ts';

/** The rows of one meter as curves with gaps for missing values; quantities that the meter does not measure are left out. */
export function ChartView({ kind, rows }: { kind: Kind; rows: Row[] }) {
  const t = useMessages(texts);
  const say = useSay();
  const state = useRowState();
  const { unit, decimals, lines } = CHARTS[kind];
  const ordered = rows.toSorted((a, b) => secondsOf(a) - secondsOf(b));
  const series = lines
    .map((line) => ({
      label: say(line.label),
      colour: line.colour,
      values: ordered.map((row) => valueOf(row, line.key)),
      fill: line.colour === 'primary' && kind === 'lpa',
    }))
    .filter((line) => line.values.some((value) => value !== null));
  return (
    <LineChart
      timeLabel={t('ts')}
      label={`${t(kind)}: ${series.map((line) => line.label).join(', ')}`}
      times={ordered.map(secondsOf)}
      series={series}
      unit={unit}
      decimals={decimals}
      name={kind}
      notes={{ label: t('quality'), texts: ordered.map(state.sentence) }}
    />
  );
}
