import type { TopologyNode } from '@hes/contract/network/topology.ts';
import type { SignalStrength } from '@hes/contract/states/signal.ts';
import type { Layout, Place, Sector } from './layout.ts';

export interface View {
  scale: number;
  x: number;
  y: number;
}

/** In layout coordinates, before the transform of the view. */
export interface Line {
  place: Place;
  parent: Place;
}

export interface Drawn extends Line {
  node: TopologyNode;
}

/** Stations and links with the same style. */
export interface Batch {
  signal: SignalStrength;
  isShown: boolean;
  stations: Drawn[];
  links: { plc: Drawn[]; rf: Drawn[] };
}

export interface Scene {
  layout: Layout;
  /** Sorted once by style, dimmed ones first, so that a frame only iterates. */
  batches: Batch[];
  late: Drawn[];
  route: Line[];
  /** Links from the selected station to its neighbours. */
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
