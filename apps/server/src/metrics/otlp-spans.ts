import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Context, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { setSpans, type SpanStart, type Spans } from '#platform/spans.ts';

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
/** Spans that wait for the collector. More are dropped: a collector that is away costs no memory. */
const MOST_WAITING = 4096;
const SEND_EVERY_MS = 5_000;
const SEND_WITHIN_MS = 10_000;
const STOP_WITHIN_MS = 3_000;

export interface OtlpOptions {
  /** Address of the collector, without `/v1/traces`. */
  url: string;
  /** Value of the header Authorization. */
  authorization: string | undefined;
  /** Share of the traces that are exported. */
  sharePercent: number;
  version: string;
  /** Name of this node. */
  node: string;
}

function parentContext(parent: string | null | undefined, active: Context): Context {
  if (parent === undefined) return active;
  const parsed = parent === null ? null : parseTraceParent(parent);
  return parsed === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parsed, isRemote: true });
}

const traceparentOf = (span: Span): string => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
};

function writerOf(provider: TracerProvider, contexts: AsyncLocalStorageContextManager): Spans {
  const tracer = provider.getTracer('hes');
  async function inSpan<T>(name: string, { kind, attributes, parent, judge }: SpanStart<T>, work: () => Promise<T>): Promise<T> {
    const context = parentContext(parent, contexts.active());
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, context);
    try {
      const result = await contexts.with(trace.setSpan(context, span), work);
      const judged = judge?.(result);
      if (judged?.attributes !== undefined) span.setAttributes(judged.attributes);
      if (judged?.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: judged.error });
      return result;
    } catch (error) {
      // Messages of errors may hold what users entered, so only the kind is exported.
      const code = error instanceof Error && 'code' in error ? String(error.code) : error instanceof Error ? error.name : 'unknown';
      span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
  return {
    inSpan,
    current() {
      const span = trace.getSpan(contexts.active());
      return span === undefined ? undefined : traceparentOf(span);
    },
  };
}

/** Exports the spans of this process by OTLP over HTTP until the returned function is called, which sends the last ones. */
export function startSpans({ url, authorization, sharePercent, version, node }: OtlpOptions): () => Promise<void> {
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  const exporter = new OTLPTraceExporter({ url: `${url.replace(/\/$/, '')}/v1/traces`, headers, timeoutMillis: SEND_WITHIN_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'hes', 'service.version': version, 'service.instance.id': node }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sharePercent / 100) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MOST_WAITING,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_WITHIN_MS,
      }),
    ],
  });
  const contexts = new AsyncLocalStorageContextManager().enable();
  setSpans(writerOf(provider, contexts));
  return async () => {
    setSpans(undefined);
    await provider.forceFlush({ timeoutMillis: STOP_WITHIN_MS }).catch(() => undefined);
    await provider.shutdown().catch(() => undefined);
    contexts.disable();
  };
}
