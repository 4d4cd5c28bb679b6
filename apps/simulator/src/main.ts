import { randomBytes } from 'node:crypto';
import { modelIn } from '#control/dcu-type-file.ts';
import { startSimulation, type SimulationOptions } from './simulation.ts';
import { FLEET_LANGUAGES } from '#world/names.ts';
import { parseScale } from '#world/scale.ts';

const SECRET_OCTETS = 32;

/** Runs the simulator as a process. It ends with its standard input, so it cannot outlive the process that started it. */
async function main(): Promise<void> {
  const given = process.env.SIM_CONTROL_SECRET;
  delete process.env.SIM_CONTROL_SECRET;
  const controlSecret = given || randomBytes(SECRET_OCTETS).toString('base64url');
  const simulation = await startSimulation({ ...optionsFrom(process.env), controlSecret });
  const { plan } = simulation.world;
  const end = (): void => void simulation.stop().finally(() => process.exit(0));
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  process.stdin.once('end', end);
  process.stdin.once('error', end);
  process.stdin.resume();
  const ready = { ready: true, controlPort: simulation.controlPort, dcus: plan.dcus.length, meters: plan.meters.length };
  // A secret that the caller passed in is not printed again.
  process.stdout.write(`${JSON.stringify(given ? ready : { ...ready, controlSecret })}\n`);
}

function optionsFrom(env: NodeJS.ProcessEnv): SimulationOptions {
  const scaleText = env.SIM_SCALE || 'utility';
  const scale = parseScale(scaleText);
  if (!scale)
    throw new RangeError(`SIM_SCALE must be town, utility, utility-even, or DCUs times meters, such as 50x400, but is "${scaleText}"`);
  const headEndPort = wholeNumber(env, 'SIM_HES_PORT', 0);
  const udpPort = wholeNumber(env, 'SIM_HES_UDP_PORT', 0) || undefined;
  return {
    seed: wholeNumber(env, 'SIM_SEED', 1),
    scale,
    language: wordOf(env, 'SIM_LANGUAGE', FLEET_LANGUAGES),
    ...(headEndPort > 0 ? { headEnd: { host: env.SIM_HES_HOST ?? '127.0.0.1', port: headEndPort, udpPort } } : {}),
    directMeters: {
      count: wholeNumber(env, 'SIM_DIRECT', 0),
      hdlc: wholeNumber(env, 'SIM_DIRECT_HDLC', 0),
      dialled: wholeNumber(env, 'SIM_DIRECT_DIALLED', 0),
      pushing: wholeNumber(env, 'SIM_PUSHING', 0),
    },
    pushSeconds: wholeNumber(env, 'SIM_PUSH_S', 0) || undefined,
    controlPort: wholeNumber(env, 'SIM_CONTROL_PORT', 0),
    dialledPort: wholeNumber(env, 'SIM_DIALLED_PORT', 0),
    channel: env.SIM_CHANNEL === 'fast' ? 'fast' : 'realistic',
    lineSpeed: wholeNumber(env, 'SIM_LINE_SPEED', 0) || undefined,
    apduSize: wholeNumber(env, 'SIM_APDU_SIZE', 0) || undefined,
    authentication: wordOf(env, 'SIM_AUTHENTICATION', ['gmac', 'mixed', 'every'] as const),
    heartbeatSeconds: wholeNumber(env, 'SIM_HEARTBEAT_S', 60),
    dialPace: {
      startSpreadMs: 1000 * wholeNumber(env, 'SIM_START_SPREAD_S', 0) || undefined,
      longestWaitMs: wholeNumber(env, 'SIM_LONGEST_WAIT_MS', 0) || undefined,
    },
    timeZone: env.SIM_TIME_ZONE || undefined,
    oracleFile: env.SIM_WITNESS || undefined,
    tlsFolder: env.SIM_TLS || undefined,
    keysFile: env.SIM_KEYS || undefined,
    dcuModel: modelFrom(env),
  };
}

/** The DCUs of a type file, plain gateways, or reference DCUs. */
function modelFrom(env: NodeJS.ProcessEnv): SimulationOptions['dcuModel'] {
  const isGateway = wordOf(env, 'SIM_DCU', ['reference', 'gateway'] as const) === 'gateway';
  if (env.SIM_DCU_TYPE) return modelIn(env.SIM_DCU_TYPE);
  return isGateway ? { isPlainGateway: true } : undefined;
}

/** One of these words; the first one when the variable is not set. */
function wordOf<const W extends string>(env: NodeJS.ProcessEnv, name: string, words: readonly [W, ...W[]]): W {
  const text = env[name];
  if (text === undefined || text === '') return words[0];
  const word = words.find((known) => known === text);
  if (word === undefined) throw new RangeError(`${name} must be ${words.join(', ')}, but is "${text}"`);
  return word;
}

function wholeNumber(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined || text === '') return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`${name} must be a whole number, but is "${text}"`);
  return Number(text);
}

main().catch((error: unknown) => {
  process.stderr.write(`The simulator failed to start:  ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
