import type { SVGProps } from 'react';

type IconProps = SVGProps<SVGSVGElement> & { size?: number };

const frame = ({ size = 16, ...rest }: IconProps) =>
  ({
    width: size,
    height: size,
    viewBox: '0 0 20 20',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: 1.5,
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
    ...rest,
  }) as const;

/** A DCU: a box with antenna and terminals. */
export const DcuIcon = (props: IconProps) => (
  <svg {...frame(props)}>
    <path d="M3 7h14v9H3zM7 7V3.5h6V7M6.5 10.5h3M6.5 13h7" />
  </svg>
);

/** A meter: case, display, terminal cover. */
export const MeterIcon = (props: IconProps) => (
  <svg {...frame(props)}>
    <path d="M4 2.5h12v15H4zM7 5.5h6v3H7zM4 13h12M8 13v4.5M12 13v4.5" />
  </svg>
);
