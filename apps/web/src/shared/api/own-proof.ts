import { create } from 'zustand';

export type ProofKind = 'code' | 'password';

interface ProofRequest {
  /** What the server asks for; undefined: nothing, the dialog is shut. */
  kind: ProofKind | undefined;
  finish: (isGiven: boolean) => void;
}

/** The dialog that asks for own proof: one at a time, however many calls wait for it. */
export const useProofRequest = create<ProofRequest>()(() => ({ kind: undefined, finish: () => undefined }));

let waiting: Promise<boolean> | undefined;

/** Opens the dialog and answers whether proof was given. Calls that come meanwhile wait for the same answer. */
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
