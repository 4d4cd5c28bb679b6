/** Geometry of the sign-in artwork: a dial of 24 hours in which each dot is a meter and the outer line a load curve. Not real data. */
export interface DialArt {
  spokes: string;
  branches: string;
  litBranches: string;
  twigs: string;
  diamonds: [x: number, y: number][];
  nodes: [x: number, y: number][];
  dots: { path: string; colour: string; width: number }[];
  ticks: { path: string; strong: boolean }[];
  hours: { text: string; x: number; y: number }[];
  curve: string;
  hand: { x: number; y: number };
}

export const CENTRE = 500;
const DIAMONDS = 10;
const NODES = 52;
const METERS_PER_NODE = 18;
const RADIUS = { diamond: 118, node: 236, meterFrom: 356, meterTo: 424, ring: 460, hour: 482, curve: 476 };
const SEED = 20_261;

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** Angle 0 is midnight, at the top; clockwise. */
function at(turn: number, radius: number): [number, number] {
  const angle = turn * 2 * Math.PI - Math.PI / 2;
  return [Math.round((CENTRE + radius * Math.cos(angle)) * 10) / 10, Math.round((CENTRE + radius * Math.sin(angle)) * 10) / 10];
}

const point = (turn: number, radius: number): string => at(turn, radius).join(' ');
const bell = (hour: number, peak: number, width: number): number => Math.exp(-((((hour - peak + 36) % 24) - 12) ** 2) / (2 * width ** 2));
/** The load of a household over a day: low at night, a rise in the morning, a peak in the evening. */
const loadAt = (hour: number): number => 0.08 + 0.34 * bell(hour, 7.8, 2.4) + 0.22 * bell(hour, 13, 3) + 0.92 * bell(hour, 19.4, 2.6);

function curvePath(): string {
  const STEPS = 192;
  const points = Array.from({ length: STEPS }, (_, step) => point(step / STEPS, RADIUS.curve + loadAt((step / STEPS) * 24) * 118));
  return `M${points.join('L')}Z`;
}

/** Deterministic: always the same picture. */
export function dialArt(): DialArt {
  const random = seeded(SEED);
  const diamonds = Array.from({ length: DIAMONDS }, (_, index) => (index + 0.55) / DIAMONDS);
  const art: DialArt = {
    spokes: '',
    branches: '',
    litBranches: '',
    twigs: '',
    diamonds: [],
    nodes: [],
    dots: [],
    ticks: [],
    hours: [],
    curve: curvePath(),
    hand: { x: 0, y: 0 },
  };
  const dots = { steel: '', dim: '', volt: '', amber: '', red: '' };
  for (const turn of diamonds) {
    art.diamonds.push(at(turn, RADIUS.diamond));
    art.spokes += `M${point(turn, 26)}L${point(turn, RADIUS.diamond - 10)}`;
  }
  for (let index = 0; index < NODES; index += 1) {
    const turn = (index + 0.5 + (random() - 0.5) * 0.3) / NODES;
    const parent = diamonds[Math.min(DIAMONDS - 1, Math.floor(turn * DIAMONDS))] ?? 0;
    const branch = `M${point(parent, RADIUS.diamond + 10)}C${point(parent, 182)} ${point(turn, 178)} ${point(turn, RADIUS.node - 5)}`;
    if (random() < 0.1) art.litBranches += branch;
    else art.branches += branch;
    art.nodes.push(at(turn, RADIUS.node));
    for (let meter = 0; meter < METERS_PER_NODE; meter += 1) {
      const around = turn + ((meter + random() * 0.8) / METERS_PER_NODE - 0.5) / NODES;
      const radius = RADIUS.meterFrom + (RADIUS.meterTo - RADIUS.meterFrom) * Math.sqrt(random());
      art.twigs += `M${point(turn, RADIUS.node + 5)}Q${point(turn, 310)} ${point(around, radius - 3)}`;
      const luck = random();
      const kind = luck < 0.065 ? 'volt' : luck < 0.08 ? 'amber' : luck < 0.094 ? 'red' : luck < 0.6 ? 'steel' : 'dim';
      dots[kind] += `M${point(around, radius)}h0`;
    }
  }
  art.dots = [
    { path: dots.dim, colour: '#516a81', width: 4 },
    { path: dots.steel, colour: '#7d97ac', width: 4.6 },
    { path: dots.volt, colour: '#d3f04a', width: 6.2 },
    { path: dots.amber, colour: '#f0be48', width: 5.6 },
    { path: dots.red, colour: '#ff8188', width: 5.6 },
  ];
  for (let tick = 0; tick < 48; tick += 1) {
    const strong = tick % 6 === 0;
    art.ticks.push({
      path: `M${point(tick / 48, RADIUS.ring)}L${point(tick / 48, RADIUS.ring - (strong ? 13 : tick % 2 === 0 ? 7 : 4))}`,
      strong,
    });
  }
  for (let hour = 0; hour < 24; hour += 3) {
    const [x, y] = at(hour / 24, RADIUS.hour);
    art.hours.push({ text: String(hour).padStart(2, '0'), x, y });
  }
  const [x, y] = at(13.7 / 24, RADIUS.curve + loadAt(13.7) * 118);
  art.hand = { x, y };
  return art;
}
