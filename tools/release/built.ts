import type { Architecture } from './architecture.ts';
import type { Source } from './source.ts';

/** The tree of one architecture, from which all artefacts of it are written. */
export interface Built {
  source: Source;
  architecture: Architecture;
  /** Folder of the installed tree. */
  stage: string;
  /** Folder for intermediate files. */
  scratch: string;
  /** Folder of the artefacts. */
  out: string;
}
