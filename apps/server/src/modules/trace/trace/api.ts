export { decodeFrame } from './decode-frame.ts';
