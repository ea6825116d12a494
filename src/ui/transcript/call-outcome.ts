import {formatAmount, formatBytes, formatCount, formatNumber} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import type {ToolFacts} from '../../core/session/event.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth} from '../../terminal/text/width.ts';
import {changeCounts} from './diff-lines.ts';
import {readFacts} from './old-results.ts';
import {testCounts} from './test-counts.ts';

type Tool = Extract<Block, {kind: 'tool'}>;

/** Returns true for a call whose output is that of a command. */
export function isCommand(name: string): boolean {
	return name === 'run_command' || name === 'job_output';
}

/** Returns a line that the agent notes about a job as the user reads it: status 0 is just done. */
export function shownNote(line: string): string {
	return line.replace(/^(\[job \S+: )exit status 0(?= after [^\]]+\]$)/, '$1done');
}

/**
 * Returns how a call ended, for the end of its line: parts that are safe to draw. Of why it failed, sentences that have no
 * room in `width` cells are left out, but never the first.
 */
export function outcomeOf(block: Tool, width: number): readonly string[] {
	switch (block.status) {
		case 'asking':
			return ['waiting for you'];
		case 'interrupted':
			return ['interrupted'];
		case 'failed':
			return [...failedParts(block, width), ...ruled(block)];
		case 'done':
			return [...doneParts(block), ...ruled(block)];
		default:
			return [];
	}
}

/** Returns which rules allowed a call that nobody was asked about. */
function ruled({allowed}: Tool): readonly string[] {
	const numbers = allowed?.rules?.map(({number}) => number) ?? [];
	return numbers.length > 0 ? [`allowed by rule ${numbers.join(', ')}`] : [];
}

/** Returns what a sub-agent has done and used so far. */
export function taskParts({task}: Tool): readonly string[] {
	return task ? [amount(task.calls, 'call'), `${formatCount(task.tokens)} tokens`] : [];
}

function doneParts(block: Tool): readonly string[] {
	const {change, output} = block;
	if (block.task) {
		return taskParts(block);
	}

	if (change) {
		return [changeCounts(change)];
	}

	const facts = factsOf(block);
	const count = testsIn(block);
	return facts
		? [facts.end ?? '', count ?? countText(facts)].filter(Boolean).map(safeLine)
		: output
			? [sizeOf(output)]
			: [];
}

/** Returns how many tests a command ran; undefined if its output doesn't say so. */
export function testsIn(block: Tool): string | undefined {
	return isCommand(block.name) ? testCounts(commandParts(block, block.output).output) : undefined;
}

/** Returns what a result counted; empty for nothing. */
function countText({lines, matches, files, left = 0, above}: ToolFacts): string {
	if (matches !== undefined) {
		const count = matches + left;
		const where = left > 0 || files === undefined ? '' : ` in ${formatAmount(files, 'file')}`;
		return count === 0 ? 'no matches' : `${formatNumber(count)} ${count === 1 ? 'match' : 'matches'}${where}`;
	}

	if (files !== undefined) {
		return amount(files + left, 'file');
	}

	return lines === undefined ? '' : lines === 0 && above !== undefined ? 'no output' : amount(lines + left, 'line');
}

/** Returns why a call failed. Status 1 says nothing beside the number of tests that failed. */
function failedParts(block: Tool, width: number): readonly string[] {
	const counted = testsIn(block);
	const tests = counted === undefined ? [] : [counted];
	const isSaid = factsOf(block)?.status === 1 && tests.some(counts => counts.includes('failed'));
	return isSaid ? tests : [sentencesIn(failure(block), width), ...tests];
}

/** Returns how a command failed, or the first line of why a call did. */
function failure(block: Tool): string {
	const end = factsOf(block)?.end;
	// What the model reads of it speaks about the user.
	return end === undefined && block.isRefused ? 'not allowed' : safeLine(end ?? block.output.split('\n', 1)[0] ?? '');
}

function sentencesIn(text: string, width: number): string {
	const [first = '', ...others] = text.split(/(?<=[.!?]) /);
	let shown = first;
	for (const sentence of others) {
		if (lineWidth(`${shown} ${sentence}`) > width) {
			break;
		}

		shown += ` ${sentence}`;
	}

	return shown;
}

function sizeOf(output: string): string {
	return formatBytes(Buffer.byteLength(output));
}

function amount(count: number, noun: string): string {
	return count === 0 ? `no ${noun}s` : formatAmount(count, noun);
}

type Call = Extract<Block, {kind: 'tool'}>;

/** Returns what the tool of a call knows of its result; undefined until it ended, and if it says nothing. */
export function factsOf(call: Call): ToolFacts | undefined {
	const hasEnded = call.status === 'done' || call.status === 'failed';
	return call.facts ?? (hasEnded ? readFacts(call.name, call.output) : undefined);
}

/** The result of a command in parts: what the agent notes beside the output, such as that the user changed the command. */
type CommandParts = {readonly notes: readonly string[]; readonly output: string};

/** Returns the parts of the result of a command. `drawn` has the lines of the result, as they are drawn. */
export function commandParts(call: Call, drawn: string): CommandParts {
	const {lines: count, above = 0, below = 0, status, end} = factsOf(call) ?? {};
	const lines = drawn.split('\n');
	const bottom = lines.length - below;
	const hasEnd = status !== undefined || end !== undefined;
	return {
		notes: [...lines.slice(0, above), ...lines.slice(bottom + (hasEnd ? 1 : 0))].filter(Boolean),
		output: count === 0 ? '' : lines.slice(above, bottom).join('\n'),
	};
}
