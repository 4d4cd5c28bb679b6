import type { ProfileRow } from '../reading/reading.ts';
import type { Text } from '../core/text.ts';

/** Labels of the sources of a reading. */
export const READING_SOURCE_TEXT: Record<NonNullable<ProfileRow['source']>, Text> = {
  cache: { en: 'DCU cache', zh: '集中器缓存' },
  meter: { en: 'Meter', zh: '电表' },
  push: { en: 'Push', zh: '主动上报' },
  manual: { en: 'Manual', zh: '人工' },
  estimated: { en: 'Estimated', zh: '估算' },
};

/** Formats the status word of a captured row as `0x0008`. */
export const statusWordText = (word: number): string => `0x${word.toString(16).toUpperCase().padStart(4, '0')}`;

/** Labels of the quality of a reading. */
export const QUALITY_TEXT: Record<ProfileRow['quality'], Text> = {
  read: { en: 'Read', zh: '抄读' },
  refilled: { en: 'Refilled', zh: '补召' },
  estimated: { en: 'Estimated', zh: '估算' },
  manual: { en: 'Manual', zh: '人工' },
  invalid: { en: 'Invalid', zh: '无效' },
  missing: { en: 'Missing', zh: '缺失' },
};

/** Labels of the states of gaps. */
export const GAP_STATE_TEXT: Record<NonNullable<ProfileRow['gap']>, Text> = {
  open: { en: 'Open', zh: '待补' },
  filled: { en: 'Filled', zh: '已补' },
  no_data: { en: 'No data exists', zh: '无数据' },
  lost: { en: 'Lost', zh: '已丢失' },
};
export const NOT_TRIED_TEXT: Text = { en: 'Not tried yet', zh: '尚未尝试抄读' };

/** Set by the head-end above the bits of meters: a value exceeded the range of the register and was dropped. Fits an int4. */
export const OUT_OF_RANGE_BIT = 0x4000_0000;

/** Usual bits of the status word of a row; `invalid`: the values of the row are unreliable. */
const STATUS_BITS = [
  { bit: 0x01, text: { en: 'Critical error', zh: '严重错误' }, invalid: true },
  { bit: 0x02, text: { en: 'Clock invalid', zh: '时钟无效' }, invalid: true },
  { bit: 0x04, text: { en: 'Data not valid', zh: '数据无效' }, invalid: true },
  { bit: 0x08, text: { en: 'Summer time', zh: '夏令时' }, invalid: false },
  { bit: 0x20, text: { en: 'Clock adjusted', zh: '时钟已校正' }, invalid: false },
  { bit: 0x80, text: { en: 'Power down', zh: '停电' }, invalid: false },
  { bit: OUT_OF_RANGE_BIT, text: { en: 'Value out of range, dropped', zh: '数值超出范围，未采用' }, invalid: false },
];
export const INVALID_BITS = STATUS_BITS.reduce((bits, { bit, invalid }) => (invalid ? bits | bit : bits), 0);

/** Texts of the bits set in a status word. */
export const marksOf = (statusWord: number | null): Text[] =>
  STATUS_BITS.filter(({ bit }) => ((statusWord ?? 0) & bit) !== 0).map(({ text }) => text);
