import path from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import type { Reporter } from '@stryker-mutator/api/report';
import { appendResult, isStatus, nameOf, RESULTS_FILE } from './results.ts';

/** Name of the reporter in the options of Stryker. */
export const RESULTS = 'results';

/** Writes the result of each mutant when its tests end. */
function makeReporter(): Reporter {
  const file = process.env[RESULTS_FILE];
  if (file === undefined) throw new Error(`${RESULTS_FILE} is not set`);
  return {
    onMutantTested(result: Readonly<MutantResult>) {
      const { status, fileName, statusReason } = result;
      const source = path.relative(process.cwd(), fileName).replaceAll('\\', '/');
      if (isStatus(status)) appendResult(file, { mutant: nameOf(source, result), status, why: statusReason?.split('\n', 1)[0] });
    },
  };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Reporter, RESULTS, makeReporter)];
