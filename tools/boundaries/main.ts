import path from 'node:path';
import { checkBoundaries } from './check-boundaries.ts';

const { modules, violations } = checkBoundaries(path.resolve(import.meta.dirname, '../..'));
for (const { rule, file, detail, why } of violations) console.log(`${file}: ${detail}\n  ${rule}: ${why}`);
console.log(`${modules} modules, ${violations.length} violations`);
process.exitCode = violations.length > 0 ? 1 : 0;
