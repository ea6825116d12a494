import type {Block} from '../../core/session/block.ts';
import type {ToolFacts} from '../../core/session/event.ts';
import {readFacts} from './old-results.ts';

type Tool = Extract<Block, {kind: 'tool'}>;

/** Returns what the tool of a call knows of its result; undefined until it ended, and if it says nothing. */
export function factsOf(call: Tool): ToolFacts | undefined {
	const hasEnded = call.status === 'done' || call.status === 'failed';
	return call.facts ?? (hasEnded ? readFacts(call.name, call.output) : undefined);
}

/** The result of a command in parts: what the agent notes beside the output, such as that the user changed the command. */
type CommandParts = {readonly notes: readonly string[]; readonly output: string};

/** Returns the parts of the result of a command. `drawn` has the lines of the result, as they are drawn. */
export function commandParts(call: Tool, drawn: string): CommandParts {
	const {lines: count, above = 0, below = 0, status, end} = factsOf(call) ?? {};
	const lines = drawn.split('\n');
	const bottom = lines.length - below;
	const hasEnd = status !== undefined || end !== undefined;
	return {
		notes: [...lines.slice(0, above), ...lines.slice(bottom + (hasEnd ? 1 : 0))].filter(Boolean),
		output: count === 0 ? '' : lines.slice(above, bottom).join('\n'),
	};
}
