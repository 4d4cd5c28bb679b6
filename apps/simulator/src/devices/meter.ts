import type { Notification } from '@hes/dlms/association/notification.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import type { ShortNamedObject } from '@hes/dlms/catalogue/short-names.ts';
import { associationSn } from '@hes/dlms/cosem/classes/association-sn.ts';
import { associationSnObject } from '@hes/dlms/server/association-sn-object.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import type { ControlMode, RelayState } from '#behaviours/relay.ts';
import type { MeterPlan } from '#world/plan.ts';
import { alterationsOf } from './alterations.ts';
import type { FleetContext } from './context.ts';
import { createCounters } from './counters.ts';
import type { DeviceFirmware } from './firmware.ts';
import { type DeviceKeys, masterKeyOf, passwordOf, titleOfMeter, wrongKeysOf, wrongPasswordOf } from './keys.ts';
import { factoryFirmware, objectsOf, shortNamesOf } from './meter-objects.ts';
import { encodeAlarm } from './alarm.ts';
import { encodePush, pushBodyOf } from './meter-push.ts';
import type { MeterState } from './meter-state.ts';
import { noise } from './noise.ts';
import { countAlteredReads, denyReads, serveEndlessValue, corruptResponse, wrongStampsOf, UNAVAILABLE } from './corrupt.ts';
import { createCounting } from './counting.ts';
import { CLIENT_SAPS, MAX_PDU_SIZE, OPEN_RULES, rulesFor, securityOf, withShortNames } from './rules.ts';

/** A meter from the view of its DCU: APDUs in, APDUs or no response out. */
export interface Meter {
  plan: MeterPlan;
  receive(clientSap: number, apdu: Uint8Array): Uint8Array | undefined;
  /** An unsolicited push; undefined if the meter is offline. A repeated number repeats the same push. */
  push(number: number): Uint8Array | undefined;
  /** An alarm, protected by the meter's keys. A repeated number repeats the same alarm. */
  alarm(number: number): Uint8Array;
  /** Receives a block of an image that the DCU broadcasts. */
  receiveBlock: DeviceFirmware['store']['hear'];
  /** Receives a broadcast of the time. */
  receiveClock(aheadMs: number): void;
  /** The true state of the relay. */
  relay: RelayState;
  /** Called when the DCU loses its connection: ends all associations. */
  disconnect(): void;
}

/**
 * Most relays close by remote command; some only become ready for reconnection, and a few do nothing: a head-end must read
 * the mode first.
 */
const modeOf = ({ index }: MeterPlan): ControlMode => (index % 16 === 7 ? 'mode3' : index % 64 === 21 ? 'none' : 'mode4');

/** Classes that a broken version no longer serves: registers and profiles. */
const MEASURING: ReadonlySet<number> = new Set([3, 4, 7]);

/** The meter keeps counters for all clients together, so no title is needed. */
const NO_SYSTEM_TITLE = new Uint8Array(0);
/** Amount by which the pretended counter exceeds that of the head-end. */
const COUNTERS_AHEAD = 5000;

/** Creates a meter; `onRestart` is called when it restarts for a new firmware. */
export function createMeter(context: FleetContext, plan: MeterPlan, onRestart?: () => void): Meter {
  const { world, faults, now, oracle } = context;
  const counters = createCounters(now);
  const counting = createCounting(context.tally, plan.sn);
  const restart = (): void => {
    endAssociations();
    onRestart?.();
  };
  const firmware = context.firmware.of('meter', { sn: plan.sn, ...factoryFirmware(plan), onRestart: restart });
  const state: MeterState = {
    world,
    plan,
    now,
    wrongStamps: () => wrongStampsOf(faults, plan.sn),
    alterations: () => alterationsOf(faults, plan.sn),
    aheadMs: plan.driftSeconds * 1000,
    local: world.localTime,
    relay: { state: 'connected', mode: modeOf(plan), orders: 0 },
    firmware,
    systemTitle: titleOfMeter(plan),
    masterKey: masterKeyOf(world.plan.seed, plan.sn),
    takeKeys(keys) {
      context.keys.change(plan.sn, keys);
      own.changeKeys(keys);
    },
    lastClientCounter: () => counters.highest(),
  };
  const table = objectsOf(plan);
  let assigned: ShortNamedObject[] | undefined;
  const shortNames = () => (assigned ??= shortNamesOf(table, state));
  const { authentication, suite } = securityOf(plan, context.authentication);
  const deviceWith = (keys: DeviceKeys, rules: ReturnType<typeof rulesFor>): LogicalDevice =>
    new LogicalDevice({
      objects(classId, instance) {
        if (classId === associationSn.id) return associationSnObject(shortNames, { instance });
        const object =
          firmware.isBroken && MEASURING.has(classId) ? undefined : table.get(objectKey(classId, instance))?.make(state, instance);
        return object === undefined
          ? undefined
          : context.recordings.replayed(
              plan.sn,
              counting.read(serveEndlessValue(faults, plan.sn, countAlteredReads(faults, plan.sn, denyReads(faults, plan.sn, object)))),
            );
      },
      blockOctets: () => faults.of(plan.sn, 'endless_blocks')?.octets,
      systemTitle: state.systemTitle,
      keys,
      cipher: nodeCipher,
      rules: context.hasShortNames === true ? withShortNames(rules) : rules,
      shortNames,
      suite,
      ...(suite === 0 ? {} : { credentials: context.authority.keyPairsOf(plan.sn, suite) }),
      maxPduSize: MAX_PDU_SIZE,
      counters,
      onFrame(direction, apdu, plain) {
        if (direction === 'up' && plain !== undefined) oracle?.recordPlain(plan.sn, plain);
        if (direction === 'down') counting.sent(plain ?? apdu);
      },
    });
  /** Never responds, is not yet installed, or has been removed. */
  const isAway = (): boolean => plan.isSilent || !world.isUp(plan, now());
  const { seed } = world.plan;
  const own = deviceWith(context.keys.of(plan.sn), rulesFor(authentication, passwordOf(seed, plan.sn)));
  let wrongKeyDevice: LogicalDevice | undefined;
  let openDevice: LogicalDevice | undefined;
  let lastAnswer: Uint8Array | undefined;
  let lastPush: { number: number; body: Uint8Array } | undefined;

  /** Protection of unsolicited messages of the meter. */
  function protection(): NonNullable<Notification['protection']> {
    const keys = faults.has(plan.sn, 'wrong_key') ? wrongKeysOf(seed, plan.sn, suite) : context.keys.of(plan.sn);
    return { cipher: nodeCipher, suite, keys, policy: 'authEnc', systemTitle: state.systemTitle, counter: counters.next() };
  }

  /** A restart, or the loss of the line, ends all associations. */
  function endAssociations(): void {
    for (const sap of CLIENT_SAPS) {
      own.reset(sap);
      wrongKeyDevice?.reset(sap);
      openDevice?.reset(sap);
    }
  }

  return {
    plan,
    relay: state.relay,
    receive(clientSap, apdu) {
      if (performance.now() < firmware.awayUntil) return undefined;
      if (isAway() || faults.strike(plan.sn, 'silence') || faults.strike(plan.sn, 'drop')) return undefined;
      if (faults.strike(plan.sn, 'garbage')) return noise(apdu.length);
      if (faults.strike(plan.sn, 'exception')) return UNAVAILABLE;
      if (faults.strike(plan.sn, 'counter_ahead')) counters.accept(NO_SYSTEM_TITLE, counters.highest() + COUNTERS_AHEAD);
      if (!faults.has(plan.sn, 'wrong_key')) {
        const { orders } = state.relay;
        if (faults.has(plan.sn, 'unprotected')) openDevice ??= deviceWith(context.keys.of(plan.sn), OPEN_RULES);
        else openDevice = undefined;
        const answer = (openDevice ?? own).receive(clientSap, apdu);
        for (let order = orders; order < state.relay.orders; order++) oracle?.recordSwitch(plan.sn, state.relay.state);
        if (state.relay.orders > orders && faults.strike(plan.sn, 'lost_switch')) return undefined;
        if (answer !== undefined && faults.strike(plan.sn, 'lost_answer')) return undefined;
        const given = answer && corruptResponse(faults, plan.sn, answer, lastAnswer);
        lastAnswer = answer;
        return given;
      }
      wrongKeyDevice ??= deviceWith(wrongKeysOf(seed, plan.sn, suite), rulesFor(authentication, wrongPasswordOf(seed, plan.sn)));
      faults.struck(plan.sn, 'wrong_key');
      return wrongKeyDevice.receive(clientSap, apdu);
    },
    push(number) {
      if (performance.now() < firmware.awayUntil || isAway() || faults.has(plan.sn, 'silence')) return undefined;
      if (lastPush?.number !== number)
        lastPush = {
          number,
          body: pushBodyOf(state, ({ classId, instance }) => table.get(objectKey(classId, instance))?.make(state, instance)),
        };
      return encodePush(number, lastPush.body, protection());
    },
    alarm: (number) => encodeAlarm(number, protection()),
    receiveBlock(image, blockNumber, block) {
      if (performance.now() < firmware.awayUntil || isAway() || faults.has(plan.sn, 'silence') || firmware.losesBlock()) return;
      firmware.store.hear(image, blockNumber, block);
    },
    receiveClock(aheadMs) {
      if (!isAway() && !faults.has(plan.sn, 'silence')) state.aheadMs = aheadMs;
    },
    disconnect: endAssociations,
  };
}
