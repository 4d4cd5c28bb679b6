import { hookModules } from './loader.ts';
hookModules(undefined);
const { replaceBuiltins } = await import('./builtins.ts');
const realNow = performance.now.bind(performance);
replaceBuiltins();
const { runSeed } = await import('./run-seed.ts');
const { catchUncaught } = await import('./run-seed.ts');
catchUncaught();
const [from, to] = [Number(process.argv[2]), Number(process.argv[3] ?? process.argv[2])];
const t0 = realNow();
for (let seed = from; seed <= to; seed++) {
  const r = await runSeed(seed, process.argv[4] ? { print: (l) => console.log(l) } : {});
  if (r.findings.length || process.env.ALL) console.log(r.seed, r.events, r.statements, r.virtualMs, r.hash.slice(0, 8), JSON.stringify(r.judged), r.struck.join(','), r.findings.map((f) => `\n   ${f.guarantee}: ${f.what}`).join(''));
}
console.log('ms', realNow() - t0);
