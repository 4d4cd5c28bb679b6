import { external, RETURN_PATH } from '@hes/contract/auth/external.ts';
import { identityProvider } from '@hes/contract/manager/identity-provider.ts';
import type { Context } from '#db/context.ts';
import { implement, type Implemented, type Wire } from '#http/implement.ts';
import { callerOf, endReplaced, sendSignedIn, type ConsoleDoor } from '#features/people/token/routes.ts';
import { flowCookie } from './flow.ts';
import { changeProvider, createProvider, listProviders, previewClaims, removeProvider, tryProvider } from './provider-service.ts';
import type { ExternalSignIn } from './sign-in.ts';
import type { SignIn } from '#features/people/token/service.ts';

export interface ExternalOptions extends ConsoleDoor {
  signIn: SignIn;
  /** Internal networks that providers may be in. */
  networks: readonly string[];
}

/** Address that the provider returns to. The provider refuses one that is not registered with it. */
const redirectUriOf = ({ publicUrl, isSecure }: ExternalOptions, wire: Wire): string =>
  `${publicUrl ?? wire.header('origin') ?? `${isSecure ? 'https' : 'http'}://${wire.header('host') ?? ''}`}${RETURN_PATH}`;

export function externalRoutes(ctx: Pick<Context, 'secrets'>, signIn: ExternalSignIn, options: ExternalOptions): Implemented[] {
  const { isSecure, networks } = options;
  const cookie = flowCookie(ctx.secrets, isSecure);
  return [
    ...implement(external, {
      start: async ({ body, wire }) => {
        const given = { providerId: body.providerId, returnTo: body.returnTo ?? null, ip: wire.ip };
        const { address, flow } = await signIn.begin({ ...given, redirectUri: redirectUriOf(options, wire) });
        wire.setHeader('set-cookie', cookie.set(flow));
        return { address };
      },
      finish: async ({ body, wire }) => {
        const flow = cookie.read(wire.cookie(cookie.name));
        wire.setHeader('set-cookie', cookie.clear());
        const { signedIn, provedUntil, returnTo } = await signIn.finish(flow, body.answer, callerOf(wire, options));
        if (signedIn !== undefined) await endReplaced(options.signIn, wire, options);
        return {
          signedIn: signedIn === undefined ? null : sendSignedIn(signedIn, wire, isSecure),
          provedUntil: provedUntil === undefined ? null : new Date(provedUntil).toISOString(),
          returnTo,
        };
      },
      prove: async ({ user, wire }) => {
        const { address, flow } = await signIn.beginProof({ user, redirectUri: redirectUriOf(options, wire), ip: wire.ip });
        wire.setHeader('set-cookie', cookie.set(flow));
        return { address };
      },
      logout: ({ params, body, wire }) => signIn.logout(params.id, body.logout_token, wire.ip),
    }),
    ...implement(identityProvider, {
      list: ({ ctx: own, user, query }) => listProviders(own, user, query),
      create: ({ ctx: own, user, body, wire }) => createProvider(own, { user, ip: wire.ip }, body),
      update: ({ ctx: own, user, params, body, wire }) => changeProvider(own, { user, ip: wire.ip }, { ...params, ...body }),
      remove: ({ ctx: own, user, params, wire }) => removeProvider(own, { user, ip: wire.ip }, params.id),
      test: ({ ctx: own, user, params, wire }) => tryProvider(own, { user, ip: wire.ip }, { ...params, networks }),
      preview: ({ ctx: own, user, params, body }) => previewClaims(own, user, { ...params, ...body }),
    }),
  ];
}
