import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { readCertificateRequest } from '@hes/dlms/security/certificate-request.ts';
import { createAuthority, pem } from '../../apps/server/test/authority.ts';
import { inParallel } from '../attack/client.ts';
import { PHYSICAL_ADDRESS } from './gateway.ts';
import type { Direction, Framing, Suite } from './matrix.ts';
import type { PeerMeter } from './peer-meters.ts';
import type { Product } from './product.ts';

const LOCAL = '127.0.0.1';
const AT_ONCE = 8;
const BIND_AT_ONCE = 200;
const PROTOCOL = { wrapper: 'dlms_wrapper', hdlc: 'dlms_hdlc' } satisfies Record<Framing, string>;
const CONNECTION = { in: 'dial_in', out: 'dial_out' } satisfies Record<Direction, string>;

export interface GatewayPlan {
  sn: string;
  framing: Framing;
  direction: Direction;
  /** Where it is dialled; undefined: it dials in. */
  port: number | undefined;
}

/** Ids of a registered meter: of the meter, and of its type. */
export type Registered = ReadonlyMap<string, string>;

/** The key pairs of the head-end, certified by an authority that the product trusts. */
export interface Certified {
  publicKeyOf(suite: 1 | 2): Uint8Array;
  certify(meters: readonly PeerMeter[]): Promise<void>;
}

const importFile = (product: Product, file: string): Promise<unknown> =>
  product
    .call('POST', '/asset/certificate/file?name=certificates.pem', undefined, 'operator', { octets: Buffer.from(file) })
    .then((answer) => {
      if (answer.errors !== 0) throw new Error(`Certificates were refused: ${JSON.stringify(answer.rows)}`);
    });

/** Makes the key pairs of the head-end through the API and has them certified, as an operator does. */
export async function certifyHeadEnd(product: Product): Promise<Certified> {
  const authorities = { 1: createAuthority('Interop CA 256', 1), 2: createAuthority('Interop CA 384', 2) };
  const publicKeys: Record<1 | 2, Uint8Array> = { 1: new Uint8Array(0), 2: new Uint8Array(0) };
  await importFile(product, pem(authorities[1].certificate) + pem(authorities[2].certificate));
  for (const suite of [1, 2] as const) {
    const made = await product.call('POST', '/asset/certificate/key-pair', { usage: 'digital_signature', suite });
    const request = String(await product.call('GET', `/asset/certificate/${made.id}/request`));
    const [, base64 = ''] = /REQUEST-----([^-]*)-----END/.exec(request) ?? [];
    const { publicKey } = readCertificateRequest(nodeCipher, new Uint8Array(Buffer.from(base64, 'base64')));
    publicKeys[suite] = publicKey;
    await importFile(product, pem(authorities[suite].issue({ subject: made.subject, publicKey })));
  }
  return {
    publicKeyOf: (suite) => publicKeys[suite],
    certify: async (meters) => {
      const files = meters.flatMap(({ suite, keys, title }) =>
        suite === 0 || keys === undefined ? [] : [pem(authorities[suite].issue({ subject: title, publicKey: keys.publicKey }))],
      );
      if (files.length > 0) await importFile(product, files.join(''));
    },
  };
}

/** Registers the meters with their types and gateways; returns meter ids by serial number. */
export class Register {
  readonly #product: Product;
  #supplierId = '';
  #transformerId = '';
  readonly #types = new Map<string, Promise<string>>();

  constructor(product: Product) {
    this.#product = product;
  }

  async prepare(): Promise<void> {
    const { call } = { call: this.#product.call.bind(this.#product) };
    this.#supplierId = (await call('POST', '/asset/supplier', { code: 'PEERS', name: 'Independent stacks' })).id;
    // Plans would read the same meters at the same time.
    for (const { id } of (await call('GET', '/reading/plan?size=100')).items)
      await call('PUT', `/reading/plan/${id}/enabled`, { enabled: false });
    const level = await call('POST', '/asset/level', { code: 'INTEROP', name: 'Interoperability', type: 'company', parentId: null });
    this.#transformerId = (await call('POST', '/asset/transformer', { name: 'Interoperability', levelId: level.id })).id;
  }

  /** The type of a meter: one for each security, with the built-in template. */
  #typeOf({ mechanism, suite }: PeerMeter): Promise<string> {
    const code = `${mechanism}-${suite}`.toUpperCase().replaceAll('_', '-');
    const known = this.#types.get(code) ?? this.#addType(code, mechanism, suite);
    this.#types.set(code, known);
    return known;
  }

  async #addType(code: string, authenticationType: string, securitySuite: Suite): Promise<string> {
    const { profiles } = await this.#product.call('GET', '/asset/meter-type/choice');
    const template = profiles.find(({ key }: { key: string }) => key === 'hes-meter-3p4w');
    const type = {
      code,
      name: code,
      supplierId: this.#supplierId,
      profileId: template?.id,
      communicationModes: ['plc', 'direct'],
      authenticationType,
      securitySuite,
      allowedAddresses: [LOCAL],
      apduSize: 512,
    };
    return (await this.#product.call('POST', '/asset/meter-type', type)).id;
  }

  async #addMeter(meter: PeerMeter, port: number | undefined): Promise<string> {
    const { sn, title, ek, ak, password, topology, direction, framing, mechanism } = meter;
    const isDirect = topology === 'direct';
    const isDialled = isDirect && direction === 'out';
    const hasKeys = mechanism === 'hls_gmac' || mechanism === 'hls_ecdsa';
    const made = await this.#product.call('POST', '/asset/meter', {
      sn,
      meterTypeId: await this.#typeOf(meter),
      communicationMode: isDirect ? 'direct' : 'plc',
      ...(isDirect ? { connectionType: CONNECTION[direction], protocol: PROTOCOL[framing] } : {}),
      ...(isDialled ? { host: LOCAL, port } : {}),
      systemTitle: title,
      keys: hasKeys ? { ek, ak } : mechanism === 'none' ? {} : { password },
    });
    return made.id;
  }

  /** Adds meters and returns their ids by serial number; `ports`: where the peers serve them. */
  async addMeters(meters: readonly PeerMeter[], ports: ReadonlyMap<string, number>): Promise<Map<string, string>> {
    const ids = await inParallel(meters.length, AT_ONCE, async (index) => {
      const meter = meters[index] as PeerMeter; // as: the index is below the number of meters
      return [meter.sn, await this.#addMeter(meter, ports.get(meter.sn))] as const;
    });
    const registered = new Map(ids);
    const direct = meters.filter(({ topology }) => topology === 'direct').flatMap(({ sn }) => registered.get(sn) ?? []);
    for (let at = 0; at < direct.length; at += BIND_AT_ONCE) {
      const change = { ids: direct.slice(at, at + BIND_AT_ONCE), state: 'installed', transformerId: this.#transformerId };
      await this.#product.call('PUT', '/asset/meter/state', change);
    }
    return registered;
  }

  /** Adds a plain gateway and binds its meters. */
  async addGateway({ sn, framing, direction, port }: GatewayPlan, meterIds: readonly string[]): Promise<void> {
    const { call } = { call: this.#product.call.bind(this.#product) };
    const { profiles } = await call('GET', '/asset/dcu-type/choice');
    const plain = profiles.find(({ key }: { key: string }) => key === 'hes-gateway');
    const type = await call('POST', '/asset/dcu-type', {
      code: `GATEWAY-${sn}`,
      name: `Gateway ${sn}`,
      supplierId: this.#supplierId,
      profileId: plain.id,
      protocol: PROTOCOL[framing],
      authenticationType: 'none',
      allowedAddresses: [LOCAL],
      parallelMeters: 8,
    });
    const dcu = await call('POST', '/asset/dcu', {
      sn,
      name: sn,
      dcuTypeId: type.id,
      transformerId: this.#transformerId,
      protocol: PROTOCOL[framing],
      communicateType: 'ethernet',
      connectionType: CONNECTION[direction],
      ...(port === undefined ? {} : { host: LOCAL, port }),
      ...(framing === 'hdlc' ? { physicalAddress: PHYSICAL_ADDRESS } : {}),
      authenticationType: 'none',
      dataChannel: 'plc',
    });
    await call('POST', '/asset/archive/bind', { dcuId: dcu.id, meterIds });
  }
}
