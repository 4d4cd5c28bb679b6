import { headed, offsetHeading } from '@hes/contract/core/unit.ts';
import { Image, Sheet } from 'lucide-react';
import type { RefObject } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { timeCells } from '#kit/table/sheet.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { downloadCsv, saveFile } from '#core/files/download-csv.ts';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import { chartTexts } from './chart.messages.ts';
import styles from './line-chart.module.css';

interface ChartToolsProps {
  /** File name without extension. */
  name: string;
  box: RefObject<HTMLDivElement | null>;
  timeLabel: string;
  unit: string;
  dayTimes?: string[];
  times: number[];
  series: { label: string; values: (number | null)[] }[];
  notes?: { label: string; texts: string[] };
}

/** The chart with the background of its panel: the canvas itself is transparent. */
function pictureOf(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext('2d');
  if (context) {
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--surface') || '#fff';
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(canvas, 0, 0);
  }
  return copy;
}

/** Saves a chart as an image, or its full data as CSV, not only the downsampled points. */
export function ChartTools({ name, box, timeLabel, unit, dayTimes, times, series, notes }: ChartToolsProps) {
  const t = useMessages(chartTexts);
  const locale = usePreferences((state) => state.locale);
  const savePng = () => {
    const canvas = box.current?.querySelector('canvas');
    if (canvas) pictureOf(canvas).toBlob((blob) => blob && saveFile(`${name}.png`, blob), 'image/png');
  };
  const saveCsv = () =>
    downloadCsv(name, [
      [
        ...(dayTimes ? [timeLabel] : [timeLabel, offsetHeading(timeLabel, locale)]),
        ...series.map(({ label }) => headed(label, unit)),
        ...(notes ? [notes.label] : []),
      ],
      ...times.map((at, index) => [
        ...(dayTimes ? [dayTimes[at]] : timeCells(at * 1000)),
        ...series.map(({ values }) => values[index]),
        ...(notes ? [notes.texts[index]] : []),
      ]),
    ]);
  return (
    <span className={styles['tools']}>
      <PlainButton
        look="text"
        size="small"
        aria-label={t('png')}
        title={t('png')}
        icon={<Image size={13} aria-hidden="true" />}
        onClick={savePng}
      />
      <PlainButton
        look="text"
        size="small"
        aria-label={t('csv')}
        title={t('csv')}
        icon={<Sheet size={13} aria-hidden="true" />}
        onClick={saveCsv}
      />
    </span>
  );
}
