/** A small curve without axes; gaps in the data stay gaps. */
export function Sparkline({ values, label }: { values: (number | null)[]; label: string }) {
  const WIDTH = 240;
  const HEIGHT = 28;
  const known = values.filter((value): value is number => value !== null);
  if (known.length < 2) return null;
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const x = ((index / Math.max(1, values.length - 1)) * WIDTH).toFixed(1);
    const y = (HEIGHT - 2 - ((value - low) / span) * (HEIGHT - 4)).toFixed(1);
    path += `${index > 0 && values[index - 1] !== null && path !== '' ? 'L' : 'M'}${x} ${y}`;
  });
  return (
    <svg width="100%" height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={path} fill="none" stroke="var(--primary)" strokeWidth="1.75" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
