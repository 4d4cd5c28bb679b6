import type { Text } from '@hes/contract/core/text.ts';
import { fill } from '@hes/contract/core/text.ts';
import { SENDER_FAILURE_TEXT, type SenderFailure } from '@hes/contract/states/sender.ts';

/** A failure as a sentence. */
export const failureOf = (failure: SenderFailure, detail: string | null): Text =>
  fill(SENDER_FAILURE_TEXT[failure], { detail: detail ?? '' });
