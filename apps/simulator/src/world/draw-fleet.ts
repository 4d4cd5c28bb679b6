import { localDay } from './calendar.ts';
import { drawCustomer, limitExport } from './customers.ts';
import { DISTRICTS, OUTSKIRTS, type DistrictDraft } from './districts.ts';
import type { DcuPlan, LevelPlan, MeterPlan, Plan, Position, TransformerPlan } from './plan.ts';
import { COMPANY, customerNameOf, REGION, WORDING, type FleetLanguage } from './names.ts';
import { between, pick, streamOf, unitAt } from './random.ts';

const CENTRE: Position = { longitude: 120.864, latitude: 31.352 };

interface Size {
  districts: readonly DistrictDraft[];
  streets: number;
  /** Customers of the transformer of a street, by its position in the district. */
  customersOf(district: DistrictDraft, position: number): number;
  /** Of these customers, those behind a second DCU where there is one. */
  customersOfSecondDcu(customers: number): number;
  capacitiesKva: readonly [number, ...number[]];
  /** Capacities follow the number of customers; otherwise they are drawn. */
  isFittedToCustomers?: boolean;
  hasRegion: boolean;
  hasSecondDcu(district: DistrictDraft, position: number): boolean;
}

const FEEDER_STREETS = 4;
const TEST_FLEET: Size = {
  districts: DISTRICTS,
  streets: 4,
  customersOf: () => 29,
  customersOfSecondDcu: () => 8,
  capacitiesKva: [160, 200, 250, 315],
  hasRegion: false,
  // At the edge of two streets some meters use radio next to the power line of the rest.
  hasSecondDcu: (district, position) => position === 3 && (district.code === 'HB' || district.code === 'GH'),
};
const EVEN_CUSTOMERS = 124;
const EVEN_CUSTOMERS_OF_SECOND_DCU = 44;
/** The utility of former versions: 125 meters at each transformer. */
const EVEN_UTILITY: Size = {
  districts: [...DISTRICTS, OUTSKIRTS],
  streets: 8,
  customersOf: () => EVEN_CUSTOMERS,
  customersOfSecondDcu: () => EVEN_CUSTOMERS_OF_SECOND_DCU,
  capacitiesKva: [400, 500, 630, 800],
  hasRegion: true,
  hasSecondDcu: (_district, position) => position % 2 === 1,
};
const UTILITY: Size = {
  ...EVEN_UTILITY,
  customersOf: ({ meters }, position) => (meters[position] ?? EVEN_CUSTOMERS + 1) - 1,
  customersOfSecondDcu: (customers) => Math.round((customers * EVEN_CUSTOMERS_OF_SECOND_DCU) / EVEN_CUSTOMERS),
  capacitiesKva: [100, 160, 250, 400, 630],
  isFittedToCustomers: true,
};
const CUSTOMERS_PER_KVA = 0.4;

/** The test fleet: 16 transformers, 18 DCUs and one unregistered one, 480 meters. Equal seeds give equal fleets. */
export const drawTestFleet = (seed: number, language: FleetLanguage = 'en'): Plan => draw(seed, TEST_FLEET, language);

/**
 * The utility of the demonstration: a region of five districts with two feeders each, 40 transformers of 12 to 210 meters, 60 DCUs, 5,000
 * meters. `isEven`: as a former version drew it.
 */
export function drawUtilityFleet(seed: number, language: FleetLanguage = 'en', isEven = false): Plan {
  const plan = draw(seed, isEven ? EVEN_UTILITY : UTILITY, language);
  const unknown = plan.meters.findLast(
    (meter) => meter.kind === 'household' && meter.mode === 'plc' && !meter.isSilent && !meter.dcu.isAbsent,
  );
  if (unknown) unknown.isUncommissioned = true;
  return plan;
}

function draw(seed: number, size: Size, language: FleetLanguage): Plan {
  const plan: Plan = { seed, levels: [], transformers: [], dcus: [], meters: [], archiveDrift: [] };
  const company: LevelPlan = { code: 'LT', name: COMPANY[language], type: 'company', parentCode: null, ...CENTRE };
  plan.levels.push(company);
  const region: LevelPlan = { code: 'LT-R1', name: REGION[language], type: 'region', parentCode: company.code, ...CENTRE };
  if (size.hasRegion) plan.levels.push(region);
  const draft = { above: size.hasRegion ? region : company, size, language };
  for (const district of size.districts) drawDistrict(plan, district, draft);
  plan.dcus.forEach((dcu, index) => Object.assign(dcu, { index }));
  shareLoads(plan);
  markProblems(plan, language);
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

interface Draft {
  above: LevelPlan;
  size: Size;
  language: FleetLanguage;
}

function drawDistrict(plan: Plan, district: DistrictDraft, { above, size, language }: Draft): void {
  const level: LevelPlan = {
    code: `LT-${district.code}`,
    name: district.name[language],
    type: 'district',
    parentCode: above.code,
    longitude: degrees(CENTRE.longitude + district.east),
    latitude: degrees(CENTRE.latitude + district.north),
  };
  plan.levels.push(level);
  let under = level;
  for (const [position, { [language]: street }] of district.streets.slice(0, size.streets).entries()) {
    if (size.hasRegion && position % FEEDER_STREETS === 0)
      plan.levels.push((under = feederOf(level, WORDING[language].feeder(street), position / FEEDER_STREETS)));
    const customers = size.customersOf(district, position);
    const place = { level: under, district: level, code: district.code, street, position, customers };
    const transformer = drawTransformer(plan, place, { size, language });
    const dcus = [drawDcu(plan, transformer, 1, language)];
    if (size.hasSecondDcu(district, position)) dcus.push(drawDcu(plan, transformer, 2, language));
    drawMeters(plan, transformer, dcus, { district, street, customers, size, language });
  }
}

const feederOf = (level: LevelPlan, name: string, number: number): LevelPlan => ({
  ...level,
  code: `${level.code}-F${number + 1}`,
  name,
  type: 'feeder',
  parentCode: level.code,
});

interface TransformerDraft {
  level: LevelPlan;
  district: LevelPlan;
  code: string;
  street: string;
  position: number;
  customers: number;
}

/** The smallest capacity that suffices for this number of customers, or the largest capacity if none does. */
const capacityFor = (customers: number, [first, ...larger]: Size['capacitiesKva']): number =>
  [first, ...larger].find((kva) => kva * CUSTOMERS_PER_KVA >= customers) ?? larger.at(-1) ?? first;

function drawTransformer(
  plan: Plan,
  { level, district, code, street, position, customers }: TransformerDraft,
  { size, language }: Pick<Draft, 'size' | 'language'>,
): TransformerPlan {
  const inFeeder = position % FEEDER_STREETS;
  // The second feeder runs in the opposite direction.
  const east = position < FEEDER_STREETS ? 0 : 0.0095;
  const index = plan.transformers.length;
  const stream = streamOf(plan.seed, 'transformer');
  const transformer: TransformerPlan = {
    index,
    code: `${code}${String(position + 1).padStart(2, '0')}`,
    name: WORDING[language].substation(street),
    address: WORDING[language].address(street, 1 + Math.floor(unitAt(stream, index, 1) * 20)),
    level,
    capacityKva: size.isFittedToCustomers === true ? capacityFor(customers, size.capacitiesKva) : pick(stream, index, size.capacitiesKva),
    lossShare: between(stream + 1, index, 0.03, 0.04),
    skyStream: streamOf(plan.seed, `sky/${district.code}`),
    longitude: degrees(level.longitude + east + (inFeeder % 2 === 0 ? -0.006 : 0.006) + between(stream + 2, index, -0.002, 0.002)),
    latitude: degrees(level.latitude + (inFeeder < 2 ? -0.004 : 0.004) + between(stream + 3, index, -0.0015, 0.0015)),
  };
  plan.transformers.push(transformer);
  return transformer;
}

function drawDcu(plan: Plan, transformer: TransformerPlan, number: number, language: FleetLanguage): DcuPlan {
  const index = plan.dcus.length;
  const channels = ['plc', 'plc', 'plc_rf'] as const;
  const isDialled = index % 3 === 2;
  const dcu: DcuPlan = {
    index,
    sn: `DCU26${String(index + 1).padStart(6, '0')}`,
    name: WORDING[language].dcu(transformer.code, number !== 1),
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
  {
    district,
    street,
    customers,
    size,
    language,
  }: { district: DistrictDraft; street: string; customers: number } & Pick<Draft, 'size' | 'language'>,
): void {
  const stream = streamOf(plan.seed, `meters/${transformer.code}`);
  const own: MeterPlan[] = [];
  const [main, radio] = dcus;
  if (!main) return;
  const names = streamOf(plan.seed, `names/${transformer.code}`);
  for (let i = 0; i <= customers; i++) {
    const kind = i === 0 ? 'master' : (district.customers[i - 1] ?? 'household');
    const dcu = radio && i > customers - size.customersOfSecondDcu(customers) ? radio : main;
    const address = WORDING[language].address(street, 2 * i + (i % 3));
    const customerName = kind === 'master' ? null : customerNameOf(language, kind, street, { stream: names, index: i });
    own.push({ ...drawMeter(plan, stream, i, kind, transformer, dcu, address), customerName });
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
): Omit<MeterPlan, 'customerName'> {
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
function markProblems(plan: Plan, language: FleetLanguage): void {
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
    name: WORDING[language].unregisteredDcu,
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
