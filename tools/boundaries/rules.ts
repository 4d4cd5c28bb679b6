/** A file that may not import certain files or packages. `$1` in `to` and `except` is what `from` captured. */
export interface Rule {
  name: string;
  /** One sentence: the reason somebody reads when the check fails. */
  why: string;
  from: RegExp;
  fromExcept?: RegExp;
  to: string;
  except?: string;
}

/** A folder below `pages/` with a page.tsx: it has as many parts as its group demands. */
const PAGE = 'dashboard|login|403|(?:assets|meter|action)/[^/]+|(?:meter-management|system)/[^/]+/[^/]+';

const TESTS = /\.test\.tsx?$|\/test\//;

/**
 * Which part of the repository may know which: the map of the architecture, in the only form that cannot go stale.
 * Targets are files of the repository, `npm:<package>` or `node:<module>`.
 */
export const RULES: readonly Rule[] = [
  {
    name: 'dlms-is-pure',
    why: 'The protocol outlives every product around it: no I/O, no clock, no other workspace, no package.',
    from: /^packages\/dlms\/src\//,
    fromExcept: TESTS,
    to: '',
    except: '^packages/dlms/src/',
  },
  {
    name: 'codec-at-the-bottom',
    why: 'Bytes and combinators know no COSEM.',
    from: /^packages\/dlms\/src\/codec\//,
    fromExcept: TESTS,
    to: '^packages/dlms/src/',
    except: '^packages/dlms/src/codec/',
  },
  {
    name: 'association-on-top',
    why: 'Services and classes can be read without the state machines that exchange them.',
    from: /^packages\/dlms\/src\/(?:codec|cosem|acse|xdlms|framing|catalogue)\//,
    fromExcept: TESTS,
    to: '^packages/dlms/src/association/',
  },
  {
    name: 'dlms-node-is-thin',
    why: "Node's sockets and ciphers for the protocol, and nothing else.",
    from: /^packages\/dlms-node\/src\//,
    fromExcept: TESTS,
    to: '',
    except: '^packages/dlms(-node)?/src/|^node:',
  },
  {
    name: 'contract-knows-zod-and-obis',
    why: 'Browser and server share it: what it pulls in, both pull in.',
    from: /^packages\/contract\/src\//,
    fromExcept: TESTS,
    to: '',
    except: '^packages/contract/src/|^npm:zod$|^packages/dlms/src/cosem/(obis|unit)',
  },
  {
    name: 'apps-are-islands',
    why: 'Server, simulator and console meet only in packages/ and on the wire; tests of the server may start the simulator.',
    from: /^apps\/([^/]+)\//,
    fromExcept: TESTS,
    to: '^apps/',
    except: '^apps/$1/',
  },
  {
    name: 'simulator-shares-time-zones-only',
    why: 'The simulator checks the server from outside: of the contract it uses time zones and the cache below them.',
    from: /^apps\/simulator\/src\//,
    fromExcept: TESTS,
    to: '^packages/contract/src/',
    except: '^packages/contract/src/(schedule/zone|core/bounded-cache)\\.ts$',
  },
  {
    name: 'web-draws-it-does-not-encode',
    why: 'The browser never speaks DLMS: what it needs of it, the server has decoded.',
    from: /^apps\/web\//,
    to: '^packages/dlms',
    except: '^packages/dlms/src/cosem/(obis|unit)',
  },
  {
    name: 'page-alone',
    why: 'A page is one folder and imports no other page; what two pages share is in domain/ or kit/.',
    from: new RegExp(`^apps/web/src/pages/(${PAGE})/`),
    to: '^apps/web/src/pages/',
    except: '^apps/web/src/pages/$1/',
  },
  {
    name: 'domain-below-pages',
    why: 'Pages and app use the parts of the domain, never the reverse.',
    from: /^apps\/web\/src\/domain\//,
    to: '^apps/web/src/(pages|app)/',
  },
  {
    name: 'kit-knows-no-domain',
    why: 'Lists, forms and charts of the kit serve any page: what knows meters, DCUs or tasks is in domain/.',
    from: /^apps\/web\/src\/kit\//,
    fromExcept: TESTS,
    to: '^apps/web/src/(pages|app|domain)/|^packages/contract/src/',
    except:
      '^packages/contract/src/(core|transfer|schedule|text)/|^packages/contract/src/page/paths\\.ts$|^packages/contract/src/manager/user\\.ts$',
  },
  {
    name: 'core-at-the-bottom',
    why: 'Client, session, live socket, languages and time work without the component library and know no page.',
    from: /^apps\/web\/src\/core\//,
    fromExcept: TESTS,
    to: '^apps/web/src/(pages|app|domain|kit)/|^npm:antd',
  },
  {
    name: 'plain-parts-without-the-library',
    why: 'kit/plain replaces antd on the first page only (decision 58): other pages use antd.',
    from: /^apps\/web\/src\/(?:pages\/(?!dashboard\/)|domain\/(?!brand\/|node-tree\/))/,
    to: '^apps/web/src/kit/plain/',
  },
  {
    name: 'field-knows-no-http',
    why: 'Talking to meters does not depend on the caller of an API route.',
    from: /^apps\/server\/src\/(?:field|tasks|storage)\//,
    fromExcept: TESTS,
    to: '^apps/server/src/(http|transfer)/|^npm:(fastify|@fastify/.+|ws)$',
  },
  {
    name: 'engines-know-no-feature',
    why: 'Features use field, queue, storage and database. These receive operations and jobs of features as parameters.',
    from: /^apps\/server\/src\/(?:field|tasks|storage|jobs|db|platform|http|transfer)\//,
    fromExcept: TESTS,
    to: '^apps/server/src/features/',
  },
  {
    name: 'dcus-are-asked-through-their-adapter',
    why: 'What a DCU has, and in which shape, is known to the adapters in southbound/: other code asks for a part, which may be missing.',
    from: /^apps\/server\/src\/(?:features|field|tasks|storage)\//,
    fromExcept: TESTS,
    to: '^packages/dlms/src/profile/(reference-dcu|dcu-shapes)\\.ts$|^packages/dlms/src/cosem/classes/(array-manager|script-table)\\.ts$',
  },
  {
    name: 'adapters-are-chosen-in-one-place',
    why: 'Only parts-of-dcu.ts knows which adapters exist: other code works with every make.',
    from: /^apps\/server\/src\/(?!southbound\/(?:parts-of-dcu\.ts$|[^/]+\/))/,
    fromExcept: TESTS,
    to: '^apps/server/src/southbound/[^/]+/',
  },
  {
    name: 'adapter-alone',
    why: 'An adapter is one folder and imports no other adapter.',
    from: /^apps\/server\/src\/southbound\/([^/]+)\//,
    fromExcept: TESTS,
    to: '^apps/server/src/southbound/[^/]+/',
    except: '^apps/server/src/southbound/$1/',
  },
  {
    name: 'southbound-below-features',
    why: 'An adapter speaks to a DCU over an open link and returns outcomes: it places no order and stores nothing.',
    from: /^apps\/server\/src\/southbound\//,
    fromExcept: TESTS,
    to: '^apps/server/src/(?:features|http|transfer|composition)/',
  },
  {
    name: 'feature-alone',
    why: 'A feature is one folder. Other features import its port.ts and nothing else of it.',
    from: /^apps\/server\/src\/features\/([^/]+)\/.+$/,
    fromExcept: TESTS,
    to: '^apps/server/src/features/[^/]+/',
    except: '^apps/server/src/features/($1/.+|[^/]+/port\\.ts)$',
  },
  {
    name: 'operations-catch-no-decode-error',
    why: 'Malformed octets are BAD_ANSWER everywhere: read through the link, or decode with the functions of field/decoded.ts.',
    from: /^apps\/server\/src\/(?:features|field\/(?:operations|profiles))\//,
    fromExcept: TESTS,
    to: '^packages/dlms/src/codec/decode-error\\.ts$',
  },
  {
    name: 'tasks-know-no-field',
    why: 'The queue receives its operations as a parameter and is tested without a socket.',
    from: /^apps\/server\/src\/tasks\//,
    fromExcept: TESTS,
    to: '^apps/server/src/field/',
  },
  {
    name: 'nodes-know-no-work',
    why: 'Births, deaths and guardians of nodes are decided without knowing what the nodes do.',
    from: /^apps\/server\/src\/nodes\//,
    fromExcept: TESTS,
    to: '^apps/server/src/(?:features|field|tasks|storage|http|jobs|transfer|composition)/',
  },
  {
    name: 'metrics-look-from-outside',
    why: 'Metrics read the database and what engines publish in platform/measures.ts and platform/spans.ts. No engine and no feature knows whether it is watched.',
    from: /^apps\/server\/src\/metrics\//,
    fromExcept: TESTS,
    to: '^apps/server/src/(?:features|field|nodes|tasks|storage|http|jobs|transfer|composition|southbound)/',
  },
  {
    name: 'only-the-composition-serves-metrics',
    why: 'The libraries of metrics and traces are loaded only where a setting asks for them.',
    from: /^apps\/server\/src\/(?!metrics\/|composition\/)/,
    fromExcept: TESTS,
    to: '^apps/server/src/metrics/|^npm:(?:prom-client$|@opentelemetry/)',
  },
  {
    name: 'orders-are-placed',
    why: 'Only placeOrder writes task, audit row and command log together, as the declaration of an order says.',
    from: /^apps\/server\/src\/(?:features|field)\//,
    fromExcept: TESTS,
    to: '^apps/server/src/tasks/create-task\\.ts$',
  },
  {
    name: 'platform-at-the-bottom',
    why: 'Clock, log, settings and files are infrastructure: every folder may use them, and they use none.',
    from: /^apps\/server\/src\/platform\//,
    fromExcept: TESTS,
    to: '^apps/server/src/',
    except: '^apps/server/src/platform/',
  },
  {
    name: 'database-knows-no-engine',
    why: 'The driver, the schema and the shared statements of db/ use the platform and nothing above it.',
    from: /^apps\/server\/src\/db\//,
    fromExcept: TESTS,
    to: '^apps/server/src/(?:http|field|nodes|tasks|storage|transfer|composition)/',
  },
  {
    name: 'tests-are-not-imported',
    why: 'What the product runs never depends on what only tests need.',
    from: /^(?:apps|packages)\/[^/]+\/src\//,
    fromExcept: TESTS,
    to: '\\.test\\.tsx?$|/test/|^npm:(vitest|fast-check|@testing-library/.+)$',
  },
  {
    name: 'database-on-the-server-only',
    why: 'Kysely and pg stay behind the API.',
    from: /^(?:packages|apps\/web|apps\/simulator)\//,
    to: '^npm:(kysely|pg|pg-copy-streams)$',
  },
];
