import {type CommandPlace, nameCommands} from '../core/command-words.ts';
import {headAndTail} from '../core/cut-text.ts';
import {AppError, reportError} from '../core/error.ts';
import type {Tool, ToolContext} from '../core/session/tool.ts';
import {cutResult} from './cut-result.ts';
import type {ToolCall} from './model-turn.ts';

export type CallAnswer = {
	/** What the model reads. */
	readonly output: string;
	readonly failed: boolean;
	/** The message for the user if the tool itself is broken. */
	readonly bug?: string;
};

type Options = ToolContext & {
	readonly tools: readonly Tool[];
	/** Where the user reads what the model tells them of commands; the app by default. */
	readonly commandPlace?: CommandPlace | undefined;
};

/**
 * Runs one call. A failure becomes an answer that tells the model what to do instead. Only an abort throws, because an
 * interrupted call has no result.
 */
export async function answerCall(
	call: ToolCall,
	{tools, commandPlace = 'app', ...context}: Options,
): Promise<CallAnswer> {
	const {name, malformed} = call;
	const tool = tools.find(candidate => candidate.name === name);
	if (!tool) {
		const names = headAndTail(tools.map(candidate => candidate.name).join(', '), 2000);
		return failure(`Unknown tool “${name}”. ${names ? `Available: ${names}.` : 'No tools are available.'}`);
	}

	if (malformed !== undefined) {
		const schema = headAndTail(JSON.stringify(tool.parameters), 2000);
		const given = malformed ? `: ${headAndTail(malformed, 400)}` : '; they were empty.';
		return failure(
			`The arguments were not a JSON object${given}\nNothing was run. Call ${name} again with a JSON object of this schema: ${schema}`,
		);
	}

	try {
		return {output: cutResult(await tool.run(call.arguments, context), tool.readOn), failed: false};
	} catch (error) {
		context.signal.throwIfAborted();
		if (error instanceof AppError) {
			return failure(error.hint ? `${error.message} ${nameCommands(error.hint, commandPlace)}` : error.message);
		}

		const {message, hint} = reportError(error);
		const next = hint ? ` ${nameCommands(hint, commandPlace)}` : '';
		return {...failure(`The tool ${name} is broken: ${message}`), bug: `The tool ${name} failed. ${message}${next}`};
	}
}

function failure(output: string): CallAnswer {
	return {output, failed: true};
}
