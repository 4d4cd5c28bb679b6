import type { ProofKind } from '@hes/contract/core/own-proof.ts';
import { create } from 'zustand';

export type { ProofKind };

/** Tells the page that waits for own proof what its window at the identity provider came to. */
export const PROOF_CHANNEL = 'hes-proof';

interface ProofRequest {
  /** The kind of proof that the server requires; undefined: the dialog is closed. */
  kind: ProofKind | undefined;
  finish: (isGiven: boolean) => void;
}

/** The dialog for own proof. One at a time; all calls that need proof share it. */
export const useProofRequest = create<ProofRequest>()(() => ({ kind: undefined, finish: () => undefined }));

let waiting: Promise<boolean> | undefined;

/** Opens the dialog and resolves to whether proof was given. Concurrent calls share the result. */
export function askProof(kind: ProofKind): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    const finish = (isGiven: boolean) => {
      waiting = undefined;
      useProofRequest.setState({ kind: undefined });
      resolve(isGiven);
    };
    useProofRequest.setState({ kind, finish });
  });
  return waiting;
}
