import {formatAmount, formatCount, formatDuration, formatNumber} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import {restoreText} from '../../core/session/changes.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import {answerMark, signOf} from '../../terminal/text/signs.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {clockOf, clockRow} from './clock-row.ts';
import {messageLines} from './message-lines.ts';
import {drawOutput, drawRow, lastLines, linesOf} from './output-lines.ts';
import {type OutputRow, outputRows} from './output-rows.ts';
import {readGroupLine, type Shown} from './read-group.ts';
import {testCounts} from './test-counts.ts';
import {commandRows, elapsed, hintBeside, isTooLong, runningSign, type ToolStyle, toolLines} from './tool-lines.ts';

type Style = {readonly width: number; readonly palette: Palette};

/** Most cells of a line for a screen reader, which can't see what was cut: whole calls, and their output up to here. */
const heardWidth = 1000;

/**
 * Returns the lines of a block, at most `width` cells wide. For a screen reader, lines that would be cut are longer. The
 * model's text is plain here; Markdown is drawn elsewhere.
 */
export function blockLines(block: Shown, given: ToolStyle): readonly string[] {
	const {palette} = given;
	const isCut =
		block.kind === 'tool' || block.kind === 'reads' || block.kind === 'command' || block.kind === 'attachment';
	const style = palette.spoken && isCut ? {...given, width: Math.max(given.width, heardWidth)} : given;
	const {width} = style;
	switch (block.kind) {
		case 'user':
			return isLongMessage(block) ? withoutMiddle(messageOf(block, style), style) : messageOf(block, style);
		case 'reasoning':
			return reasoningLines(block, style);
		case 'tool':
			return toolLines(block, style);
		case 'reads':
			return [readGroupLine(block, style)];
		case 'notice': {
			const role = {info: palette.dim, warning: palette.warning, error: palette.danger}[block.level];
			const sign = {info: 'ℹ', warning: '!', error: '✗'}[block.level];
			return messageLines(sign, role, block.text, block.hint, style);
		}
		case 'command':
			return commandLines(block, style);
		case 'attachment':
			return [attachmentLine(block, style)];
		case 'restore':
			return messageLines('↺', palette.dim, restoreText(block), undefined, style);
		case 'compaction':
			return messageLines('⇣', palette.dim, compactionText(block), compactionHint(block, palette), style);
		case 'end': {
			const failed = block.reason === 'error';
			return messageLines(failed ? '✗' : '■', failed ? palette.danger : palette.warning, block.text, block.hint, style);
		}
		case 'text':
			return wrapLine(safeText(block.text), width, {first: answerMark(palette)});
		default:
			return block satisfies never;
	}
}

function attachmentLine(
	{source, name, text, lines, tokens}: Extract<Block, {kind: 'attachment'}>,
	{width, palette}: Style,
): string {
	if (source === 'none') {
		return truncate(palette.warning(`  ${signOf('└', palette)}${safeLine(text.replace(/^\[|\]$/g, ''))}`), width);
	}

	const what = {file: '', folder: 'folder ', image: '', log: '', resource: ''}[source];
	const size = lines === undefined ? [] : [formatAmount(lines, source === 'folder' ? 'file' : 'line')];
	const facts = [...size, `about ${formatCount(tokens)} tokens`].join(' · ');
	const room = Math.max(12, width - facts.length - 7 - what.length);
	return truncate(palette.dim(`  ${signOf('└', palette)}${what}${truncate(safeLine(name), room)} · ${facts}`), width);
}

/** Without a screen nothing opens the whole transcript. A conversation that was only cut has no summary. */
function compactionHint({kept}: Extract<Block, {kind: 'compaction'}>, {spoken}: Palette): string {
	const what = kept ? 'a shorter conversation' : 'a summary';
	return `The model reads ${what} from now on.${spoken ? '' : ' Read it in the full transcript.'}`;
}

function compactionText({beforeTokens, afterTokens, pinned = []}: Extract<Block, {kind: 'compaction'}>): string {
	const sizes =
		beforeTokens === undefined || afterTokens === undefined
			? ''
			: `: ${formatCount(beforeTokens)} → about ${formatCount(afterTokens)} tokens`;
	const kept = pinned.length > 0 ? ` ${formatAmount(pinned.length, 'pinned message')} kept.` : '';
	return `Conversation compacted${sizes}.${kept}`;
}

type Message = Extract<Block, {kind: 'user'}>;

/** A message with more lines or characters is shown without its middle: a long paste would fill the screen. */
const longMessage = {lines: 40, characters: 4000};
/** Lines shown before and after the middle. */
const shownOfLong = {before: 20, after: 10};

/** Returns true if the conversation shows only the beginning and the end of the message. */
export function isLongMessage({text}: Message): boolean {
	return text.length > longMessage.characters || text.split('\n').length > longMessage.lines;
}

/** An image is shown by its own line below the message. */
const pastedImage = /@image:[\da-f]{64}/g;

/** Returns the lines of the whole message. */
export function messageOf({text}: Message, {width, palette}: Style): readonly string[] {
	return wrapLine(palette.user(safeText(text.replace(pastedImage, '[Image]'))), width, {
		first: palette.accent(signOf('❯', palette)),
		rest: '  ',
	});
}

function withoutMiddle(lines: readonly string[], {width, palette}: Style): readonly string[] {
	const {before, after} = shownOfLong;
	const more = lines.length - before - after;
	return more <= 1
		? lines
		: [
				...lines.slice(0, before),
				palette.dim(truncate(`  … ${formatNumber(more)} more lines …`, width)),
				...lines.slice(-after),
			];
}

function reasoningLines(
	block: Extract<Block, {kind: 'text' | 'reasoning'}>,
	{width, palette}: Style,
): readonly string[] {
	const text = block.text.trim();
	const thought = palette.spoken ? '' : '✻ ';
	if (!text) {
		return [];
	}

	if (block.open) {
		const tail =
			text
				.slice(-4 * width)
				.split('\n')
				.filter(Boolean)
				.at(-1) ?? '';
		return [palette.dim(truncate(`${thought}Thinking… ${safeLine(tail)}`, width))];
	}

	const took = block.endedAt ? Date.parse(block.endedAt) - Date.parse(block.at) : 0;
	const first = safeLine(
		text
			.slice(0, 4 * width)
			.replace(/\*\*|`|^#+ /gm, '')
			.replace(/\s+/g, ' '),
	);
	return [
		palette.dim(truncate(`${thought}Thought${took >= 1000 ? ` for ${formatDuration(took)}` : ''}: ${first}`, width)),
	];
}

type Command = Extract<Block, {kind: 'command'}>;

/** Lines of the output that are shown: the last ones while it runs, then its beginning and its end. */
const shown = {running: 8, head: 10, tail: 20} as const;
const leastRoom = 12;

/** Returns the lines of a command of the user: what ran and how it ended, then its output. */
function commandLines(block: Command, style: ToolStyle): readonly string[] {
	const isLong =
		block.status !== 'running' &&
		style.softWraps === true &&
		isTooLong(`${headOf(block, style)} ${safeLine(block.command)}`, style);
	const head = isLong ? [headLine(block, style, ''), ...commandRows(block.command, style)] : [headLine(block, style)];
	return [...head, ...outputLines(block, style)];
}

/** Returns the beginning of the first line of a command: its sign. */
function headOf({status}: Command, {palette, now}: ToolStyle): string {
	const sign = {running: runningSign(now), done: '✓', failed: '✗', interrupted: '■'}[status];
	const role = {running: palette.accent, done: palette.dim, failed: palette.danger, interrupted: palette.warning}[
		status
	];
	return palette.spoken ? role(`Command ${status}:`) : `${role(sign)} ${palette.user('!')}`;
}

/** Returns the first line of a command: its sign, the command, and how it ended, with its time at the right end. */
function headLine(block: Command, style: ToolStyle, shown = safeLine(block.command)): string {
	const {output, milliseconds} = block;
	const {palette, now} = style;
	const isRunning = block.status === 'running';
	const clock = isRunning ? elapsed(block, now) : clockOf(milliseconds);
	const counts = isRunning ? undefined : testCounts(output);
	const how = isRunning ? hintBeside(clock, style) : howEnded(block);
	const behind = palette.dim([counts, how].flatMap(part => (part ? [` · ${safeLine(part)}`] : [])).join(''));
	return clockRow(clock, style, width => {
		const room = Math.max(leastRoom, width - lineWidth(behind) - 4);
		return `${headOf(block, style)}${shown && ` ${palette.user(truncate(shown, room))}`}${behind}`;
	});
}

/** Returns how a command ended without its time, which stands at the end of its row, and without success, which its sign says. */
function howEnded({status, end}: Command): string {
	const how = end.replace(/ after [\d.]+ (?:ms|s|[mh] \d\d [sm])$/, '');
	return status === 'done' ? how.replace(/^exit status 0$/, '') : how || 'interrupted';
}

function outputLines(block: Command, {width, palette}: ToolStyle): readonly string[] {
	if (block.output.trim() === '') {
		return [];
	}

	const isRunning = block.status === 'running';
	const lines = linesOf(lastLines(block, isRunning ? shown.running : Number.POSITIVE_INFINITY));
	if (isRunning) {
		return lines.map(line => truncate(drawOutput(line, palette), width));
	}

	const rows = outputRows(lines, {width, jsonRows: shown.head, folds: true});
	const draw = (row: OutputRow) => truncate(drawRow(row, palette), width);
	const hidden = rows.slice(shown.head, -shown.tail);
	const more = hidden.reduce((sum, row) => sum + row.lines, 0);
	return hidden.length <= 1
		? rows.map(draw)
		: [
				...rows.slice(0, shown.head).map(draw),
				palette.dim(truncate(`… ${formatAmount(more, 'more line')}`, width)),
				...rows.slice(-shown.tail).map(draw),
			];
}
