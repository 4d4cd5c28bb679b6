import type { DlmsConnection } from '@hes/dlms-node/dlms-connection.ts';
import type { EndpointRow } from './queries.ts';

/** Where pushes of an endpoint come from: its session, a connection that carries nothing but pushes, or a datagram. */
export interface PushSource {
  readonly endpoint: EndpointRow;
  /** Id of the row of the session; null: there is none. */
  readonly rowId: string | null;
  readonly connection: Pick<DlmsConnection, 'reply' | 'closed'>;
  /** Highest invocation counter of pushes of a DCU itself; that of a meter belongs to the meter. */
  pushCounter: number;
  /** Called for each push whose sender was authenticated. */
  refund(): void;
  /** Stops and continues reading, while too many pushes are processed. */
  pause(why: 'pushes'): void;
  resume(why: 'pushes'): void;
}
