export interface SeedItem {
  key: string;
  obis: string;
  classId: number;
  attribute: number;
  nameEn: string;
  nameZh: string;
  /** COSEM unit code; 255: none. */
  unit: number;
  precision: number;
  category: 'energy' | 'power' | 'voltage' | 'current' | 'quality' | 'clock' | 'identity' | 'status' | 'profile';
}

const NONE = 255;
const W = 27;
const VA = 28;
const VAR = 29;
const WH = 30;
const A = 33;
const V = 35;

type Line = [key: string, obis: string, nameEn: string, nameZh: string];

const group = (
  category: SeedItem['category'],
  classId: number,
  unit: number,
  precision: number,
  lines: Line[],
  attribute = 2,
): SeedItem[] => lines.map(([key, obis, nameEn, nameZh]) => ({ key, obis, classId, attribute, nameEn, nameZh, unit, precision, category }));

/** Readable items in display order, with the keys of the protocol catalogue. */
export const READING_ITEMS: SeedItem[] = [
  ...group('energy', 3, WH, 3, [
    ['E_PLUS', '1.0.1.8.0.255', 'Total Active Energy +', '正向有功总电能'],
    ['E_PLUS_T1', '1.0.1.8.1.255', 'Tariff 1 +', '正向有功费率1电能'],
    ['E_PLUS_T2', '1.0.1.8.2.255', 'Tariff 2 +', '正向有功费率2电能'],
    ['E_PLUS_T3', '1.0.1.8.3.255', 'Tariff 3 +', '正向有功费率3电能'],
    ['E_PLUS_T4', '1.0.1.8.4.255', 'Tariff 4 +', '正向有功费率4电能'],
    ['E_MINUS', '1.0.2.8.0.255', 'Total Active Energy −', '反向有功总电能'],
    ['E_MINUS_T1', '1.0.2.8.1.255', 'Tariff 1 −', '反向有功费率1电能'],
    ['E_MINUS_T2', '1.0.2.8.2.255', 'Tariff 2 −', '反向有功费率2电能'],
    ['E_MINUS_T3', '1.0.2.8.3.255', 'Tariff 3 −', '反向有功费率3电能'],
    ['E_MINUS_T4', '1.0.2.8.4.255', 'Tariff 4 −', '反向有功费率4电能'],
  ]),
  ...group('voltage', 3, V, 1, [
    ['U1', '1.0.32.7.0.255', 'Voltage L1', 'A相电压'],
    ['U2', '1.0.52.7.0.255', 'Voltage L2', 'B相电压'],
    ['U3', '1.0.72.7.0.255', 'Voltage L3', 'C相电压'],
  ]),
  ...group('current', 3, A, 2, [
    ['I1', '1.0.31.7.0.255', 'Current L1', 'A相电流'],
    ['I2', '1.0.51.7.0.255', 'Current L2', 'B相电流'],
    ['I3', '1.0.71.7.0.255', 'Current L3', 'C相电流'],
    ['I0', '1.0.91.7.0.255', 'Neutral Current', '零线电流'],
  ]),
  ...group('power', 3, W, 3, [
    ['P_PLUS', '1.0.1.7.0.255', 'Active Power +', '正向有功功率'],
    ['P_MINUS', '1.0.2.7.0.255', 'Active Power −', '反向有功功率'],
  ]),
  ...group('power', 5, W, 3, [
    ['P_AVG_PLUS', '1.0.1.4.0.255', 'Average Active Power +', '正向平均有功功率'],
    ['P_AVG_MINUS', '1.0.2.4.0.255', 'Average Active Power −', '反向平均有功功率'],
  ]),
  ...group('power', 5, VA, 3, [
    ['S_AVG_PLUS', '1.0.9.4.0.255', 'Average Apparent Power +', '正向平均视在功率'],
    ['S_AVG_MINUS', '1.0.10.4.0.255', 'Average Apparent Power −', '反向平均视在功率'],
  ]),
  ...group('power', 3, VAR, 3, [
    ['Q_PLUS', '1.0.3.7.0.255', 'Reactive Power +', '正向无功功率'],
    ['Q_MINUS', '1.0.4.7.0.255', 'Reactive Power −', '反向无功功率'],
  ]),
  ...group('quality', 3, NONE, 3, [['PF', '1.0.13.7.0.255', 'Power Factor', '功率因数']]),
  ...group('clock', 8, NONE, 0, [['CLOCK', '0.0.1.0.0.255', 'Clock', '时钟']]),
  ...group('identity', 1, NONE, 0, [
    ['LDN', '0.0.42.0.0.255', 'Logical Device Name', '逻辑设备名'],
    ['SN', '0.0.96.1.0.255', 'Serial Number', '出厂编号'],
    ['FWID', '1.0.0.2.0.255', 'Firmware Version', '固件版本'],
  ]),
  ...group('status', 1, NONE, 0, [['STATUS', '0.0.96.10.1.255', 'Status Word', '状态字']]),
  ...group('profile', 7, NONE, 0, [
    ['DAILY', '1.0.98.2.0.255', 'Daily Freeze', '日冻结'],
    ['MONTHLY', '0.0.98.1.0.255', 'Monthly Freeze', '月冻结'],
    ['ENERGY', '1.0.99.3.0.255', 'Energy Profile', '电能曲线'],
    ['LPA', '1.0.99.1.0.255', 'Load Profile A', '负荷曲线A'],
    ['LPB', '1.0.99.2.0.255', 'Load Profile B', '负荷曲线B'],
  ]),
];
