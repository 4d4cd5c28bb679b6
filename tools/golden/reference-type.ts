import { dcuTypeFile } from '@hes/contract/asset/dcu-type.ts';
import { REFERENCE_MODELS } from '@hes/contract/text/reference-models.ts';
import { SOUTHBOUND_PROFILES } from '../../apps/server/src/db/seed/southbound-profiles.ts';
import { formatted } from './formatted.ts';

/** The file of the reference DCU type, as a site exports it: the beginning of a file for another make. */
export function referenceTypeText(root: string, file: string): string {
  const profile = SOUTHBOUND_PROFILES.find(({ key }) => key === 'hes-dcu-1');
  const type = dcuTypeFile.parse({
    format: 'hes-dcu-type',
    type: { code: 'REF-DCU', name: REFERENCE_MODELS.dcu.en, hardwareVersion: null, downlinkModes: ['plc', 'rf'] },
    supplier: { code: 'HES-REF', name: REFERENCE_MODELS.supplier.en },
    profile: { key: profile?.key, name: profile?.name, body: profile?.body },
  });
  return formatted(root, file, `${JSON.stringify(type, null, 2)}\n`);
}
