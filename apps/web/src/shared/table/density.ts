/** How close rows lie, as whoever looks at them likes it. */
export const DENSITIES = ['compact', 'standard', 'comfortable'] as const;
export type Density = (typeof DENSITIES)[number];
