import type { DcuRow } from '@hes/contract/asset/dcu.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DeviceRun } from '#domain/device-run/device-run.tsx';
import type { RunProps } from '#kit/list/action.ts';
import { texts } from './texts.ts';
import { useUplinkProperties } from './uplink.tsx';

/** Labels of the values that a DCU returns. */
const INFO_WORDS: Record<string, keyof typeof texts> = {
  LDN: 'ldn',
  SN: 'serial',
  FWID_DCU: 'firmware',
  CLOCK: 'clock',
  TCP_UDP: 'dlmsPort',
  IPV4: 'ownAddress',
  GSM: 'modem',
  MAC: 'macAddress',
  PPP: 'pppUser',
  GPRS: 'apn',
  AUTO_CONNECT_MODE: 'calls',
  AUTO_CONNECT: 'callsWhom',
  NTP_ACTIVE: 'ntpActive',
  NTP: 'ntpServer',
  archiveEntries: 'entries',
};

/** Labels of values that are numbers in the protocol. */
const ANSWER_WORDS: Record<string, Record<string, keyof typeof texts>> = {
  AUTO_CONNECT_MODE: { 0: 'callsNever', 101: 'callsAlways', 104: 'callsOnDemand' },
  NTP_ACTIVE: { true: 'isOn', false: 'isOff' },
};

/** The run of a task of DCUs. Its title may name the first DCU by `{sn}`. */
export const runOf = (title: Text) =>
  function DcuRun({ taskId, rows: [{ sn }], onClose }: RunProps<DcuRow>) {
    const t = useMessages(texts);
    const say = useSay();
    const uplinkProperties = useUplinkProperties();
    const nameOf = (key: string) => {
      const word = INFO_WORDS[key];
      return word === undefined ? key : t(word);
    };
    const wordOf = (key: string, value: string | number) => {
      const word = ANSWER_WORDS[key]?.[value];
      return word && t(word);
    };
    return (
      <DeviceRun
        taskId={taskId}
        title={say(title, { sn })}
        nameOf={nameOf}
        wordOf={wordOf}
        about={({ uplink }) => (uplink ? uplinkProperties(uplink) : [])}
        onClose={onClose}
      />
    );
  };
