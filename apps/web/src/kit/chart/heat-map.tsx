import type { ReactNode } from 'react';
import styles from './heat-map.module.css';

/** Colour steps in rising severity. Normal is pale, so that deviations stand out. */
export type Heat = 'calm' | 'pale' | 'warm' | 'amber' | 'orange' | 'red' | 'running' | 'nothing';

interface HeatCell {
  key: string;
  heat: Heat;
  tip: string;
  /** Accessible name of the button when the cell opens something; without it, the tooltip. */
  name?: string;
  onOpen?: () => void;
}

interface HeatRow {
  key: string;
  head: ReactNode;
  cells: HeatCell[];
  /** Cells to the right of the times, one per column of `ends`. */
  ends?: ReactNode[];
}

interface HeatMapProps {
  label: string;
  corner?: ReactNode;
  headPx: number;
  /** `text` may be empty to keep the header row readable; screen readers get `name`. */
  columns: { key: string; name: string; text: ReactNode }[];
  ends?: { key: string; title: string; widthPx: number; isText?: boolean }[];
  rows: HeatRow[];
}

const scaled = (px: number) => ({ width: `calc(${px}px * var(--boost))` });

/** A heat map of objects by time that shows gaps at a glance. It is a `<table>` for screen readers. */
export function HeatMap({ label, corner, headPx, columns, ends = [], rows }: HeatMapProps) {
  return (
    <div className={styles['scroll']}>
      <table className={styles['heat']} aria-label={label}>
        <thead>
          <tr>
            <th scope="col" style={scaled(headPx)}>
              {corner}
            </th>
            {columns.map(({ key, name, text }) => (
              <th key={key} scope="col" aria-label={name} title={name}>
                {text}
              </th>
            ))}
            {ends.map(({ key, title, widthPx, isText }) => (
              <th key={key} scope="col" data-end={isText ? 'text' : 'figure'} style={scaled(widthPx)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.head}</th>
              {row.cells.map((cell) => (
                <Cell key={cell.key} cell={cell} />
              ))}
              {ends.map(({ key, isText }, at) => (
                <td key={key} data-end={isText ? 'text' : 'figure'}>
                  {row.ends?.[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell: { heat, tip, name, onOpen } }: { cell: HeatCell }) {
  return (
    <td title={tip}>
      {onOpen ? (
        <button type="button" className={styles['cell']} data-heat={heat} aria-label={name ?? tip} onClick={onOpen} />
      ) : (
        <i className={styles['cell']} data-heat={heat}>
          <span className="visually-hidden">{tip}</span>
        </i>
      )}
    </td>
  );
}

/** The legend of the colours. */
export function HeatLegend({ title, steps }: { title?: string; steps: { heat: Heat; text: string }[] }) {
  return (
    <p className={styles['legend']}>
      {title}
      {steps.map(({ heat, text }) => (
        <span key={text}>
          <i className={styles['cell']} data-heat={heat} /> {text}
        </span>
      ))}
    </p>
  );
}
