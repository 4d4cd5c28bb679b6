/** A decoder under fire. `run` returns what it holds afterwards, and throws what the decoder throws. */
export interface Target {
  run(input: Uint8Array): unknown;
  /** Inputs that only a program can make, besides those of the corpus folder. */
  seeds?(): Uint8Array[];
  /** Inputs of the largest size that are as expensive as can be. */
  bombs?(): Uint8Array[];
}
