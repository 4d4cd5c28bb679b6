/** `npm run check texts`: fails for texts that are not in the style of the product. docs/decisions/0259-style-of-texts.md has the rules. */
import path from 'node:path';
import { styleFaults } from './style.ts';

const faults = styleFaults(path.resolve(import.meta.dirname, '../..'));
for (const { files, en, fault } of faults) console.log(`${files.join(', ')}: "${en}" ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
