import {formatAmount, formatElapsed, formatNumber} from '../../core/format.ts';
import {type Block, isWaitingForUser} from '../../core/session/block.ts';
import {callWords} from '../../core/session/call-words.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import {signOf} from '../../terminal/text/signs.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {softWrap, wrapLine} from '../../terminal/text/wrap.ts';
import {commandParts, factsOf, isCommand, outcomeOf, shownNote, taskParts, testsIn} from './call-outcome.ts';
import {clockOf, clockRow} from './clock-row.ts';
import {changedLines} from './diff-lines.ts';
import {drawnOutput, drawRow, excerptOf, lastLine} from './output-lines.ts';

export type ToolStyle = {
	readonly width: number;
	readonly palette: Palette;
	/** The time in milliseconds since the epoch, if running calls move; left out for what is drawn once. */
	readonly now?: number | undefined;
	/** What a key does with a running command, '' for nothing; shown beside how long it has run. */
	readonly hint?: string | undefined;
	/** True to show a command that the first line has no room for in full, in lines that the terminal breaks. */
	readonly softWraps?: boolean | undefined;
};

type Tool = Extract<Block, {kind: 'tool'}>;

/** Fewest cells of what a call is about, whatever follows it. */
const minSubjectWidth = 12;
/** Most cells of the output of a running call, if the call needs the room. */
const maxOutputWidth = 40;
const signs = {running: '◌', asking: '?', done: '✓', failed: '✗', interrupted: '■'} as const;
const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** How long a sign of the spinner is shown. */
const spinnerMs = 200;

/** Returns the lines of a call: one while it runs; then how it ended, with the few lines that matter below. */
export function toolLines(block: Tool, style: ToolStyle): readonly string[] {
	if (block.name === 'ask_user' && block.status === 'done') {
		return answerLines(block, style);
	}

	const {command} = block.arguments;
	const standsBelow =
		block.name === 'run_command' &&
		!block.open &&
		style.softWraps === true &&
		isTooLong(`${headOf(block, style)} ${subjectOf(block)}`, style);
	return standsBelow && typeof command === 'string'
		? [headLine(block, style, ''), ...commandRows(command, style), ...linesBelow(block, style)]
		: [headLine(block, style), ...linesBelow(block, style)];
}

/** Returns true for what has no row of its own: beside how it ended, a shorter text is cut. */
export function isTooLong(head: string, {width}: ToolStyle): boolean {
	return lineWidth(head) > width;
}

/** Most rows of a command. */
const maxCommandRows = 8;

/** Returns a command in full, from the first column, so that it can be copied from the screen; only its beginning if it is very long. */
export function commandRows(command: string, {width, palette}: ToolStyle): readonly string[] {
	const rows = softWrap(safeText(command.trim()), width, {first: palette.dim('$ ')});
	return rows.length <= maxCommandRows
		? rows
		: [
				...rows.slice(0, maxCommandRows - 1),
				palette.dim(`… ${formatNumber(rows.length - maxCommandRows + 1)} more lines of the command`),
			];
}

/** Returns a question to the user in full, with the answer. */
function answerLines(block: Tool, {width, palette}: ToolStyle): readonly string[] {
	const {subject} = callWords(block.name, block.arguments, block.words);
	const from = factsOf(block)?.from;
	const isAnswered = from !== undefined;
	const answer = isAnswered ? safeText(block.output.slice(from)) : palette.dim('declined');
	const sign = isAnswered ? palette.success(signs.done) : palette.warning(signs.interrupted);
	const first = palette.spoken ? signOf('?', palette) : `${sign} `;
	return [
		...wrapLine(`${palette.spoken ? '' : 'Ask '}${safeText(subject)}`, width, {first, rest: '  '}),
		...wrapLine(answer, width, {first: palette.dim(palette.spoken ? '  Your answer: ' : '  → '), rest: '    '}),
	];
}

/** Returns the sign of something that runs: it moves if the time is known. */
export function runningSign(now: number | undefined): string {
	return now === undefined ? signs.running : (spinner[Math.floor(now / spinnerMs) % spinner.length] ?? signs.running);
}

/** Returns the beginning of the first line of a call: its sign, and what the tool does. */
function headOf(block: Tool, {palette, now}: ToolStyle): string {
	const status = shownStatus(block);
	const role = {
		running: palette.accent,
		asking: palette.warning,
		done: palette.dim,
		failed: palette.danger,
		interrupted: palette.warning,
	}[status];
	const {verb} = callWords(block.name, block.arguments, block.words);
	const sign = status === 'running' ? runningSign(now) : signs[status];
	const said = `${isCommand(block.name) ? 'Command' : 'Tool'} ${status === 'asking' ? 'waiting' : status}:`;
	return `${role(palette.spoken ? said : sign)} ${safeLine(verb)}`;
}

function shownStatus(block: Tool): Tool['status'] {
	return isWaitingForUser(block) ? 'asking' : block.status;
}

function subjectOf(block: Tool): string {
	return safeLine(callWords(block.name, block.arguments, block.words).subject);
}

/** Returns the first line of a call, with the time that it took at its right end. */
function headLine(block: Tool, style: ToolStyle, about = subjectOf(block)): string {
	const {palette, now} = style;
	const status = shownStatus(block);
	const head = headOf(block, style);
	const isTimed = status === 'done' || status === 'failed';
	const clock = status === 'running' ? elapsed(block, now) : isTimed ? clockOf(block.milliseconds) : '';
	return clockRow(clock, style, width => {
		// An error is long, and means little without what it is about.
		const half = Math.floor(width / 2) - lineWidth(head) - 1;
		const going =
			status === 'running'
				? [...taskParts(block), ...(runsCommands(block) ? [hintBeside(clock, style)] : [])].filter(Boolean)
				: outcomeOf({...block, status}, width - lineWidth(head) - 4 - Math.min(half, lineWidth(about)));
		// A call that went well is quieter than an answer; why one failed is not.
		const parts = going.map((part, index) =>
			status === 'failed' && index === 0 ? palette.dim(' · ') + part : palette.dim(` · ${part}`),
		);
		const output = status === 'running' ? lastLine(block.task ? {output: block.task.doing} : block, palette) : '';
		const ends = [...parts, ...(output ? [palette.dim(' · ') + output] : [])];
		// The outcome is more useful than the end of a long call, and the call more than the end of a long output.
		const endWidth = lineWidth(parts.join('')) + Math.min(maxOutputWidth, output ? lineWidth(output) + 3 : 0);
		const least = status === 'failed' ? half : minSubjectWidth;
		const shown = truncate(about, Math.max(minSubjectWidth, least, width - lineWidth(head) - endWidth - 1));
		const isJustBegun = status === 'running' && clock === '' && ends.length === 0;
		const line = [
			head,
			about && ` ${status === 'done' ? palette.dim(shown) : shown}`,
			...(isJustBegun ? [' …'] : ends),
		].join('');
		// An output, and why a call failed, may be long, and are cut.
		return output || status === 'failed' ? truncate(line, width) : line;
	});
}

/** Returns what a key does with a command that runs, beside how long it has run; '' before that is shown. */
export function hintBeside(clock: string, {hint = ''}: ToolStyle): string {
	return clock && hint;
}

/** True for a call that runs a command, or whose sub-agent may. */
function runsCommands({name, task}: Tool): boolean {
	return name === 'run_command' || task !== undefined;
}

/** Returns how long what runs has worked, without its waits for the user; '' in the first second. */
export function elapsed({at, waitedMs = 0}: Pick<Tool, 'at' | 'waitedMs'>, now: number | undefined): string {
	const durationMs = now === undefined ? 0 : now - Date.parse(at) - waitedMs;
	return durationMs >= 1000 ? formatElapsed(durationMs) : '';
}

function linesBelow(block: Tool, {width, palette}: ToolStyle): readonly string[] {
	const {name, status, change, allowed} = block;
	if (change) {
		// A change that the user allowed was heard with the question.
		return palette.spoken && allowed?.by === 'user' ? [] : changedLines(change, {width, palette});
	}

	if (!isCommand(name) || status === 'running' || status === 'asking') {
		return [];
	}

	const {end, status: exit} = factsOf(block) ?? {};
	// A failed command without output of its own didn't run, and the head says why.
	const didRun = status !== 'failed' || end !== undefined;
	const isFailed = status !== 'done' || (end !== undefined && exit !== undefined);
	const {notes: noted, output} = commandParts(block, drawnOutput(block));
	const notes = noted.map(shownNote);
	// Tests that passed are counted in the head.
	const counts = isFailed ? undefined : testsIn(block);
	const isSaid = counts !== undefined && !counts.includes('failed');
	const {rows, leftOut} = didRun && !isSaid ? excerptOf(output, isFailed, width) : {rows: [], leftOut: 0};
	const more = leftOut > 0 ? [palette.dim(`… ${formatAmount(leftOut, 'more line')}`)] : [];
	return [...notes.map(note => palette.dim(safeLine(note))), ...more, ...rows.map(row => drawRow(row, palette))].map(
		line => truncate(line, width),
	);
}
