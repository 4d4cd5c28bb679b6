import { dcuLog, type LiveLog } from '@hes/contract/debug/dcu-log.ts';
import { staModel } from '@hes/contract/debug/sta-model.ts';
import { topologySwitch } from '@hes/contract/debug/topology-switch.ts';
import { topology } from '@hes/contract/network/topology.ts';
import { refresh, type LiveUpdates } from '#core/live/updates.ts';

const LIVE_FRAMES = 1000;

export const networkUpdates: LiveUpdates<'topology.changed' | 'dculog.frame' | 'dculog.capture'> = {
  'topology.changed': (client) =>
    refresh(client, [topology.dcus, topology.get, topology.moments, topology.node, topologySwitch.list, staModel.list, staModel.get]),
  // The latest frames of an open log; older ones are in the table.
  'dculog.frame': (client, message) => {
    client.setQueryData<LiveLog>(['dculog', message.id], (old) => ({
      frames: [...(old?.frames ?? []), ...message.data.frames].slice(-LIVE_FRAMES),
      left: (old?.left ?? 0) + message.data.left,
    }));
  },
  'dculog.capture': (client) => refresh(client, [dcuLog.captures]),
};
