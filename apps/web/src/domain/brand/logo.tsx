/** The mark of the product, for dark ground: a dial of two arcs with its hand at volt. */
export function Logo({ size = 30, variant = 'b' }: { size?: number; variant?: 'a' | 'b' }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <g fill="none" strokeLinecap="round">
        {variant === 'a' ? <circle cx="16" cy="16" r="13.4" stroke="#e4ebf2" strokeOpacity=".35" strokeWidth="1.2" /> : null}
        <path d="M19 5.4A11 11 0 1 0 26.6 13" stroke="#e4ebf2" strokeWidth="2.4" />
        <path d="M16 10.5A5.5 5.5 0 1 0 21.5 16" stroke="#e4ebf2" strokeWidth="2.4" />
        <path d="M16 16 24.5 7.5" stroke="#d3f04a" strokeWidth="2.6" />
      </g>
      <circle cx="25" cy="7" r="2.6" fill="#d3f04a" />
    </svg>
  );
}
