import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { pushSetup } from '@hes/dlms/cosem/classes/push-setup.ts';
import { simulate } from '#devices/simulate.ts';

export interface PushState {
  list: CaptureObject[];
  /** `host:port` in ASCII; empty without pushes, or if the DCU forwards them. */
  destination: string;
}

const TCP = 0;

/** Objects and destination of a push. */
export const pushObject = simulate(pushSetup, (state: PushState) => ({
  read: {
    pushObjectList: () => state.list,
    sendDestinationAndMethod: () => ({
      transportService: TCP,
      destination: Uint8Array.from(state.destination, (letter) => letter.charCodeAt(0)),
      message: 'axdrEncoded' as const,
    }),
    communicationWindow: () => [],
    randomisationStartInterval: () => 0,
    numberOfRetries: () => 3,
    repetitionDelay: () => 10,
  },
}));
