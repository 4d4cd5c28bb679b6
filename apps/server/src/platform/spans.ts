/** Attributes of a span by name. */
type SpanAttributes = Record<string, string | number | boolean>;

/** How a span begins. */
export interface SpanStart<T> {
  kind: 'server' | 'consumer' | 'client' | 'internal';
  attributes: SpanAttributes;
  /** `traceparent` of W3C Trace Context; null: a trace of its own. Absent: the span in which the caller runs. */
  parent?: string | null;
  /** What the result adds; `error` marks the span as failed. */
  judge?(result: T): { attributes?: SpanAttributes; error?: string };
}

/** Writes spans; the implementation is loaded only where traces are exported. */
export interface Spans {
  inSpan<T>(name: string, start: SpanStart<T>, work: () => Promise<T>): Promise<T>;
  /** `traceparent` of the span in which the caller runs. */
  current(): string | undefined;
}

let spans: Spans | undefined;

/** Sets what writes the spans of this process; undefined: nothing does. */
export function setSpans(writer: Spans | undefined): void {
  spans = writer;
}

/** Runs `work` in a span. Without traces it costs one comparison: neither `start` is called nor a promise is added. */
export const inSpan = <T>(name: string, start: () => SpanStart<T>, work: () => Promise<T>): Promise<T> =>
  spans === undefined ? work() : spans.inSpan(name, start(), work);

/** `traceparent` for work that continues elsewhere; null: there is no span. */
export const currentTraceparent = (): string | null => spans?.current() ?? null;
