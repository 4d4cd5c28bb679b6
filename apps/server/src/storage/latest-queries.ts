import type { Tx } from '#db/context.ts';

export const deleteLatest = (tx: Tx, meterId: string) => tx.deleteFrom('meterLatest').where('meterId', '=', meterId).execute();
