import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Context } from '#db/context.ts';
import { Nonces } from '#db/nonces.ts';
import { reachOf } from '#features/deliveries/port.ts';
import { implementedRoutes, type RouteOptions } from '#features/implemented-routes.ts';
import type { Health } from '#features/health/routes.ts';
import { createApp, type AppOptions } from '#http/app.ts';
import { createProbes, type ProbeOptions } from '#http/probes.ts';
import type { Config } from '#platform/config.ts';
import type { Stops } from './stops.ts';

const CONSOLE_ROOT = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** Lifetime of a ticket for the live socket. */
const LIVE_TICKET_MINUTES = 0.25;

const tlsOfDoor = ({ dlmsTls }: Config) => (dlmsTls === undefined ? 'none' : dlmsTls.mode === 'required' ? 'required' : 'optional');

interface ConsoleParts
  extends
    Pick<RouteOptions, 'version' | 'anchors' | 'livingNodes' | 'simulator' | 'demonstration' | 'backups'>,
    Required<Pick<AppOptions, 'isSecure' | 'connectionLimits'>>,
    Pick<AppOptions, 'tls'> {
  health: Health;
  dlmsPort: number;
}

/** Creates the server of HES_PORT in the role `web`: console, API and live socket. */
export async function openConsole(ctx: Context, config: Config, stops: Stops, parts: ConsoleParts): Promise<FastifyInstance> {
  const { version, livingNodes, isSecure, tls, connectionLimits, dlmsPort, health, ...rest } = parts;
  const liveTickets = new Nonces(ctx, { purpose: 'live socket', minutes: LIVE_TICKET_MINUTES });
  const shared = { version, liveTickets, ...(livingNodes === undefined ? {} : { livingNodes }) };
  const modules = implementedRoutes(ctx, {
    ...shared,
    ...rest,
    ...health,
    hasSecureCookies: isSecure,
    warnings: [],
    deliveries: reachOf(config),
    publicUrl: config.publicUrl,
    traceSharePercent: config.traceSharePercent,
    logo: { marker: config.logoMarker, address: config.logoAddress },
    door: () => ({ host: config.dlmsHost, port: dlmsPort, tls: tlsOfDoor(config) }),
  });
  const { trustedProxies } = config;
  const app = await createApp(ctx, { ...shared, modules, consoleRoot: CONSOLE_ROOT, isSecure, tls, trustedProxies, connectionLimits });
  stops.push(async () => {
    app.live.close();
    await app.fastify.close();
  });
  return app.fastify;
}

/** Creates the server of HES_PORT without the role `web`: answers for orchestrators and balancers. */
export function openProbes(ctx: Context, stops: Stops, options: ProbeOptions): FastifyInstance {
  const fastify = createProbes(ctx, options);
  stops.push(() => fastify.close());
  return fastify;
}
