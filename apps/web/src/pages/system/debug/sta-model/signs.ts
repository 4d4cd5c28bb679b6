import type { StationRow } from '@hes/contract/debug/sta-model.ts';
import { STATION_STATE_TEXT, type StationState } from '@hes/contract/states/topology.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';

export const STATION: Record<StationState, Sign> = {
  online: { shape: 'disc', tone: 'ok', text: STATION_STATE_TEXT.online, quiet: true },
  offline: { shape: 'dashed', tone: 'none', text: STATION_STATE_TEXT.offline },
  never: { shape: 'ring!', tone: 'red', text: STATION_STATE_TEXT.never },
  not_in_archive: { shape: 'unlink', tone: 'amber', text: STATION_STATE_TEXT.not_in_archive },
};
/** Stands for `never` while the network was not read at all. */
export const UNREAD: Sign = { shape: 'dashed', tone: 'none', text: texts.unread, quiet: true };
export const STATION_ORDER = ['online', 'offline', 'never', 'not_in_archive'] as const satisfies readonly StationState[];

/** Meters that the network does not report have no address. */
export const idOf = (row: Pick<StationRow, 'mac' | 'meterId'>): string => row.mac || `meter:${row.meterId}`;
