import type { Attestation, securityKey } from '@hes/contract/auth/security-key.ts';
import type { Assertion, AssertionOptions } from '@hes/contract/core/own-proof.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';

type CreationOptions = ResponseOf<typeof securityKey.begin>;

/** Browsers report a refusal, a timeout and an unknown key alike, so that no site learns which keys a user has. */
const orNone = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined);

/** Asks one of the user's keys to sign. Undefined: no key answered. The library is loaded at the first use. */
export const askSecurityKey = (options: AssertionOptions): Promise<Assertion | undefined> =>
  orNone(
    import('@simplewebauthn/browser').then(async ({ startAuthentication }) => {
      // as: the contract names the transports that the types of the library list
      const given = { optionsJSON: options as Parameters<typeof startAuthentication>[0]['optionsJSON'] };
      const { id, rawId, response } = await startAuthentication(given);
      const { clientDataJSON, authenticatorData, signature, userHandle } = response;
      return { id, rawId, type: 'public-key', response: { clientDataJSON, authenticatorData, signature, userHandle: userHandle ?? null } };
    }),
  );

/** Makes a new key. Undefined: no key answered, or it is on the list already. */
export const makeSecurityKey = (options: CreationOptions): Promise<Attestation | undefined> =>
  orNone(
    import('@simplewebauthn/browser').then(async ({ startRegistration }) => {
      // as: the contract names the transports that the types of the library list
      const given = { optionsJSON: options as Parameters<typeof startRegistration>[0]['optionsJSON'] };
      const { id, rawId, response } = await startRegistration(given);
      const { clientDataJSON, attestationObject, transports = [] } = response;
      return { id, rawId, type: 'public-key', response: { clientDataJSON, attestationObject, transports } };
    }),
  );
