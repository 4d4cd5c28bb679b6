/** A failure that the user can fix: its message is one sentence with the remedy. */
export class Trouble extends Error {}

/** @type {NodeJS.WritableStream} */
let stream = process.stdout;
/**
 * Redirects progress lines, for tools that print a machine-readable result.
 * @param {NodeJS.WritableStream} other
 */
export function sayOn(other) {
  stream = other;
}

/**
 * Prints one line of progress in the common form of all tools.
 * @param {string} line
 */
export function say(line) {
  stream.write(`hes: ${line}\n`);
}

/**
 * Runs a tool. A `Trouble` is printed as one sentence, other errors with their stack; both end with a nonzero exit code.
 * @param {() => Promise<number>} tool returns the exit code
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
