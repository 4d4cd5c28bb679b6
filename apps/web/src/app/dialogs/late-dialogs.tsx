import { lazy, Suspense, useEffect, useState } from 'react';
import { useMe } from '#core/api/may.ts';
import { useProofRequest } from '#core/session/own-proof.ts';
import { useSession } from '#core/session/session.ts';
import { onLiveMessage } from '#core/live/live.ts';
import { useStickyTrue } from '#core/react/use-sticky-true.ts';
import type { Ready } from '#kit/export-button/ready-exports.tsx';
import { useDialog, useLeaving } from './dialog-store.ts';

const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).Dialogs }));

/** Long exports that finished since sign-in. Collected here, so that none is lost while the code of the dialogs loads. */
function useReadyExports(): readonly Ready[] {
  const [exports, setExports] = useState<readonly Ready[]>([]);
  useEffect(
    () =>
      onLiveMessage((message) => {
        if (message.type === 'export.ready') setExports((known) => [...known, message]);
      }),
    [],
  );
  return exports;
}

/** Dialogs and notices of the shell. Their code loads with the first one that opens. */
export function LateDialogs() {
  const isOpen = useDialog((state) => state.open !== undefined);
  const isLeaving = useLeaving((state) => state.leave !== undefined);
  const asksProof = useProofRequest((state) => state.kind !== undefined);
  const hasExpired = useSession((state) => state.expired);
  const { data: me } = useMe();
  const mustDoFirst = me?.mustChangePassword === true || me?.mustEnrol === true;
  const exports = useReadyExports();
  return useStickyTrue(isOpen || isLeaving || asksProof || hasExpired || mustDoFirst || exports.length > 0) ? (
    <Suspense>
      <Dialogs exports={exports} />
    </Suspense>
  ) : null;
}
