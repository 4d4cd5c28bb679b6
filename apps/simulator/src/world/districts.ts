import type { Names } from './names.ts';
import type { LoadKind } from './shapes.ts';

export interface DistrictDraft {
  name: Names;
  code: string;
  /** Meters of each transformer of the utility, master meter included. */
  meters: readonly number[];
  east: number;
  north: number;
  /** One transformer per street; the test fleet uses the first four, the utility all. */
  streets: readonly Names[];
  /** Customers other than households, one of each per transformer in this order. */
  customers: readonly LoadKind[];
}

export const DISTRICTS: readonly DistrictDraft[] = [
  {
    name: { en: 'North Bank', zh: '北岸' },
    code: 'NB',
    meters: [64, 148, 97, 31, 112, 12, 176, 83],
    east: -0.012,
    north: 0.021,
    streets: [
      { en: 'Mill Lane', zh: '磨坊巷' },
      { en: 'Willow Walk', zh: '柳岸路' },
      { en: 'Ferry Road', zh: '渡口路' },
      { en: 'Weir Street', zh: '堰桥街' },
      { en: 'Heron Way', zh: '白鹭路' },
      { en: 'Sluice Road', zh: '水闸路' },
      { en: 'Reed Street', zh: '芦苇街' },
      { en: 'Boathouse Lane', zh: '船坞里' },
    ],
    customers: ['school', 'shop', 'prosumer', 'lighting'],
  },
  {
    name: { en: 'Old Town', zh: '老城' },
    code: 'OT',
    meters: [210, 187, 203, 164, 142, 198, 121, 155],
    east: 0.003,
    north: 0.002,
    streets: [
      { en: 'Lantern Street', zh: '灯笼街' },
      { en: 'Silk Alley', zh: '丝绸巷' },
      { en: 'Bell Tower Road', zh: '钟楼路' },
      { en: 'Well Court', zh: '古井弄' },
      { en: 'Drum Lane', zh: '鼓楼巷' },
      { en: 'Ink Street', zh: '墨池街' },
      { en: 'Gate Road', zh: '城门路' },
      { en: 'Paper Alley', zh: '纸坊巷' },
    ],
    customers: ['shop', 'bakery', 'shop', 'shop', 'lighting', 'prosumer'],
  },
  {
    name: { en: 'Harbour', zh: '港区' },
    code: 'HB',
    meters: [88, 45, 132, 19, 156, 74, 107, 28],
    east: 0.027,
    north: -0.008,
    streets: [
      { en: 'Quay Road', zh: '码头路' },
      { en: 'Ropewalk', zh: '缆绳路' },
      { en: 'Anchor Street', zh: '铁锚街' },
      { en: 'Dock Lane', zh: '船台巷' },
      { en: 'Pilot Street', zh: '引航街' },
      { en: 'Warehouse Road', zh: '货栈路' },
      { en: 'Crane Lane', zh: '吊机巷' },
      { en: 'Lighthouse Way', zh: '灯塔路' },
    ],
    customers: ['workshop', 'shop', 'workshop', 'lighting', 'prosumer'],
  },
  {
    name: { en: 'Garden Hill', zh: '花园岭' },
    code: 'GH',
    meters: [166, 139, 92, 181, 58, 118, 147, 36],
    east: -0.024,
    north: -0.017,
    streets: [
      { en: 'Plum Terrace', zh: '梅园台' },
      { en: 'Bamboo Rise', zh: '竹坡路' },
      { en: 'Orchard Way', zh: '果园路' },
      { en: 'Tea Garden Road', zh: '茶园路' },
      { en: 'Peach Lane', zh: '桃花巷' },
      { en: 'Cedar Rise', zh: '雪松坡' },
      { en: 'Spring Road', zh: '清泉路' },
      { en: 'Hilltop Way', zh: '岭上路' },
    ],
    customers: ['shop', 'prosumer', 'prosumer', 'prosumer'],
  },
];

/** Only in the utility. */
export const OUTSKIRTS: DistrictDraft = {
  name: { en: 'Lakeside', zh: '湖滨' },
  code: 'LS',
  meters: [205, 168, 193, 127, 172, 149, 184, 113],
  east: 0.044,
  north: 0.019,
  streets: [
    { en: 'Shore Road', zh: '湖岸路' },
    { en: 'Pavilion Lane', zh: '凉亭巷' },
    { en: 'Lotus Street', zh: '荷花街' },
    { en: 'Jetty Way', zh: '栈桥路' },
    { en: 'Island Road', zh: '湖心路' },
    { en: 'Cove Lane', zh: '月湾巷' },
    { en: 'Osprey Street', zh: '鱼鹰街' },
    { en: 'Sailmaker Road', zh: '帆影路' },
  ],
  customers: ['prosumer', 'shop', 'lighting', 'workshop'],
};
