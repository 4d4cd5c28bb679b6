/** A failure that a person can mend: its message is one sentence that says what to do. */
export class Trouble extends Error {}

/** @type {NodeJS.WritableStream} */
let stream = process.stdout;
/** A tool that prints its result for a machine speaks elsewhere.
 * @param {NodeJS.WritableStream} other
 */
export function sayOn(other) {
  stream = other;
}

/** One line of progress, in the form all tools share.
 * @param {string} line
 */
export function say(line) {
  stream.write(`hes: ${line}\n`);
}

/** Runs a tool; trouble is told in one sentence, anything else with its stack, and both end with a code that is not 0.
 * @param {() => Promise<number>} tool answers the exit code
 */
export async function runTool(tool) {
  try {
    process.exit(await tool());
  } catch (error) {
    process.stderr.write(
      error instanceof Trouble ? `hes: ${error.message}\n` : `hes: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exit(1);
  }
}
