/** The matrix of interoperability as data: what each peer can do, and the ways to reach its meters. */

export type Mechanism = 'none' | 'low' | 'high' | 'hls_md5' | 'hls_sha1' | 'hls_gmac' | 'hls_sha256' | 'hls_ecdsa';
export type Suite = 0 | 1 | 2;
export type Framing = 'wrapper' | 'hdlc';
/** `direct`: the meter has a connection of its own; `gateway`: a plain gateway forwards to it. */
export type Topology = 'direct' | 'gateway';
export type Direction = 'in' | 'out';
export const SERVICES = ['register', 'profile', 'set', 'action', 'push'] as const;
export type Service = (typeof SERVICES)[number];

export type PeerName = 'gurux-java' | 'gurux-python' | 'pydlms' | 'jdlms';

interface Security {
  mechanism: Mechanism;
  suite: Suite;
}

export interface Peer {
  name: PeerName;
  version: string;
  /** Three letters that begin its logical device names and system titles. */
  maker: string;
  securities: readonly Security[];
  services: readonly Service[];
  /** Framings of its own server; a gateway reaches it by the wrapper in every case. */
  framings: readonly Framing[];
  /** Whether it can send ciphered pushes in the keys of this suite. */
  pushesIn: readonly Suite[];
  /** Ways in which it can be a direct meter. */
  direct: readonly Direction[];
}

const at = (suite: Suite, ...mechanisms: Mechanism[]): Security[] => mechanisms.map((mechanism) => ({ mechanism, suite }));
const PLAIN = ['none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_sha256'] as const;

export const PEERS: readonly Peer[] = [
  {
    name: 'gurux-java',
    version: '4.0.47',
    maker: 'GRX',
    // It checks signatures of suite 2 with SHA-256, where the standard has SHA-384.
    securities: [...at(0, ...PLAIN, 'hls_gmac'), ...at(1, 'hls_gmac', 'hls_ecdsa'), ...at(2, 'hls_gmac')],
    services: SERVICES,
    framings: ['wrapper', 'hdlc'],
    pushesIn: [0, 1, 2],
    direct: ['in', 'out'],
  },
  {
    name: 'gurux-python',
    version: '1.0.203',
    maker: 'GPY',
    // The released server fails in its own code at each SET, ACTION and selection, and its answer to a challenge is malformed.
    securities: at(0, 'none', 'low'),
    services: ['register'],
    // It answers SNRM with an I frame that contains an exception, because its handler uses members that its classes do not have.
    framings: ['wrapper'],
    pushesIn: [],
    // The length in its answer to a release is wrong, so a caller that was asked for its name is lost.
    direct: ['out'],
  },
  {
    name: 'pydlms',
    version: '0.1.0',
    maker: 'PYD',
    // The GMAC of its server states suite 0 in every suite.
    securities: [...at(0, ...PLAIN, 'hls_gmac'), ...at(1, 'hls_ecdsa'), ...at(2, 'hls_ecdsa')],
    services: SERVICES,
    framings: ['wrapper', 'hdlc'],
    pushesIn: [0, 1, 2],
    direct: ['in', 'out'],
  },
  {
    name: 'jdlms',
    version: '1.8.0',
    maker: 'JDL',
    // Its server has suite 0 only, sends no pushes, and never acknowledges an HDLC frame. With GMAC its counter begins again at each
    // connection, which is a replay.
    securities: at(0, 'none', 'low'),
    services: ['register', 'profile', 'set', 'action'],
    framings: ['wrapper'],
    pushesIn: [],
    // It ends its connection with each association.
    direct: [],
  },
];

interface Route {
  topology: Topology;
  direction: Direction;
  /** Framing of the connection to the head-end. */
  framing: Framing;
}

/** A meter of the matrix: all services on it form one cell each. */
export interface MatrixMeter extends Route, Security {
  peer: Peer;
  services: readonly Service[];
}

const routesOf = ({ framings, direct }: Peer): Route[] => [
  ...direct.flatMap((direction) => framings.map((framing) => ({ topology: 'direct' as const, direction, framing }))),
  ...(['in', 'out'] as const).flatMap((direction) =>
    (['wrapper', 'hdlc'] as const).map((framing) => ({ topology: 'gateway' as const, direction, framing })),
  ),
];

/** Pushes are ciphered, so they need a meter whose services are ciphered as well. */
const servicesOf = ({ services, pushesIn }: Peer, { mechanism, suite }: Security): Service[] =>
  services.filter((service) => service !== 'push' || (pushesIn.includes(suite) && (mechanism === 'hls_gmac' || mechanism === 'hls_ecdsa')));

export const metersOf = (peer: Peer): MatrixMeter[] =>
  peer.securities.flatMap((security) =>
    routesOf(peer).map((route) => ({ peer, ...security, ...route, services: servicesOf(peer, security) })),
  );

/** `pydlms hls_gmac suite 0, wrapper, direct in, register`. */
export const cellName = ({ peer, mechanism, suite, framing, topology, direction }: MatrixMeter, service: Service): string =>
  `${peer.name} ${mechanism} suite ${suite}, ${framing}, ${topology} ${direction}, ${service}`;
