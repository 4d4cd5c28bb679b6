import type { ProviderConfig } from '@hes/contract/manager/identity-provider.ts';
import type { ProviderFailure } from '@hes/contract/states/identity-provider.ts';

/** A failure of the provider, not of the person. */
export class ProviderFailed extends Error {
  readonly failure: ProviderFailure;
  readonly detail: string | null;

  constructor(failure: ProviderFailure, detail: string | null, cause?: unknown) {
    super(`${failure}: ${detail ?? ''}`, { cause });
    this.name = 'ProviderFailed';
    this.failure = failure;
    this.detail = detail;
  }
}

/** What a dialogue with a provider needs. */
export interface ProviderClient {
  config: ProviderConfig;
  /** Secret of the client, or password of the service account. */
  secret: string;
  /** Internal networks that may be reached. */
  networks: readonly string[];
}
