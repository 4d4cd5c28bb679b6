import { memo, useMemo } from 'react';
import { CENTRE, dialArt } from './dial-art.ts';
import styles from './login.module.css';

const DIAMOND = 'M0-9 9 0 0 9-9 0Z';

/** Decorative artwork: each dot stands for a meter, the outer line for a load curve over 24 hours. */
export const Dial = memo(function Dial() {
  const art = useMemo(dialArt, []);
  return (
    <svg className={styles['dial']} viewBox="-112 -112 1224 1224" fill="none" aria-hidden="true">
      <defs>
        <radialGradient id="dial-core">
          <stop offset="0" stopColor="#1b3248" />
          <stop offset="0.62" stopColor="#0e2030" />
          <stop offset="1" stopColor="#0c1824" />
        </radialGradient>
      </defs>
      <path d={art.curve} fill="#d3f04a" fillOpacity="0.07" />
      <circle cx={CENTRE} cy={CENTRE} r="476" fill="#0b1621" />
      <circle cx={CENTRE} cy={CENTRE} r="460" fill="url(#dial-core)" stroke="#2a4054" />
      <circle cx={CENTRE} cy={CENTRE} r="118" stroke="#24405a" />
      <path d={art.twigs} stroke="#5f8199" strokeOpacity="0.16" />
      <path d={art.branches} stroke="#7d9bb2" strokeOpacity="0.42" strokeWidth="1.1" />
      <path d={art.litBranches} stroke="#d3f04a" strokeOpacity="0.5" strokeWidth="1.2" />
      <path d={art.spokes} stroke="#8fa9bd" strokeOpacity="0.6" strokeWidth="1.6" />
      {art.dots.map((layer) => (
        <path key={layer.colour} d={layer.path} stroke={layer.colour} strokeWidth={layer.width} strokeLinecap="round" />
      ))}
      {art.nodes.map(([x, y]) => (
        <circle key={`${x} ${y}`} cx={x} cy={y} r="4.4" fill="#0e1e2d" stroke="#e4ebf2" strokeWidth="1.4" />
      ))}
      {art.diamonds.map(([x, y]) => (
        <path key={`${x} ${y}`} d={DIAMOND} transform={`translate(${x} ${y})`} fill="#0b1621" stroke="#f2f6fa" strokeWidth="1.8" />
      ))}
      {art.ticks.map((tick) => (
        <path key={tick.path} d={tick.path} stroke="#93a8bb" strokeOpacity={tick.strong ? 0.9 : 0.35} strokeWidth={tick.strong ? 1.6 : 1} />
      ))}
      <g className={styles['hours']}>
        {art.hours.map((hour) => (
          <text key={hour.text} x={hour.x} y={hour.y} dominantBaseline="central" textAnchor="middle">
            {hour.text}
          </text>
        ))}
      </g>
      <path d={art.curve} stroke="#d3f04a" strokeWidth="2" />
      <path d={`M${CENTRE} ${CENTRE}L${art.hand.x} ${art.hand.y}`} stroke="#d3f04a" strokeOpacity="0.45" strokeDasharray="2 7" />
      <circle cx={art.hand.x} cy={art.hand.y} r="10" stroke="#d3f04a" strokeOpacity="0.5" />
      <circle cx={art.hand.x} cy={art.hand.y} r="4.6" fill="#d3f04a" />
      <circle cx={CENTRE} cy={CENTRE} r="24" fill="#101f14" stroke="#d3f04a" strokeWidth="2.4" />
      <circle cx={CENTRE} cy={CENTRE} r="8" fill="#d3f04a" />
    </svg>
  );
});
