import { dcuStatus } from '@hes/contract/status/dcu-status.ts';
import { meterStatus } from '@hes/contract/status/meter-status.ts';
import { to } from '@hes/contract/page/links.ts';
import type { MouseEvent } from 'react';
import { Link } from 'react-router';
import { useMay } from '#core/api/may.ts';
import { Sn } from '#kit/basics/text.tsx';

const ROUTES = { meter: meterStatus.get, dcu: dcuStatus.get } as const;
/** A click on the link selects no row of the list. */
const onLink = (event: MouseEvent) => event.stopPropagation();

/** A serial number that leads to the status of its device, for users who may see it. */
export function StatusLink({ kind, id, sn }: { kind: keyof typeof ROUTES; id: string; sn: string }) {
  const may = useMay();
  if (!may(ROUTES[kind])) return <Sn sn={sn} />;
  return (
    <Link to={to.status({ node: `${kind}:${id}` })} onClick={onLink}>
      <Sn sn={sn} />
    </Link>
  );
}
