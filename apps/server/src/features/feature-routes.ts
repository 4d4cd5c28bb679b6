// Written by `npm run golden` from the files beside it.
import type { Implemented } from '#http/implement.ts';
import { deviceCommandRoutes } from './device-command/routes.ts';
import { relayRoutes } from './relay/routes.ts';

/** The routes of every feature that has a folder of its own. */
export const featureRoutes: Implemented[] = [...deviceCommandRoutes, ...relayRoutes];
