/** One-line diagrams: busbar, feeders, breakers. `gap`: a feeder is missing; `open`: a breaker is open. */
export function LineDrawing({ kind }: { kind: 'gap' | 'open' }) {
  const feeder = (x: number) => (
    <g key={x}>
      <path d={`M${x} 40v26M${x} 78v22`} />
      <rect x={x - 6} y="66" width="12" height="12" />
      <circle cx={x} cy="110" r="10" />
      <circle cx={x} cy="124" r="10" />
      <path d={`M${x} 134v30M${x - 6} 156l6 8 6-8`} />
    </g>
  );
  return (
    <svg viewBox="0 0 420 190" width="100%" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round">
      <path d="M30 40h360" strokeWidth="5" />
      {[80, 145, 275, 340].map(feeder)}
      {kind === 'gap' ? <path d="M210 40v22M200 58l20 12M200 74l20-12" stroke="var(--red-solid)" /> : null}
      {kind === 'open' ? (
        <g stroke="var(--orange-solid)">
          <path d="M210 40v20l16 24M210 92v8" />
          <circle cx="210" cy="110" r="10" />
          <circle cx="210" cy="124" r="10" />
          <path d="M210 134v30" strokeDasharray="3 5" />
        </g>
      ) : null}
    </svg>
  );
}
