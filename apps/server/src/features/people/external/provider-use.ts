import type { Context } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { SignInRefused } from './oidc.ts';
import { ProviderFailed } from './provider-failure.ts';
import { findProvider, noteUse, type Provider, type ProviderContent } from './provider-queries.ts';

export type Usable = Provider & { content: ProviderContent };

/** An enabled provider whose content is as this server wrote it. Throws `NOT_FOUND`. */
export async function usableProvider(ctx: Context, id: string): Promise<Usable> {
  const found = await findProvider(ctx, id);
  if (found?.content?.config.isEnabled !== true) throw new ApiError('NOT_FOUND');
  return { ...found, content: found.content };
}

/** Runs a dialogue with a provider, and records what came of it. */
export async function recordUse<T>(
  { db, clock, log }: Context,
  provider: Pick<Provider, 'id' | 'name'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const done = await work();
    await noteUse(db, provider.id, new Date(clock.now()));
    return done;
  } catch (error) {
    if (error instanceof SignInRefused) throw new ApiError('PROVIDER_REFUSED', { name: provider.name, why: error.why });
    if (!(error instanceof ProviderFailed)) throw error;
    log.warn('An identity provider could not be used', { provider: provider.name, failure: error.failure, detail: error.detail });
    await noteUse(db, provider.id, new Date(clock.now()), error);
    throw new ApiError('PROVIDER_FAILED', { name: provider.name });
  }
}
