import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, hasProgram, Peer } from '../peer.ts';

const execute = promisify(execFile);
const HERE = import.meta.dirname;
const CACHE = join(HERE, '../../../../.cache/interop/kafka-4.1.1');
const FETCH_TIMEOUT_MS = 240_000;
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
/** A broker for tests needs little memory, and starts faster without the optimizing compiler. */
const JAVA = ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];

export const KAFKA_USER = 'hes';
export const KAFKA_PASSWORD = 'p@ss:word/1';

/** Class path of Apache Kafka, fetched by Maven once; undefined: there is no JDK or Maven, or it cannot be fetched. */
function fetchKafka(): string | undefined {
  if (!hasProgram('java') || !hasProgram('mvn')) return undefined;
  const mark = join(CACHE, '.complete');
  if (!existsSync(mark)) {
    mkdirSync(CACHE, { recursive: true });
    try {
      execFileSync('mvn', ['-q', '-B', '-f', join(HERE, 'kafka-pom.xml'), PLUGIN, `-DoutputDirectory=${CACHE}`], {
        timeout: FETCH_TIMEOUT_MS,
        stdio: 'ignore',
      });
    } catch {
      return undefined;
    }
    writeFileSync(mark, '');
  }
  return join(CACHE, '*');
}

export const kafkaClassPath = fetchKafka();

const pem = (name: string): string => readFileSync(join(HERE, 'certificates', name), 'utf8').trim();
/** A text in a file of properties, where a backslash escapes. */
const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Listeners of the broker: each is a way in which clients are let in. */
export interface KafkaPorts {
  plain: number;
  tls: number;
  /** TLS with a client certificate. */
  mutual: number;
  /** SASL without TLS. */
  sasl: number;
  /** The cluster names its broker by an internal address there. */
  elsewhere: number;
}

function propertiesOf(ports: KafkaPorts, controller: number, folder: string): string {
  const { plain, tls, mutual, sasl, elsewhere } = ports;
  const at = (name: string, port: number) => `${name}://127.0.0.1:${port}`;
  const open = [at('PLAIN', plain), at('TLS', tls), at('MUTUAL', mutual), at('SASL', sasl), at('ELSEWHERE', elsewhere)];
  // TLS to an address alone would check no name.
  const advertisedHost = (listener: string) => {
    if (listener.startsWith('ELSEWHERE')) return '10.0.0.1';
    return /^(?:TLS|MUTUAL)/.test(listener) ? 'localhost' : '127.0.0.1';
  };
  const advertised = open.map((listener) => listener.replace('127.0.0.1', advertisedHost(listener)));
  const keyStore = escaped([pem('broker.crt'), pem('broker.key')].join('\n'));
  const user = `user_${KAFKA_USER}=${quoted(KAFKA_PASSWORD)}`;
  const ssl = (listener: string) => [
    `listener.name.${listener}.ssl.keystore.type=PEM`,
    `listener.name.${listener}.ssl.keystore.location=${join(folder, 'broker.pem')}`,
  ];
  writeFileSync(join(folder, 'broker.pem'), keyStore.replaceAll('\\n', '\n'));
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.bootstrap.servers=127.0.0.1:${controller}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=PLAIN',
    `listeners=${[...open, at('CONTROLLER', controller)].join(',')}`,
    `advertised.listeners=${advertised.join(',')}`,
    'listener.security.protocol.map=PLAIN:PLAINTEXT,TLS:SSL,MUTUAL:SSL,SASL:SASL_PLAINTEXT,ELSEWHERE:PLAINTEXT,CONTROLLER:PLAINTEXT',
    ...ssl('tls'),
    ...ssl('mutual'),
    'listener.name.mutual.ssl.client.auth=required',
    'listener.name.mutual.ssl.truststore.type=PEM',
    `listener.name.mutual.ssl.truststore.location=${join(HERE, 'certificates/client-ca.crt')}`,
    'listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    `listener.name.sasl.plain.sasl.jaas.config=${escaped(`org.apache.kafka.common.security.plain.PlainLoginModule required ${user};`)}`,
    ...[256, 512].map(
      (bits) => `listener.name.sasl.scram-sha-${bits}.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;`,
    ),
    `log.dirs=${join(folder, 'log')}`,
    'auto.create.topics.enable=false',
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=1',
    'group.initial.rebalance.delay.ms=0',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'log.flush.interval.messages=1',
    '',
  ].join('\n');
}

/** A broker of Apache Kafka that is its own controller, with its log in a folder of the test. */
export class KafkaBroker {
  readonly ports: KafkaPorts;
  readonly #peer: Peer;

  private constructor(ports: KafkaPorts, peer: Peer) {
    this.ports = ports;
    this.#peer = peer;
  }

  /** Formats the log and starts the broker. */
  static async start(classPath: string, folder: string): Promise<KafkaBroker> {
    const [plain, tls, mutual, sasl, elsewhere, controller] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
      freePort(),
      freePort(),
    ]);
    const ports = { plain, tls, mutual, sasl, elsewhere };
    const properties = join(folder, 'server.properties');
    writeFileSync(properties, propertiesOf(ports, controller, folder));
    const user = (bits: number) => ['--add-scram', `SCRAM-SHA-${bits}=[name=${KAFKA_USER},password=${quoted(KAFKA_PASSWORD)}]`];
    const format = ['format', '--standalone', '-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', properties, ...user(256), ...user(512)];
    await execute('java', [...JAVA, '-cp', classPath, 'kafka.tools.StorageTool', ...format]);
    const broker = new KafkaBroker(ports, new Peer(['java', ...JAVA, '-cp', classPath, 'kafka.Kafka', properties], plain));
    await broker.#peer.start();
    return broker;
  }

  /** Ends the broker without a chance to tidy up. */
  kill(): Promise<void> {
    return this.#peer.kill();
  }

  restart(): Promise<void> {
    return this.#peer.start();
  }
}
