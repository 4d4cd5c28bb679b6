/** Why bytes could not be read. Every case is listed, so callers can switch on it. */
export type DecodeFault =
  | { code: 'TRUNCATED'; needed: number; left: number }
  | { code: 'TRAILING_BYTES'; left: number }
  | { code: 'UNEXPECTED_OCTET'; expected: number; found: number }
  | { code: 'UNKNOWN_TAG'; tag: number }
  | { code: 'UNKNOWN_ENUM'; value: number }
  | { code: 'BAD_LENGTH'; length: number }
  | { code: 'BAD_VALUE'; reason: string }
  | { code: 'TOO_DEEP'; limit: number }
  | { code: 'NOT_CHECKED' }
  | { code: 'NOT_AUTHENTIC' }
  | { code: 'COUNTER_NOT_RISING'; counter: number; last: number };

/** Broken bytes. Says what, at which octet, and in which field: `TRUNCATED in getResponse.result.data @ 17`. */
export class DecodeError extends Error {
  readonly fault: DecodeFault;
  readonly offset: number;
  readonly path: string;

  constructor(fault: DecodeFault, where: { offset: number; path: string }) {
    super(`${fault.code} in ${where.path || 'message'} @ ${where.offset}`);
    this.name = 'DecodeError';
    this.fault = fault;
    this.offset = where.offset;
    this.path = where.path;
  }
}
