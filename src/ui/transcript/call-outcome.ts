import {formatAmount, formatBytes, formatCount, formatDuration} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth} from '../../terminal/text/width.ts';
import {changeCounts} from './diff-lines.ts';
import {type CommandResult, readCommandResult} from './output/command-result.ts';

type Tool = Extract<Block, {kind: 'tool'}>;

/** Returns true for a call whose output is that of a command. */
export function isCommand(name: string): boolean {
	return name === 'run_command' || name === 'job_output';
}

/** Shorter calls don't say how long they took. */
const silentMs = 1000;

/**
 * Returns how a call ended, for the end of its line: parts that are safe to draw. Of why it failed, sentences that have no
 * room in `width` cells are left out, but never the first.
 */
export function outcomeOf(block: Tool, width: number): readonly string[] {
	const {status, milliseconds} = block;
	const time = milliseconds !== undefined && milliseconds >= silentMs ? [formatDuration(milliseconds)] : [];
	switch (status) {
		case 'asking':
			return ['waiting for you'];
		case 'interrupted':
			return ['interrupted'];
		case 'failed':
			return [sentencesIn(failure(block), width), ...time, ...ruled(block)];
		case 'done':
			return [...doneParts(block), ...time, ...ruled(block)];
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
	const {name, change, output} = block;
	if (block.task) {
		return taskParts(block);
	}

	if (change) {
		return [changeCounts(change)];
	}

	switch (name) {
		case 'read_file':
			return [countLines(output) ?? sizeOf(output)];
		case 'list_files':
			return [amount(pathsIn(output).length + leftOut(output), 'file')];
		case 'search_text':
			return [countMatches(output)];
		case 'run_command':
		case 'job_output':
			return commandParts(readCommandResult(name, output));
		case 'todo':
			return [];
		default:
			return output ? [sizeOf(output)] : [];
	}
}

/** Returns how a command failed, or the first line of why a call did. */
function failure({name, output}: Tool): string {
	const end = isCommand(name) ? readCommandResult(name, output).end : undefined;
	return safeLine(end ?? output.split('\n', 1)[0] ?? '');
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

function commandParts({output, end}: CommandResult): readonly string[] {
	const lines = linesIn(output);
	return [...(end === undefined ? [] : [safeLine(end)]), lines === 0 ? 'no output' : formatAmount(lines, 'line')];
}

function sizeOf(output: string): string {
	return formatBytes(Buffer.byteLength(output));
}

function amount(count: number, noun: string): string {
	return count === 0 ? `no ${noun}s` : formatAmount(count, noun);
}

function linesIn(output: string): number {
	return output === '' ? 0 : output.replace(/\n$/, '').split('\n').length;
}

/** Remarks of the tools stand in brackets, a line each. */
function pathsIn(output: string): readonly string[] {
	return output.split('\n').filter(line => line !== '' && !/^\[.*\]$/.test(line));
}

/** Returns how many lines the remarks say are left out. */
function leftOut(output: string): number {
	const counts = output.matchAll(/^\[(?:… )?(\d+) (?:more )?(?:of \d+ )?(?:lines|files)?.*left out/gm);
	return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Returns undefined for a result without numbered lines, such as that of an image. */
function countLines(output: string): string | undefined {
	const numbered = output.split('\n').filter(line => /^\d+\t/.test(line)).length;
	return numbered === 0 ? undefined : amount(numbered + leftOut(output), 'line');
}

function countMatches(output: string): string {
	const found = pathsIn(output).flatMap(line => /^(.+?):\d+:/.exec(line)?.[1] ?? []);
	const more = leftOut(output);
	const matches = found.length + more;
	const noun = matches === 1 ? 'match' : 'matches';
	const files = more > 0 ? '' : ` in ${formatAmount(new Set(found).size, 'file')}`;
	return matches === 0 ? 'no matches' : `${matches.toLocaleString('en-US')} ${noun}${files}`;
}
