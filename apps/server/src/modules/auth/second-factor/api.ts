export { judgeCode } from './judge.ts';
export { requireProof } from './own-proof.ts';
export { dropFactor, hasSecondFactor } from './queries.ts';
export { judgeProof } from './session-proof.ts';
