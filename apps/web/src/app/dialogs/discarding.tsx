import { useEffect } from 'react';
import { useDiscard } from '#kit/form/discard.ts';
import { useLeaving } from './dialog-store.ts';

/** Asks for confirmation before closing tabs with unsaved input. */
export function Discarding() {
  const discard = useDiscard();
  const leave = useLeaving((state) => state.leave);
  useEffect(() => {
    if (!leave) return;
    useLeaving.setState({ leave: undefined });
    discard(leave);
  }, [leave, discard]);
  return null;
}
