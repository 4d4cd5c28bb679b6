/** Starts the built-in database in the folder of its argument and holds it until it is killed. */
import { startEmbedded } from '../src/db/embedded/supervisor.ts';
import { silentLog } from '../src/platform/log.ts';

await startEmbedded(process.argv[2] ?? '', silentLog, { fsync: 'off' });
process.stdout.write('ready\n');
setInterval(() => undefined, 60_000);
