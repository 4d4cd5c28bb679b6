/** A part of an OpenAPI document. */
type Part = Record<string, unknown>;
type Direction = 'input' | 'output';

const METHODS = ['get', 'post', 'put', 'delete'];
const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value);
const partOf = (value: unknown): Part => (isPart(value) ? value : {});
const partsOf = (value: unknown): Part[] => (Array.isArray(value) ? value.filter(isPart) : []);
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map((one) => JSON.stringify(one)) : []);

/** Pairs of references that are being compared, for recursive schemas. */
type Open = ReadonlySet<string>;

interface Comparison {
  before: Part;
  after: Part;
  direction: Direction;
  open: Open;
}

/** A schema without a reference at its root. Names of references are not compared, because they are numbered. */
function resolved(document: Part, schema: Part): Part {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const name = $ref.split('/').at(-1) ?? '';
  return partOf(partOf(partOf(document['components'])['schemas'])[name]);
}

const variantsOf = (schema: Part): Part[] => [...partsOf(schema['anyOf']), ...partsOf(schema['oneOf'])];

/** Breaks of a schema. Readers of output know the old one, writers of input too. */
function breaksOfSchema(old: Part, fresh: Part, at: string, comparison: Comparison): string[] {
  const { before, after, direction } = comparison;
  const key = `${String(old['$ref'])} ${String(fresh['$ref'])}`;
  if (old['$ref'] !== undefined && comparison.open.has(key)) return [];
  const inner = { ...comparison, open: new Set([...comparison.open, key]) };
  const [was, is] = [resolved(before, old), resolved(after, fresh)];
  const [oldVariants, newVariants] = [variantsOf(was), variantsOf(is)];
  if (oldVariants.length + newVariants.length > 0) {
    const [olds, news] = [oldVariants.length > 0 ? oldVariants : [was], newVariants.length > 0 ? newVariants : [is]];
    const fits = (one: Part, other: Part) => breaksOfSchema(one, other, at, inner).length === 0;
    const isKept =
      direction === 'output'
        ? news.every((one) => olds.some((other) => fits(other, one)))
        : olds.every((one) => news.some((other) => fits(one, other)));
    return isKept ? [] : [`${at}: the alternatives changed`];
  }
  return [
    ...breaksOfType(was, is, at, direction),
    ...breaksOfFields(was, is, at, inner),
    ...(isPart(was['items']) ? breaksOfSchema(was['items'], partOf(is['items']), `${at}[]`, inner) : []),
    ...(isPart(was['additionalProperties'])
      ? breaksOfSchema(was['additionalProperties'], partOf(is['additionalProperties']), `${at}{}`, inner)
      : []),
  ];
}

const LIMITS = { maxLength: -1, maximum: -1, maxItems: -1, minLength: 1, minimum: 1, minItems: 1 } as const;

function breaksOfType(was: Part, is: Part, at: string, direction: Direction): string[] {
  const changed = ['type', 'format', 'const'].filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  const breaks = changed.map((name) => `${at}: ${name} was ${JSON.stringify(was[name])}, is ${JSON.stringify(is[name])}`);
  if (direction === 'output') return breaks;
  const words = textsOf(is['enum']);
  const lost = textsOf(was['enum']).filter((word) => !words.includes(word) && words.length > 0);
  const narrower = Object.entries(LIMITS).filter(([name, sign]) => {
    const [old, fresh] = [was[name], is[name]];
    return typeof fresh === 'number' && (typeof old !== 'number' || (fresh - old) * sign > 0);
  });
  return [
    ...breaks,
    ...lost.map((word) => `${at}: ${word} is no longer accepted`),
    ...narrower.map(([name]) => `${at}: ${name} is narrower`),
  ];
}

function breaksOfFields(was: Part, is: Part, at: string, comparison: Comparison): string[] {
  const [olds, news] = [partOf(was['properties']), partOf(is['properties'])];
  const [wasRequired, isRequired] = [textsOf(was['required']), textsOf(is['required'])];
  const required =
    comparison.direction === 'output'
      ? wasRequired
          .filter((name) => !isRequired.includes(name) && news[JSON.parse(name)] !== undefined)
          .map((name) => `${at}.${name}: may be missing now`)
      : isRequired.filter((name) => !wasRequired.includes(name)).map((name) => `${at}.${name}: is required now`);
  const fields = Object.entries(olds).flatMap(([name, schema]) =>
    news[name] === undefined ? [`${at}.${name}: is lost`] : breaksOfSchema(partOf(schema), partOf(news[name]), `${at}.${name}`, comparison),
  );
  return [...fields, ...required];
}

const contentOf = (holder: unknown): [string, Part][] =>
  Object.entries(partOf(partOf(holder)['content'])).map(([type, media]) => [type, partOf(partOf(media)['schema'])]);

function breaksOfContent(old: unknown, fresh: unknown, at: string, comparison: Comparison): string[] {
  const news = new Map(contentOf(fresh));
  return contentOf(old).flatMap(([type, schema]) => {
    const now = news.get(type);
    return now === undefined ? [`${at}: ${type} is lost`] : breaksOfSchema(schema, now, at, comparison);
  });
}

function breaksOfParameters(old: Part, fresh: Part, at: string, comparison: Comparison): string[] {
  const keyOf = (parameter: Part) => `${String(parameter['in'])} ${String(parameter['name'])}`;
  const olds = new Map(partsOf(old['parameters']).map((one) => [keyOf(one), one]));
  const news = new Map(partsOf(fresh['parameters']).map((one) => [keyOf(one), one]));
  const lost = [...olds].flatMap(([key, parameter]) => {
    const now = news.get(key);
    if (now === undefined) return [`${at} ${key}: is lost`];
    return breaksOfSchema(partOf(parameter['schema']), partOf(now['schema']), `${at} ${key}`, comparison);
  });
  const required = [...news].filter(([key, { required: isAsked }]) => isAsked === true && olds.get(key)?.['required'] !== true);
  return [...lost, ...required.map(([key]) => `${at} ${key}: is required now`)];
}

function breaksOfOperation(old: Part, fresh: Part, at: string, documents: { before: Part; after: Part }): string[] {
  const input: Comparison = { ...documents, direction: 'input', open: new Set() };
  const output: Comparison = { ...documents, direction: 'output', open: new Set() };
  const isNewBody = old['requestBody'] === undefined && partOf(fresh['requestBody'])['required'] === true;
  const [olds, news] = [partOf(old['responses']), partOf(fresh['responses'])];
  const successes = Object.keys(olds).filter((status) => status.startsWith('2'));
  return [
    ...breaksOfParameters(old, fresh, at, input),
    ...(isNewBody ? [`${at} body: is required now`] : breaksOfContent(old['requestBody'], fresh['requestBody'], `${at} body`, input)),
    ...successes.flatMap((status) =>
      news[status] === undefined ? [`${at} ${status}: is lost`] : breaksOfContent(olds[status], news[status], `${at} ${status}`, output),
    ),
  ];
}

/** What programs written for the document `before` miss in the document `after`; empty: the promise is kept. */
export function brokenPromises(before: unknown, after: unknown): string[] {
  const documents = { before: partOf(before), after: partOf(after) };
  const news = partOf(documents.after['paths']);
  return Object.entries(partOf(documents.before['paths'])).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const old = partOf(operations)[method];
      const fresh = partOf(news[path])[method];
      const at = `${method.toUpperCase()} ${path}`;
      if (!isPart(old)) return [];
      return isPart(fresh) ? breaksOfOperation(old, fresh, at, documents) : [`${at}: is lost`];
    }),
  );
}
