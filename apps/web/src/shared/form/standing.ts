import { useState } from 'react';

/**
 * The record that a form was filled from. One that somebody else saved meanwhile waits until nothing is typed: it would take what was typed
 * away, or let it be saved over what was never seen.
 */
export function useStanding<R extends { id: string } | undefined>(record: R, isTyped: boolean): R {
  const [standing, setStanding] = useState(record);
  const stays = isTyped && standing?.id === record?.id;
  if (!stays && standing !== record) setStanding(record);
  return stays ? standing : record;
}
