/** A decoder to fuzz. `run` returns its retained result, and throws the decoder's errors. */
export interface Target {
  run(input: Uint8Array): unknown;
  /** Generated inputs, in addition to those of the corpus folder. */
  seeds?(): Uint8Array[];
  /** The most expensive inputs of the largest size. */
  bombs?(): Uint8Array[];
}
