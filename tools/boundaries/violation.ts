export interface Violation {
  rule: string;
  file: string;
  detail: string;
  why: string;
}
