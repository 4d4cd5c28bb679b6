import { useEffect } from 'react';
import { useDiscard } from '#shared/form/discard.ts';
import { useLeaving } from './dialog-store.ts';

/** Asks who closes tabs with something typed in them. */
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
