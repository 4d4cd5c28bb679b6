import type { ReactNode } from 'react';
import styles from './heat-map.module.css';

/** From calm to alarming: normal is nearly pale, so that what is not stands out. */
export type Heat = 'calm' | 'pale' | 'warm' | 'amber' | 'orange' | 'red' | 'running' | 'nothing';

interface HeatCell {
  key: string;
  heat: Heat;
  tip: string;
  /** Of the button that the cell is when it opens something; without it, the tip. */
  name?: string;
  onOpen?: () => void;
}

interface HeatRow {
  key: string;
  head: ReactNode;
  cells: HeatCell[];
  /** What stands behind the cells, one for each of the table's ends. */
  ends?: ReactNode[];
}

interface HeatMapProps {
  label: string;
  corner?: ReactNode;
  headPx: number;
  /** `text` may be empty, so that heads do not crowd; `name` is said. */
  columns: { key: string; name: string; text: ReactNode }[];
  ends?: { key: string; title: string; widthPx: number; isText?: boolean }[];
  rows: HeatRow[];
}

const scaled = (px: number) => ({ width: `calc(${px}px * var(--boost))` });

/** Things by times, a colour each: where the holes are, at a glance. It is a table, so that it can be read aloud, too. */
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

/** What the colours mean. */
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
