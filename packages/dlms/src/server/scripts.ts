import { scriptTable } from '../cosem/classes/script-table.ts';
import { singleActionSchedule } from '../cosem/classes/single-action-schedule.ts';
import type { AttributeValue } from '../cosem/cosem-class.ts';
import { matchesDate, matchesTime } from '../cosem/date-pattern.ts';
import type { Obis } from '../cosem/obis.ts';
import type { ActionResult } from '../xdlms/data-access-result.ts';
import type { ObjectModel } from './object-model.ts';
import { serverObject, type DescribedObject, type ObjectOptions } from './server-object.ts';

export type Script = AttributeValue<typeof scriptTable, 'scripts'>[number];
type Action = Script['actions'][number];

const SCRIPT_TABLE = scriptTable.id;
const EXECUTE = scriptTable.methods.execute.id;
/** Maximum nesting of scripts, which ends circular ones. */
const DEEPEST = 8;

/** The scripts of a device and their execution. */
export class Scripts {
  readonly #model: ObjectModel;
  scripts: Script[];
  #depth = 0;

  constructor(model: ObjectModel, scripts: readonly Script[] = []) {
    this.#model = model;
    this.scripts = [...scripts];
  }

  /** Runs the actions of a script in order and stops at the first failure. */
  execute(id: number): ActionResult {
    const script = this.scripts.find((candidate) => candidate.id === id);
    if (script === undefined) return 'objectUndefined';
    if (this.#depth >= DEEPEST) return 'otherReason';
    this.#depth++;
    try {
      for (const action of script.actions) {
        const result = this.#run(action);
        if (result !== 'success') return result;
      }
      return 'success';
    } finally {
      this.#depth--;
    }
  }

  #run({ service, classId, instance, index, parameter }: Action): ActionResult {
    if (service === 'executeMethod') return this.#model.invoke(classId, instance, index, parameter);
    const result = this.#model.write(classId, instance, index, parameter);
    // Writes have more result codes than methods; the others map to a general one.
    return result === 'success' || result === 'objectUndefined' || result === 'readWriteDenied' || result === 'typeUnmatched'
      ? result
      : 'otherReason';
  }
}

export const scriptTableObject = (scripts: Scripts, options: ObjectOptions): DescribedObject =>
  serverObject(
    scriptTable,
    {
      read: { scripts: () => scripts.scripts },
      write: { scripts: (value) => void (scripts.scripts = value) },
      invoke: { execute: (id) => scripts.execute(id) },
    },
    options,
  );

export type Execution = AttributeValue<typeof singleActionSchedule, 'executionTime'>[number];

/** A script with execution times, which may be patterns. */
export class Schedule {
  readonly #model: ObjectModel;
  script: { instance: Obis; selector: number };
  executions: Execution[];
  readonly type: number;

  constructor(
    model: ObjectModel,
    options: { script: { instance: Obis; selector: number }; executions: readonly Execution[]; type?: number },
  ) {
    this.#model = model;
    this.script = options.script;
    this.executions = [...options.executions];
    this.type = options.type ?? 1;
  }

  /** Call this once a second with the local time: runs the script if it is due and returns its result. */
  tick(local: { year: number; month: number; day: number; hour: number; minute: number; second: number }): ActionResult | undefined {
    const due = this.executions.some(({ time, date }) => matchesDate(date, local) && matchesTime(time, local));
    if (!due) return undefined;
    const { instance, selector } = this.script;
    return this.#model.invoke(SCRIPT_TABLE, instance, EXECUTE, { type: 'longUnsigned', value: selector });
  }
}

export const scheduleObject = (schedule: Schedule, options: ObjectOptions): DescribedObject =>
  serverObject(
    singleActionSchedule,
    {
      read: { executedScript: () => schedule.script, type: () => schedule.type, executionTime: () => schedule.executions },
      write: {
        executedScript: (script) => void (schedule.script = script),
        executionTime: (executions) => void (schedule.executions = executions),
      },
    },
    options,
  );
