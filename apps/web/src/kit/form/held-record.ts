import { useState } from 'react';

/**
 * The record that the form was filled from. While the form has input, a newer version is held back: it would overwrite the input, or the
 * input would be saved over changes that the user has not seen.
 */
export function useHeldRecord<R extends { id: string } | undefined>(record: R, isTyped: boolean): R {
  const [standing, setStanding] = useState(record);
  const stays = isTyped && standing?.id === record?.id;
  if (!stays && standing !== record) setStanding(record);
  return stays ? standing : record;
}
