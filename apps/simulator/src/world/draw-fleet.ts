import { localDay } from './calendar.ts';
import { drawCustomer, limitExport } from './customers.ts';
import type { DcuPlan, LevelPlan, MeterPlan, Plan, Position, TransformerPlan } from './plan.ts';
import { between, pick, streamOf, unitAt } from './random.ts';
import type { LoadKind } from './shapes.ts';

const CENTRE: Position = { longitude: 120.864, latitude: 31.352 };

interface DistrictDraft {
  name: string;
  code: string;
  east: number;
  north: number;
  /** One transformer per street; the test fleet uses the first four, the utility all. */
  streets: readonly string[];
  /** Customers other than households, one of each per transformer in this order. */
  customers: readonly LoadKind[];
}

const DISTRICTS: readonly DistrictDraft[] = [
  {
    name: 'North Bank',
    code: 'NB',
    east: -0.012,
    north: 0.021,
    streets: ['Mill Lane', 'Willow Walk', 'Ferry Road', 'Weir Street', 'Heron Way', 'Sluice Road', 'Reed Street', 'Boathouse Lane'],
    customers: ['school', 'shop', 'prosumer', 'lighting'],
  },
  {
    name: 'Old Town',
    code: 'OT',
    east: 0.003,
    north: 0.002,
    streets: ['Lantern Street', 'Silk Alley', 'Bell Tower Road', 'Well Court', 'Drum Lane', 'Ink Street', 'Gate Road', 'Paper Alley'],
    customers: ['shop', 'bakery', 'shop', 'shop', 'lighting', 'prosumer'],
  },
  {
    name: 'Harbour',
    code: 'HB',
    east: 0.027,
    north: -0.008,
    streets: ['Quay Road', 'Ropewalk', 'Anchor Street', 'Dock Lane', 'Pilot Street', 'Warehouse Road', 'Crane Lane', 'Lighthouse Way'],
    customers: ['workshop', 'shop', 'workshop', 'lighting', 'prosumer'],
  },
  {
    name: 'Garden Hill',
    code: 'GH',
    east: -0.024,
    north: -0.017,
    streets: ['Plum Terrace', 'Bamboo Rise', 'Orchard Way', 'Tea Garden Road', 'Peach Lane', 'Cedar Rise', 'Spring Road', 'Hilltop Way'],
    customers: ['shop', 'prosumer', 'prosumer', 'prosumer'],
  },
];

/** Only in the utility. */
const OUTSKIRTS: DistrictDraft = {
  name: 'Lakeside',
  code: 'LS',
  east: 0.044,
  north: 0.019,
  streets: ['Shore Road', 'Pavilion Lane', 'Lotus Street', 'Jetty Way', 'Island Road', 'Cove Lane', 'Osprey Street', 'Sailmaker Road'],
  customers: ['prosumer', 'shop', 'lighting', 'workshop'],
};

interface Size {
  districts: readonly DistrictDraft[];
  streets: number;
  metersPerTransformer: number;
  /** Of them, behind a second DCU where there is one. */
  metersOfSecondDcu: number;
  capacitiesKva: readonly [number, ...number[]];
  hasSecondDcu(district: DistrictDraft, position: number): boolean;
}

const FEEDER_STREETS = 4;
const TEST_FLEET: Size = {
  districts: DISTRICTS,
  streets: 4,
  metersPerTransformer: 29,
  metersOfSecondDcu: 8,
  capacitiesKva: [160, 200, 250, 315],
  // At the edge of two streets some meters use radio next to the power line of the rest.
  hasSecondDcu: (district, position) => position === 3 && (district.code === 'HB' || district.code === 'GH'),
};
const UTILITY: Size = {
  districts: [...DISTRICTS, OUTSKIRTS],
  streets: 8,
  metersPerTransformer: 124,
  metersOfSecondDcu: 44,
  capacitiesKva: [400, 500, 630, 800],
  hasSecondDcu: (_district, position) => position % 2 === 1,
};

/** The test fleet: 16 transformers, 18 DCUs and one unregistered one, 480 meters. Equal seeds give equal fleets. */
export const drawTestFleet = (seed: number): Plan => draw(seed, TEST_FLEET);

/** The utility of the demonstration: a region of five districts with two feeders each, 40 transformers, 60 DCUs, 5,000 meters. */
export function drawUtilityFleet(seed: number): Plan {
  const plan = draw(seed, UTILITY);
  const unknown = plan.meters.findLast(
    (meter) => meter.kind === 'household' && meter.mode === 'plc' && !meter.isSilent && !meter.dcu.isAbsent,
  );
  if (unknown) unknown.isUncommissioned = true;
  return plan;
}

function draw(seed: number, size: Size): Plan {
  const plan: Plan = { seed, levels: [], transformers: [], dcus: [], meters: [], archiveDrift: [] };
  const company: LevelPlan = { code: 'LT', name: 'Lanting Power Supply', type: 'company', parentCode: null, ...CENTRE };
  plan.levels.push(company);
  const isUtility = size === UTILITY;
  const region: LevelPlan = { code: 'LT-R1', name: 'Lanting Region', type: 'region', parentCode: company.code, ...CENTRE };
  if (isUtility) plan.levels.push(region);
  for (const district of size.districts) drawDistrict(plan, district, isUtility ? region : company, size);
  plan.dcus.forEach((dcu, index) => Object.assign(dcu, { index }));
  shareLoads(plan);
  markProblems(plan);
  return plan;
}

/** Sets the phase loads of each transformer from its connected customers; 1 is an equal share. */
function shareLoads(plan: Plan): void {
  const PHASES = ['a', 'b', 'c'] as const;
  for (const transformer of plan.transformers) {
    const customers = plan.meters.filter((meter) => meter.transformer === transformer && meter.kind !== 'master');
    const [a, b, c] = PHASES.map((phase) =>
      customers.reduce(
        (sum, meter) => sum + (meter.phase === 'abc' ? meter.meanDailyWh / 3 : meter.phase === phase ? meter.meanDailyWh : 0),
        0,
      ),
    );
    const mean = ((a ?? 0) + (b ?? 0) + (c ?? 0)) / 3;
    if (a && b && c) transformer.loadShares = [a / mean, b / mean, c / mean];
  }
}

function drawDistrict(plan: Plan, district: DistrictDraft, above: LevelPlan, size: Size): void {
  const level: LevelPlan = {
    code: `LT-${district.code}`,
    name: district.name,
    type: 'district',
    parentCode: above.code,
    longitude: degrees(CENTRE.longitude + district.east),
    latitude: degrees(CENTRE.latitude + district.north),
  };
  plan.levels.push(level);
  let under = level;
  for (const [position, street] of district.streets.slice(0, size.streets).entries()) {
    if (size === UTILITY && position % FEEDER_STREETS === 0)
      plan.levels.push((under = feederOf(level, district, position / FEEDER_STREETS)));
    const transformer = drawTransformer(plan, { level: under, district: level, code: district.code, street, position, size });
    const dcus = [drawDcu(plan, transformer, 1)];
    if (size.hasSecondDcu(district, position)) dcus.push(drawDcu(plan, transformer, 2));
    drawMeters(plan, transformer, dcus, { district, street, size });
  }
}

const feederOf = (level: LevelPlan, district: DistrictDraft, number: number): LevelPlan => ({
  ...level,
  code: `${level.code}-F${number + 1}`,
  name: `${district.streets[number * FEEDER_STREETS] ?? district.name} feeder`,
  type: 'feeder',
  parentCode: level.code,
});

interface TransformerDraft {
  level: LevelPlan;
  district: LevelPlan;
  code: string;
  street: string;
  position: number;
  size: Size;
}

function drawTransformer(plan: Plan, { level, district, code, street, position, size }: TransformerDraft): TransformerPlan {
  const inFeeder = position % FEEDER_STREETS;
  // The second feeder runs in the opposite direction.
  const east = position < FEEDER_STREETS ? 0 : 0.0095;
  const index = plan.transformers.length;
  const stream = streamOf(plan.seed, 'transformer');
  const transformer: TransformerPlan = {
    index,
    code: `${code}${String(position + 1).padStart(2, '0')}`,
    name: `${street} substation`,
    address: `${street} ${1 + Math.floor(unitAt(stream, index, 1) * 20)}`,
    level,
    capacityKva: pick(stream, index, size.capacitiesKva),
    lossShare: between(stream + 1, index, 0.03, 0.04),
    skyStream: streamOf(plan.seed, `sky/${district.code}`),
    longitude: degrees(level.longitude + east + (inFeeder % 2 === 0 ? -0.006 : 0.006) + between(stream + 2, index, -0.002, 0.002)),
    latitude: degrees(level.latitude + (inFeeder < 2 ? -0.004 : 0.004) + between(stream + 3, index, -0.0015, 0.0015)),
  };
  plan.transformers.push(transformer);
  return transformer;
}

function drawDcu(plan: Plan, transformer: TransformerPlan, number: number): DcuPlan {
  const index = plan.dcus.length;
  const channels = ['plc', 'plc', 'plc_rf'] as const;
  const isDialled = index % 3 === 2;
  const dcu: DcuPlan = {
    index,
    sn: `DCU26${String(index + 1).padStart(6, '0')}`,
    name: `${transformer.code} ${number === 1 ? 'main' : 'radio'} DCU`,
    transformer,
    connectionType: isDialled ? 'dial_out' : 'dial_in',
    communicateType: isDialled ? (index % 2 === 0 ? 'ethernet' : 'fibre') : 'g4',
    dataChannel: number === 2 ? 'rf' : (channels[index % 3] ?? 'plc'),
    isAbsent: false,
    isUnregistered: false,
    longitude: degrees(transformer.longitude + number * 0.00004),
    latitude: transformer.latitude,
  };
  plan.dcus.push(dcu);
  return dcu;
}

function drawMeters(
  plan: Plan,
  transformer: TransformerPlan,
  dcus: DcuPlan[],
  { district, street, size }: { district: DistrictDraft; street: string; size: Size },
): void {
  const stream = streamOf(plan.seed, `meters/${transformer.code}`);
  const own: MeterPlan[] = [];
  const [main, radio] = dcus;
  if (!main) return;
  for (let i = 0; i <= size.metersPerTransformer; i++) {
    const kind = i === 0 ? 'master' : (district.customers[i - 1] ?? 'household');
    const dcu = radio && i > size.metersPerTransformer - size.metersOfSecondDcu ? radio : main;
    own.push(drawMeter(plan, stream, i, kind, transformer, dcu, `${street} ${2 * i + (i % 3)}`));
  }
  limitExport(own);
  plan.meters.push(...own);
}

function drawMeter(
  plan: Plan,
  stream: number,
  i: number,
  kind: MeterPlan['kind'],
  transformer: TransformerPlan,
  dcu: DcuPlan,
  address: string,
): MeterPlan {
  const index = plan.meters.length + i;
  const distance = kind === 'master' ? 0 : between(stream, i, 0.05, 1);
  const angle = unitAt(stream, i, 3) * 2 * Math.PI;
  const isRadio = dcu.dataChannel === 'rf' || (dcu.dataChannel === 'plc_rf' && kind !== 'master' && unitAt(stream, i, 4) < 0.35);
  const drift = Math.round(between(stream + 1, i, -26, 26));
  return {
    index,
    sn: `2601${String(transformer.index + 1).padStart(4, '0')}${String(i).padStart(4, '0')}`,
    transformer,
    dcu,
    kind,
    mode: isRadio ? 'rf' : 'plc',
    distance,
    hops: 1 + Math.floor(distance * 3.5),
    ...(kind === 'master' ? { meanDailyWh: 0, exportDailyWh: 0, shiftHours: 0, phase: 'abc' as const } : drawCustomer(stream + 2, i, kind)),
    installedDay: localDay(Date.UTC(2019 + Math.floor(unitAt(stream, i, 5) * 5), 0, 1)) + Math.floor(unitAt(stream, i, 6) * 365),
    // Deviations beyond 20 s become 0: those clocks were just synchronised.
    driftSeconds: Math.abs(drift) > 20 ? 0 : drift,
    customerNo: kind === 'master' ? null : `C${String(260_000 + index)}`,
    address: kind === 'master' ? transformer.address : address,
    longitude: degrees(transformer.longitude + Math.cos(angle) * distance * 0.0035),
    latitude: degrees(transformer.latitude + Math.sin(angle) * distance * 0.0025),
    isSilent: false,
    hasWrongKey: false,
    isTampered: false,
  };
}

/** Consumption of a workshop that bypasses a meter. */
const STOLEN_DAILY_WH = 60_000;

/** Marks deliberate problems that a console must show. */
function markProblems(plan: Plan): void {
  const households = plan.meters.filter((meter) => meter.kind === 'household');
  const stream = streamOf(plan.seed, 'problems');
  const draw = (index: number): MeterPlan | undefined =>
    households[Math.floor(between(stream, index, index / 4, (index + 1) / 4) * households.length)];
  Object.assign(draw(0) ?? {}, { isSilent: true });
  Object.assign(draw(1) ?? {}, { hasWrongKey: true });
  Object.assign(draw(2) ?? {}, { isTampered: true });
  Object.assign(draw(3) ?? {}, { stolenDailyWh: STOLEN_DAILY_WH });
  const [roof] = plan.meters.toSorted((a, b) => b.exportDailyWh - a.exportDailyWh);
  if (roof) roof.isUnrecordedGenerator = true;
  markArchives(plan, households);
  // One DCU was delivered, but never powered on.
  const absent =
    plan.dcus.findLast((dcu) => dcu.dataChannel === 'rf' && dcu.connectionType === 'dial_in') ??
    plan.dcus.findLast((dcu) => dcu.connectionType === 'dial_in');
  const last = plan.dcus.at(-1);
  if (!absent || !last) return;
  absent.isAbsent = true;
  plan.dcus.push({
    ...last,
    index: plan.dcus.length,
    sn: 'DCU26900001',
    name: 'Unregistered DCU',
    connectionType: 'dial_in',
    isAbsent: false,
    isUnregistered: true,
  });
}

/** Share of the single-phase meters recorded on a wrong phase. */
const MISREAD_SHARE = 0.015;

/** Marks differences between DCU archives or records and the installed meters. */
function markArchives(plan: Plan, households: readonly MeterPlan[]): void {
  const stream = streamOf(plan.seed, 'archives');
  const sound = households.filter(({ isSilent, hasWrongKey, phase }) => !isSilent && !hasWrongKey && phase !== 'abc');
  const draw = (index: number): MeterPlan | undefined =>
    sound[Math.floor(between(stream, index, 0.5 + index / 10, 0.6 + index / 10) * sound.length)];
  for (const [index, kind] of (['missing', 'phase', 'stale'] as const).entries()) {
    const meter = draw(index);
    if (meter) plan.archiveDrift.push({ kind, meter });
  }
  const misread = draw(3);
  if (misread) misread.recordedPhase = misread.phase === 'a' ? 'b' : 'a';
  const drifted = new Set(plan.archiveDrift.map(({ meter }) => meter));
  for (const [index, meter] of sound.entries())
    if (meter.phase !== 'abc' && !drifted.has(meter) && unitAt(stream + 5, index) < MISREAD_SHARE)
      meter.recordedPhase = meter.phase === 'c' ? 'b' : 'c';
  Object.assign(draw(4) ?? {}, { driftSeconds: 437 });
}

/** Rounded to the precision of positions in the archive: about 0.1 m. */
function degrees(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
