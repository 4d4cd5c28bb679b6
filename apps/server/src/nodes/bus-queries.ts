import type { Listening } from './listening.ts';

type Connection = Pick<Listening, 'query'>;

export const BUS_CHANNEL = 'hes_bus';

export async function notifyBus(connection: Connection, payload: string): Promise<void> {
  await connection.query('select pg_notify($1, $2)', [BUS_CHANNEL, payload]);
}

/** Sends a payload above the limit of NOTIFY as a row, and deletes rows that every node has read by now. */
export async function notifyBusByRow(connection: Connection, from: string, payload: string): Promise<void> {
  await connection.query(
    `with old as (delete from bus_message where sent_at < now() - interval '1 minute'),
      made as (insert into bus_message (payload) values ($3) returning id)
     select pg_notify($1, json_build_object('from', $2::text, 'row', id)::text) from made`,
    [BUS_CHANNEL, from, payload],
  );
}

/** The payload of a row; undefined: it was deleted. */
export async function findBusMessage(connection: Connection, id: number): Promise<string | undefined> {
  const [row] = await connection.query<{ payload: string }>('select payload from bus_message where id = $1', [id]);
  return row?.payload;
}
