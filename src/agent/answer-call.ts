import {AppError, reportError} from '../core/error.ts';
import type {Tool, ToolContext} from '../core/session/tool.ts';
import {cutResult} from './cut-result.ts';
import {headAndTail} from './head-and-tail.ts';
import type {ToolCall} from './model-turn.ts';

export type CallAnswer = {
	/** What the model reads. */
	readonly output: string;
	readonly failed: boolean;
	/** What the user is told where the tool itself is broken. */
	readonly bug?: string;
};

type Options = ToolContext & {readonly tools: readonly Tool[]};

/**
 * Runs one call. Whatever goes wrong becomes an answer that tells the model what is right; only an abort throws, because
 * a call that was interrupted has no result.
 */
export async function answerCall(call: ToolCall, {tools, ...context}: Options): Promise<CallAnswer> {
	const {name, malformed} = call;
	const tool = tools.find(candidate => candidate.name === name);
	if (!tool) {
		const names = tools.map(candidate => candidate.name).join(', ');
		return failure(`There is no tool “${name}”. ${names ? `There are: ${names}.` : 'There are no tools here.'}`);
	}

	if (malformed !== undefined) {
		const schema = headAndTail(JSON.stringify(tool.parameters), 2000);
		const given = malformed ? `, but this: ${headAndTail(malformed, 400)}` : '; they were empty';
		return failure(
			`The arguments were not a JSON object${given}\nNothing was run. Call ${name} again with a JSON object of this schema: ${schema}`,
		);
	}

	try {
		return {output: cutResult(await tool.run(call.arguments, context), tool.readOn), failed: false};
	} catch (error) {
		context.signal.throwIfAborted();
		if (error instanceof AppError) {
			return failure(error.hint ? `${error.message} ${error.hint}` : error.message);
		}

		const {message} = reportError(error);
		return {...failure(`The tool ${name} is broken: ${message}`), bug: `The tool ${name} failed. ${message}`};
	}
}

function failure(output: string): CallAnswer {
	return {output, failed: true};
}
