/** Reason of a decoding failure, a closed list that callers can switch over. */
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

/** Broken octets, with reason, offset and field path: `TRUNCATED in getResponse.result.data @ 17`. */
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
