import type { TopologyNode } from '@hes/contract/network/topology.ts';
import type { SignalStrength } from '@hes/contract/states/signal.ts';
import type { Layout, Place, Sector } from './layout.ts';

export interface View {
  scale: number;
  x: number;
  y: number;
}

/** As the layout has them, before the view moves them. */
export interface Line {
  place: Place;
  parent: Place;
}

export interface Drawn extends Line {
  node: TopologyNode;
}

/** Stations and links that are drawn alike. */
export interface Batch {
  signal: SignalStrength;
  isShown: boolean;
  stations: Drawn[];
  links: { plc: Drawn[]; rf: Drawn[] };
}

export interface Scene {
  layout: Layout;
  /** Sorted once by how they are drawn, those dimmed first: a frame only walks along. */
  batches: Batch[];
  late: Drawn[];
  route: Line[];
  /** From the selected station to those beside it. */
  near: Line[];
  selected: Drawn | undefined;
  ringLabel: (level: number, count: number) => string;
  sectorLabel: (phase: Sector) => string;
}

export interface Brush {
  to: CanvasRenderingContext2D;
  view: View;
  size: { width: number; height: number };
  colour: (name: string) => string;
  at: (place: Place) => Place;
}
