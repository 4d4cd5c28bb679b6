import { realTime } from '@hes/contract/action/real-time.ts';
import { clock } from '@hes/contract/action/clock.ts';
import { relay } from '@hes/contract/action/relay.ts';
import { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { archive } from '@hes/contract/asset/archive.ts';
import { connecting } from '@hes/contract/asset/connecting.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { dcuLog } from '@hes/contract/debug/dcu-log.ts';
import { event } from '@hes/contract/event/event.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { to } from '@hes/contract/page/links.ts';
import { gap } from '@hes/contract/reading/gap.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { transformerStatus } from '@hes/contract/status/transformer-status.ts';
import type { StatusAction } from '@hes/contract/status/cause.ts';
import type { MeterFacts } from '@hes/contract/status/meter-status.ts';

/** What a button leads to: an address, or an order that the page places itself. */
export interface Step {
  right: Pick<Route, 'allow'>;
  to: string | undefined;
}

const nodeOfMeter = ({ id }: MeterFacts) => `meter:${id}` as const;

/** The days that have gaps, so that the page of gaps opens on them. */
function gapWords(facts: MeterFacts) {
  const [first, ...rest] = facts.gaps ?? [];
  if (first === undefined) return {};
  const days = [first, ...rest]
    .filter(({ profile }) => profile === first.profile)
    .map(({ day }) => day)
    .toSorted();
  return { tab: first.profile, from: days[0], to: days.at(-1) };
}

/** Where each action about a meter is done; undefined: the facts do not allow it. */
export function stepsOfMeter(facts: MeterFacts): Partial<Record<StatusAction, Step>> {
  const node = nodeOfMeter(facts);
  const { line, sn, id, loss, transformer, communicationMode } = facts;
  const behindDcu = line !== null && communicationMode !== 'direct';
  return {
    readNow: { right: realTime.order, to: undefined },
    refill: { right: gap.refill, to: to.readings({ node, view: 'gaps', ...gapWords(facts) }) },
    readings: { right: reading.daily, to: to.readings({ node, ...gapWords(facts) }) },
    ...(behindDcu ? { route: { right: topology.dcus, to: to.topology({ node, dcu: line.id }) } } : {}),
    clock: { right: clock.list, to: to.clocks({ search: sn, kind: 'meter' }) },
    relay: { right: relay.list, to: to.relays({ search: sn }) },
    ...(behindDcu ? { archives: { right: archive.list, to: to.archives({ node: `dcu:${line.id}`, dcuId: line.id, sn }) } } : {}),
    asset: { right: meter.list, to: to.meterAssets({ search: sn, sel: id }) },
    events: { right: event.list, to: to.events({ node, nodeName: sn }) },
    ...(behindDcu ? { dcu: { right: dcu.list, to: to.status({ node: `dcu:${line.id}` }) } } : {}),
    ...(line === null
      ? {}
      : {
          connect: {
            right: connecting.overview,
            to: communicationMode === 'direct' ? to.connect({ kind: 'meter', id }) : to.connect({ kind: 'dcu', id: line.id }),
          },
        }),
    ...(line === null ? {} : { log: { right: dcuLog.list, to: to.dcuLog({ node: `dcu:${line.id}`, view: 'history', meter: sn }) } }),
    ...(loss === null || transformer === null
      ? {}
      : {
          loss: { right: transformerStatus.get, to: to.status({ node: `transformer:${transformer.id}` }) },
          anomalies: {
            right: anomaly.list,
            to: to.bills({ tab: 'anomalies', node, nodeName: sn, kind: 'custom', from: loss.from, to: loss.to }),
          },
        }),
  };
}
