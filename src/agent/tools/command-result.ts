import type {ToolFacts} from '../../core/session/event.ts';
import type {ToolContext} from '../../core/session/tool.ts';

type Parts = {
	/** Notes, a line each, and what stands below the output: how the command ended, then notes. */
	readonly above?: readonly string[];
	readonly text: string;
	readonly below: readonly string[];
	/** How it ended, if `below` begins with that. */
	readonly end?: ToolFacts;
	/** What the model reads of no output. */
	readonly none?: string;
};

/** Returns the result of a command for the model, and reports which lines of it are the command's own. */
export function commandResult(
	{above = [], text, below, end, none = '(no output)'}: Parts,
	{onFacts}: ToolContext,
): string {
	const lines = text === '' ? 0 : linesOf(text);
	onFacts?.({lines, above: linesOf(...above), below: linesOf(...below), ...end});
	return [...above, text || none, ...below].join('\n');
}

function linesOf(...texts: readonly string[]): number {
	return texts.length === 0 ? 0 : texts.join('\n').split('\n').length;
}
