export { judgeCode } from './judge.ts';
export { requireProof } from './own-proof.ts';
export { dropFactor, hasSecondFactor } from './queries.ts';
export { strengthenRecoveryCodes } from './recovery.ts';
export { judgeProof } from './session-proof.ts';
