import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../program.ts';
import { insist, type Check } from './check.ts';

/** PyPI package with the schemas of Kubernetes, and the oldest and the newest version that are checked. */
const SCHEMAS = { package: 'kubernetes-validate==1.37.0', versions: ['1.31.0', '1.37.0'] };
const KINDS = ['service-v1', 'deployment-apps-v1', 'statefulset-apps-v1', 'ingress-networking-v1', 'poddisruptionbudget-policy-v1'];
const VARIANTS: readonly (readonly string[])[] = [[], ['--set', 'demo=on'], ['--set', 'metrics.serviceMonitor=true,field.replicas=1']];

/** Kubeconform resolves no references among files, so the definitions are put into each schema. */
function joinSchemas(from: string, to: string): void {
  const read = (name: string) => readFileSync(path.join(from, `${name}.json`), 'utf8').replaceAll('/api/_definitions.json#', '#');
  const definitions = JSON.parse(read('_definitions')) as { $defs: unknown }; // as: a JSON schema
  mkdirSync(to, { recursive: true });
  for (const kind of KINDS) {
    const schema = JSON.parse(read(kind)) as object; // as: a JSON schema
    writeFileSync(path.join(to, `${kind}.json`), JSON.stringify({ ...schema, $defs: definitions.$defs }));
  }
}

async function fetchSchemas(folder: string): Promise<void> {
  await runProgram('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, SCHEMAS.package]);
  for (const version of SCHEMAS.versions)
    joinSchemas(path.join(folder, `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`), path.join(folder, version));
}

function judge(manifests: string, schemas: string): { valid: number; invalid: number; errors: number } {
  const location = path.join(schemas, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
  const args = ['-strict', '-summary', '-output', 'json', '-skip', 'ServiceMonitor', '-schema-location', location, '-'];
  try {
    const printed = execFileSync('kubeconform', args, { input: manifests, encoding: 'utf8' });
    return (JSON.parse(printed) as { summary: ReturnType<typeof judge> }).summary; // as: the format of kubeconform
  } catch (error) {
    throw new Error(`kubeconform: ${(error as { stdout?: string }).stdout ?? String(error)}`, { cause: error }); // as: the error of execFileSync
  }
}

const chart: Check = {
  name: 'chart: every variant is valid for the oldest and the newest Kubernetes',
  needs: ['helm', 'kubeconform', 'python3'],
  async run({ artefact, scratch }) {
    const schemas = path.join(scratch, 'schemas');
    await fetchSchemas(schemas);
    const archive = artefact('.chart.tgz');
    for (const version of SCHEMAS.versions) {
      for (const variant of VARIANTS) {
        const manifests = await runProgram('helm', ['template', 'town', archive, '--kube-version', version, ...variant]);
        const { valid, invalid, errors } = judge(manifests, path.join(schemas, version));
        insist(invalid + errors === 0 && valid > 5, `Kubernetes ${version}, ${variant.join(' ')}: ${valid} valid, ${invalid + errors} not`);
      }
    }
    const broken = (await runProgram('helm', ['template', 'town', archive, '--kube-version', '1.31.0'])).replaceAll(
      'maxSurge',
      'maxSurgery',
    );
    const isFound = await Promise.resolve()
      .then(() => judge(broken, path.join(schemas, '1.31.0')))
      .then(
        () => false,
        () => true,
      );
    insist(isFound, 'A wrong field was not found');
  },
};

export const chartChecks: readonly Check[] = [chart];
