import type {ToolResult} from '../chat.ts';
import type {IntendedCall} from '../intent.ts';
import {inline} from '../markdown-text.ts';
import {label} from '../texts.ts';

/** The next message of a piece of work: what the model says, and what it calls to continue. Without calls it has ended. */
export type Step = {readonly text: string; readonly calls: readonly IntendedCall[]};

/**
 * A piece of work that takes several turns. Returns the step after these results, all since the prompt in order, or
 * undefined if the prompt is not about it.
 */
export type Work = (prompt: string, results: readonly ToolResult[]) => Step | undefined;

/** Returns a step that says what comes and calls the tools for it. */
export function continueWith(text: string, ...calls: readonly IntendedCall[]): Step {
	return {text: `${text}\n\n`, calls};
}

/** Returns the last step of work that succeeded. */
export function finish(text: string): Step {
	return {text: `${label} ${text}\n`, calls: []};
}

/** Returns the last step of work that a tool or the user has stopped. */
export function stopAt(result: ToolResult | undefined, what: string): Step {
	const said = result ? ` The tool said: ${inline(result.output)}` : '';
	return {text: `${label} I’m stopping here: ${what}.${said}\n`, calls: []};
}

/** Returns the results of a tool, in order. */
export function resultsOf(results: readonly ToolResult[], name: IntendedCall['name']): readonly ToolResult[] {
	return results.filter(result => result.name === name);
}
