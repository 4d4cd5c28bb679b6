import type { Tone } from '#core/theme/tokens.ts';

/** Shapes of the states on a 16 px grid. Marks inside filled shapes use the panel colour, for contrast in both themes. */
export type Shape =
  | 'disc'
  | 'disc60'
  | 'disc30'
  | 'ring!'
  | 'dashed'
  | 'clock'
  | 'arc'
  | 'tick'
  | 'cross'
  | 'stopped'
  | 'paused'
  | 'box'
  | 'wrench'
  | 'bolt'
  | 'lock'
  | 'key'
  | 'link'
  | 'unlink'
  | 'plane'
  | 'differ'
  | 'minus'
  | 'plus'
  | 'wave';

const solid = (tone: Tone) => `var(--${tone}-solid)`;

function pie(share: number): string {
  const angle = share * 2 * Math.PI;
  return `M8 8V2A6 6 0 ${share > 0.5 ? 1 : 0} 1 ${(8 + 6 * Math.sin(angle)).toFixed(2)} ${(8 - 6 * Math.cos(angle)).toFixed(2)}Z`;
}

function drawing(shape: Shape, colour: string) {
  const ring = <circle cx="8" cy="8" r="5.6" fill="none" stroke={colour} strokeWidth="1.6" />;
  const line = { fill: 'none', stroke: colour, strokeWidth: 1.6, strokeLinecap: 'round', strokeLinejoin: 'round' } as const;
  const mark = { ...line, stroke: 'var(--surface)', strokeWidth: 1.8 } as const;
  switch (shape) {
    case 'disc':
      return <circle cx="8" cy="8" r="5.5" fill={colour} />;
    case 'disc60':
    case 'disc30':
      return (
        <>
          {ring}
          <path d={pie(shape === 'disc60' ? 0.6 : 0.3)} fill={colour} />
        </>
      );
    case 'ring!':
      return (
        <>
          {ring}
          <path d="M8 4.8v3.6M8 10.9v.1" {...line} />
        </>
      );
    case 'dashed':
      return <circle cx="8" cy="8" r="5.6" fill="none" stroke={colour} strokeWidth="1.5" strokeDasharray="2.3 2.1" />;
    case 'clock':
      return (
        <>
          {ring}
          <path d="M8 5v3.2l2 1.2" {...line} />
        </>
      );
    case 'arc':
      return (
        <>
          <circle cx="8" cy="8" r="5.6" fill="none" stroke="var(--line-strong)" strokeWidth="1.6" />
          <path d="M8 2.4A5.6 5.6 0 0 1 13.6 8" {...line} />
        </>
      );
    case 'tick':
      return (
        <>
          <circle cx="8" cy="8" r="6.2" fill={colour} />
          <path d="m5.2 8.2 2 2 3.6-4" {...mark} />
        </>
      );
    case 'cross':
      return (
        <>
          <rect x="2" y="2" width="12" height="12" rx="2.5" fill={colour} />
          <path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" {...mark} />
        </>
      );
    case 'stopped':
      return (
        <>
          {ring}
          <path d="M5.4 8h5.2" {...line} />
        </>
      );
    case 'paused':
      return (
        <>
          {ring}
          <path d="M6.3 5.8v4.4m3.4-4.4v4.4" {...line} />
        </>
      );
    case 'box':
      return <path d="M2.8 5.2 8 2.6l5.2 2.6v5.6L8 13.4l-5.2-2.6zM2.8 5.2 8 7.8l5.2-2.6M8 7.8v5.6" {...line} />;
    case 'wrench':
      return <path d="M12.9 4.4a3.4 3.4 0 0 1-4.6 4.2l-4 4-1.2-1.2 4-4a3.4 3.4 0 0 1 4.2-4.6L9.2 4.9l1.6 1.6z" {...line} />;
    case 'bolt':
      return <path d="M9 1.8 3.6 9H8l-1 5.2L12.4 7H8z" {...line} />;
    case 'lock':
      return (
        <>
          <rect x="3" y="7" width="10" height="6.6" rx="1.4" fill={colour} />
          <path d="M5.2 7V5.2a2.8 2.8 0 0 1 5.6 0V7" {...line} />
        </>
      );
    case 'link':
      return (
        <path
          d="M6.6 9.4a2.9 2.9 0 0 0 4.1 0l2-2a2.9 2.9 0 0 0-4.1-4.1l-.7.7M9.4 6.6a2.9 2.9 0 0 0-4.1 0l-2 2a2.9 2.9 0 0 0 4.1 4.1l.7-.7"
          {...line}
        />
      );
    case 'unlink':
      return (
        <path
          d="M9.6 4.3l1-1a2.9 2.9 0 0 1 2.1 5L11.5 9.500M6.4 11.700l-1 1a2.9 2.9 0 0 1-2.1-5L4.5 6.500M5 2.500v1.400M2.5 5h1.400M11 13.500v-1.400M13.5 11h-1.4"
          {...line}
        />
      );
    case 'plane':
      return <path d="M13.6 2.4 2.2 6.600l4.4 2.8 2.8 4.400zM13.6 2.4 6.6 9.4" {...line} />;
    case 'differ':
      return <path d="M3.2 6h9.600M3.2 10h9.600M10.6 3 5.4 13" {...line} />;
    case 'plus':
      return (
        <>
          {ring}
          <path d="M8 5.400v5.200M5.4 8h5.2" {...line} />
        </>
      );
    case 'minus':
      return (
        <>
          <circle cx="8" cy="8" r="6.2" fill={colour} />
          <path d="M5.2 8h5.6" {...mark} />
        </>
      );
    case 'wave':
      return (
        <path
          d="M8 9.200a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.400M4.6 11.400a4.8 4.8 0 0 1 0-6.800M11.4 4.600a4.8 4.8 0 0 1 0 6.8"
          {...line}
        />
      );
    case 'key':
      return (
        <>
          <circle cx="5.4" cy="8" r="3" {...line} />
          <path d="M8.4 8h5.2M11 8v2.4M13.4 8v1.8" {...line} />
        </>
      );
  }
}

export function Glyph({ shape, tone, size = 16, spin }: { shape: Shape; tone: Tone; size?: number; spin?: boolean }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      data-shape={shape}
      data-tone={tone}
      data-spin={spin || undefined}
    >
      {drawing(shape, solid(tone))}
    </svg>
  );
}
