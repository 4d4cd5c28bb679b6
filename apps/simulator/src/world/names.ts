import { pick, unitAt } from './random.ts';
import type { LoadKind } from './shapes.ts';

/** Language of the names of the fleet: places, devices and customers. */
export const FLEET_LANGUAGES = ['en', 'zh'] as const;
export type FleetLanguage = (typeof FLEET_LANGUAGES)[number];

/** A name in each language of the fleet. */
export type Names = Readonly<Record<FleetLanguage, string>>;

export const COMPANY: Names = { en: 'Lanting Power Supply', zh: '兰亭供电公司' };
export const REGION: Names = { en: 'Lanting Region', zh: '兰亭片区' };

interface Wording {
  substation(street: string): string;
  feeder(street: string): string;
  dcu(transformerCode: string, isRadio: boolean): string;
  unregisteredDcu: string;
  address(street: string, number: number): string;
  /** A household; the indices are drawn from the seed. */
  person(stream: number, index: number): string;
  /** Customers other than households, by the street that they are in. */
  business: Record<Exclude<LoadKind, 'household' | 'prosumer' | 'solar'>, (street: string) => string>;
}

const GIVEN = [
  'Ada', 'Bruno', 'Clara', 'Dario', 'Edith', 'Farid', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Karin', 'Leon', 'Mira', 'Nadim', 'Olga', 'Pavel',
  'Rosa', 'Samir', 'Tessa', 'Viktor',
] as const; // prettier-ignore
const FAMILY = [
  'Abel', 'Brandt', 'Castell', 'Dorn', 'Engel', 'Falk', 'Garner', 'Holm', 'Ivanov', 'Jansen', 'Keller', 'Lund', 'Moreau', 'Novak', 'Ortiz',
  'Prior', 'Quist', 'Rahimi', 'Sorel', 'Thorne', 'Udall', 'Varga', 'Weiss', 'Yilmaz', 'Zeman',
] as const; // prettier-ignore
const SURNAMES = [...'王李张刘陈杨黄赵吴周徐孙马朱胡林郭何高罗'] as [string, ...string[]]; // as: it is not empty
const GIVEN_FIRST = [...'文志晓建雨思家明海春秋国雅子云'] as [string, ...string[]]; // as: it is not empty
const GIVEN_LAST = [...'华强梅军丽涛娟平宁杰敏芳安林琳'] as [string, ...string[]]; // as: it is not empty

/** Suppliers and types, by their codes. */
export const PRODUCTS = {
  HES: { en: 'HES Reference Works', zh: 'HES 参考制造厂' },
  LYN: { en: 'Lynden Metering', zh: '林登计量' },
  'DC-P100': { en: 'Power-line concentrator P100', zh: '载波集中器 P100' },
  'DC-D200': { en: 'Dual-mode concentrator D200', zh: '双模集中器 D200' },
  'SM-1P': { en: 'Single-phase PLC meter', zh: '单相载波电表' },
  'SM-1R': { en: 'Single-phase RF meter', zh: '单相无线电表' },
  'SM-3P': { en: 'Three-phase PLC meter', zh: '三相载波电表' },
  'SM-3R': { en: 'Three-phase RF meter', zh: '三相无线电表' },
  'SM-1D': { en: 'Single-phase meter with modem', zh: '单相直连电表' },
  'SM-3D': { en: 'Three-phase meter with modem', zh: '三相直连电表' },
  'SM-3M': { en: 'Transformer master meter', zh: '台区总表' },
} as const satisfies Record<string, Names>;

/** Share of the Chinese given names with one character. */
const SHORT_NAME_SHARE = 0.2;

export const WORDING: Readonly<Record<FleetLanguage, Wording>> = {
  en: {
    substation: (street) => `${street} substation`,
    feeder: (street) => `${street} feeder`,
    dcu: (code, isRadio) => `${code} ${isRadio ? 'radio' : 'main'} DCU`,
    unregisteredDcu: 'Unregistered DCU',
    address: (street, number) => `${street} ${number}`,
    person: (stream, index) => `${pick(stream, index, GIVEN)} ${pick(stream + 1, index, FAMILY)}`,
    business: {
      shop: (street) => `${street} Stores`,
      bakery: (street) => `${street} Bakery`,
      school: (street) => `${street} School`,
      workshop: (street) => `${street} Works`,
      lighting: (street) => `Street lighting ${street}`,
    },
  },
  zh: {
    substation: (street) => `${street}配变`,
    feeder: (street) => `${street}线`,
    dcu: (code, isRadio) => `${code} ${isRadio ? '无线' : '主'}集中器`,
    unregisteredDcu: '未登记集中器',
    address: (street, number) => `${street}${number}号`,
    person: (stream, index) =>
      pick(stream, index, SURNAMES) +
      (unitAt(stream, index, 1) < SHORT_NAME_SHARE ? '' : pick(stream + 1, index, GIVEN_FIRST)) +
      pick(stream + 2, index, GIVEN_LAST),
    business: {
      shop: (street) => `${street}商店`,
      bakery: (street) => `${street}面包房`,
      school: (street) => `${street}学校`,
      workshop: (street) => `${street}工场`,
      lighting: (street) => `${street}路灯`,
    },
  },
};

/** Name of a customer of this kind in this street. */
export function customerNameOf(language: FleetLanguage, kind: LoadKind, street: string, drawn: { stream: number; index: number }): string {
  const { business, person } = WORDING[language];
  return kind === 'household' || kind === 'prosumer' || kind === 'solar' ? person(drawn.stream, drawn.index) : business[kind](street);
}
