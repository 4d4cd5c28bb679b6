import { REASONS } from '../core/outcome.ts';
import { fill, joinTexts, nameText, type Text } from '../core/text.ts';

/** Codes of events that the head-end detects about a device, beyond the range of device codes; in the log `comms` of meters and `dcu` of DCUs. */
export const FIELD_EVENT = {
  meterChanged: 60_010,
  identityMismatch: 60_011,
  notProved: 60_012,
  storedDiffers: 60_013,
  setAside: 60_014,
  readAgain: 60_015,
  periodWithoutSlots: 60_016,
  unreadableRow: 60_017,
  counterJumped: 60_018,
} as const;
export type FieldEventCode = (typeof FIELD_EVENT)[keyof typeof FIELD_EVENT];

const WHAT = {
  layout: { en: 'Capture list', zh: '捕获对象列表' },
  period: { en: 'Capture period', zh: '捕获周期' },
  scaler: { en: 'Scaler', zh: '换算系数' },
  unit: { en: 'Unit', zh: '单位' },
  identity: { en: 'Identity', zh: '设备身份' },
  value: { en: 'Stored value', zh: '已存数值' },
  proof: { en: 'Proof of identity', zh: '身份认证' },
  cost: { en: 'Answer', zh: '应答' },
  row: { en: 'Row of a log', zh: '日志记录' },
  counter: { en: 'Invocation counter', zh: '调用计数器' },
} satisfies Record<string, Text>;
type What = keyof typeof WHAT;

/** Formats a line of such an event: subject, object, former and new state. */
export const changeLine = (what: What, subject: string, before: string, after: string): string =>
  `${what} ${subject}: ${before} → ${after}`;
export const stateLine = (what: What, subject: string, state: string): string => `${what} ${subject}: ${state}`;

const LINE = /^([a-z]+) ([^:]+): (.*)$/;
const CODE = /\b[A-Z]+(?:_[A-Z]+)+\b/g;

function lineText(line: string): Text {
  const [, what = '', subject = '', state = ''] = LINE.exec(line) ?? [];
  const name = (WHAT as Partial<Record<string, Text>>)[what]; // as: any word may stand there
  if (name === undefined) return nameText(line);
  const reasons: Record<string, Text> = {};
  const template = state.replaceAll(CODE, (code) => {
    const reason = (REASONS as Partial<Record<string, Text>>)[code]; // as: likewise
    if (reason === undefined) return code;
    reasons[code] = reason;
    return `{${code}}`;
  });
  return fill(nameText('{what} ({subject}): {state}'), { what: name, subject, state: fill(nameText(template), reasons) });
}

/** The event code of a log, which is a column of its row (Blue Book, event code objects). */
const CODE_COLUMN = /(?:^|, )0\.\d+\.96\.11\.\d+\.255 = (\d+)(?=, |$)/;

/** Text of an event message. Of a row of a device, the code is left out: it stands beside the message with its name. */
export function messageText({ code, message }: { code: number; message: string }): Text {
  if (!Object.values<number>(FIELD_EVENT).includes(code))
    return nameText(CODE_COLUMN.exec(message)?.[1] === String(code) ? message.replace(CODE_COLUMN, '').replace(/^, /, '') : message);
  return joinTexts(message.split('\n').map(lineText), nameText('\n'));
}
