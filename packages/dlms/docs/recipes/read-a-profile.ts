import { Meter } from 'dlms-node';

await using meter = await Meter.connect({ host: '127.0.0.1', port: 4059, client: 2 });

// The last hour. The columns with their scalers and units are read from the meter, once.
const hour = await meter.profile('1.0.99.1.0.255', { from: new Date(Date.now() - 3_600_000) });
for (const { name, unit } of hour.columns) console.log('column', name, unit);
for (const { at, values } of hour.rows) console.log(at?.toISOString(), values.slice(1));

// Or rows by number: the first ten of the buffer.
const first = await meter.profile('1.0.99.1.0.255', { entries: [1, 10] });
console.log(first.rows.length, 'rows, one every', first.capturePeriodSeconds, 'seconds');
