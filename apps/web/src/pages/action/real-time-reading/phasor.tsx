import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';
import type { PhaseValues } from './meter-values.ts';
import styles from './real-time.module.css';

const SIZE = 168;
const CENTRE = SIZE / 2;
const RADIUS = 66;
/** Length of the largest current as a share of the circle's radius; voltages reach the circle. */
const CURRENT_REACH = 0.8;
const HEAD = 6;
const DEGREE = Math.PI / 180;
const TURN: Record<PhaseValues['name'], number> = { L1: 0, L2: -120, L3: 120 };

/** Polar to screen coordinates: zero points up, angles run counter-clockwise. */
const pointAt = (degrees: number, length: number): [number, number] => [
  CENTRE - Math.sin(degrees * DEGREE) * length,
  CENTRE - Math.cos(degrees * DEGREE) * length,
];

function Arrow({ degrees, length, colour, thin }: { degrees: number; length: number; colour: string; thin?: boolean }) {
  if (length < HEAD) return null;
  const [x, y] = pointAt(degrees, length);
  const [leftX, leftY] = pointAt(degrees + (HEAD / length) * 28, length - HEAD);
  const [rightX, rightY] = pointAt(degrees - (HEAD / length) * 28, length - HEAD);
  return (
    <g stroke={colour} fill={colour}>
      <line x1={CENTRE} y1={CENTRE} x2={x} y2={y} strokeWidth={thin ? 1.75 : 2.5} strokeDasharray={thin ? '4 2.5' : undefined} />
      <path d={`M${x} ${y}L${leftX} ${leftY}L${rightX} ${rightY}Z`} stroke="none" />
    </g>
  );
}

/** Voltages are solid, currents dashed. The angle between a current and its voltage gives the power factor. */
export function Phasor({ phases, label }: { phases: PhaseValues[]; label: string }) {
  const t = useMessages(texts);
  const strongest = Math.max(...phases.map((phase) => phase.current ?? 0), 0.001);
  const highest = Math.max(...phases.map((phase) => phase.voltage ?? 0), 1);
  return (
    <svg className={styles['phasor']} viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={`${t('phasor')} ${label}`}>
      <title>{t('phasorNote')}</title>
      <circle cx={CENTRE} cy={CENTRE} r={RADIUS} className={styles['ring']} />
      <circle cx={CENTRE} cy={CENTRE} r={RADIUS / 2} className={styles['ring']} />
      <path
        d={`M${CENTRE} ${CENTRE - RADIUS}V${CENTRE + RADIUS}M${CENTRE - RADIUS} ${CENTRE}H${CENTRE + RADIUS}`}
        className={styles['ring']}
      />
      {phases.map((phase) => {
        const turn = TURN[phase.name];
        const colour = `var(--phase-${phase.name.toLowerCase()})`;
        const [x, y] = pointAt(turn, RADIUS + 11);
        return (
          <g key={phase.name}>
            {phase.voltage === null ? null : <Arrow degrees={turn} length={(phase.voltage / highest) * RADIUS} colour={colour} />}
            {phase.current === null || phase.angle === null ? null : (
              <Arrow degrees={turn - phase.angle} length={(phase.current / strongest) * RADIUS * CURRENT_REACH} colour={colour} thin />
            )}
            <text x={x} y={y} className={styles['phaseName']} fill={colour}>
              {phase.name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
