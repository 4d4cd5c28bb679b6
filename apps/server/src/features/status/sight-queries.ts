import { PAGE_PATH, type PagePath } from '@hes/contract/page/paths.ts';
import { KINDS, kindsWhere, ORDERS, type TaskKind } from '@hes/contract/orders/every-order.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { holderOf, transformerWithin } from '#db/scope.ts';

const PAGES_OF_FACTS = ['readings', 'events', 'topology', 'clocks', 'relays', 'bills', 'dcus', 'archives', 'lineLoss'] as const;
type FactPage = (typeof PAGES_OF_FACTS)[number];

/** Pages whose facts the user may see about a device of a transformer, and the kinds of order whose runs. */
export interface Sight {
  pages: ReadonlySet<FactPage>;
  kinds: readonly TaskKind[];
}

/** Right and area of each page apply to its facts as they do on the page itself. */
export async function sightOf(db: Db, user: User, transformerId: string | null): Promise<Sight> {
  const asked: readonly PagePath[] = [
    ...new Set([...PAGES_OF_FACTS.map((name) => PAGE_PATH[name]), ...KINDS.map((kind) => ORDERS[kind].page)]),
  ];
  const isSeen = asked.map((page) => {
    const holder = holderOf(user, page, 'view');
    return holder === undefined ? sql`false` : transformerWithin(sql`${transformerId}::bigint`, holder.scope);
  });
  const { rows } = await sql<{ seen: boolean[] }>`select array[${sql.join(isSeen)}]::bool[] as seen`.execute(db);
  const pages = new Set(asked.filter((_, index) => rows[0]?.seen[index] === true));
  return {
    pages: new Set(PAGES_OF_FACTS.filter((name) => pages.has(PAGE_PATH[name]))),
    kinds: kindsWhere(({ page }) => pages.has(page)),
  };
}
