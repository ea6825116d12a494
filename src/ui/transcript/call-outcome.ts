import {formatAmount, formatBytes, formatDuration} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {changeCounts} from './diff-lines.ts';

type Tool = Extract<Block, {kind: 'tool'}>;

/** Shorter calls don't say how long they took. */
const silentMs = 1000;

/** Returns how a call ended, for the end of its line: parts that are safe to draw. */
export function outcomeOf(block: Tool): readonly string[] {
	const {status, output, milliseconds} = block;
	const time = milliseconds !== undefined && milliseconds >= silentMs ? [formatDuration(milliseconds)] : [];
	switch (status) {
		case 'asking':
			return ['waiting for you'];
		case 'interrupted':
			return ['interrupted'];
		case 'failed': {
			const exit = exitOf(output);
			return exit ? [exit, ...time] : [safeLine(output.split('\n', 1)[0] ?? ''), ...time];
		}
		case 'done':
			return [...doneParts(block), ...time];
		default:
			return [];
	}
}

/** Returns how the command of a call ended, such as `exit status 1`; undefined if the output doesn't say. */
export function exitOf(output: string): string | undefined {
	const note =
		/^\[?(?:The command )?(?:ended|exited)? ?(?:with )?(exit (?:status|code) \d+|signal SIG\w+|timed out[^\].]*)/im;
	return note.exec(output.slice(-1000))?.[1] ?? note.exec(output.slice(0, 500))?.[1];
}

function doneParts({name, change, output}: Tool): readonly string[] {
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
			return [exitOf(output) ?? amount(linesIn(output), 'line')];
		case 'todo':
			return [];
		default:
			return output ? [sizeOf(output)] : [];
	}
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
