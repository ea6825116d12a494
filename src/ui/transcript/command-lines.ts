import {formatAmount, formatElapsed} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {lastLines} from './output/drawn-output.ts';
import {drawOutput, drawRow, linesOf} from './output/output-lines.ts';
import {type OutputRow, outputRows} from './output/output-rows.ts';
import {commandRows, runningSign, type ToolStyle} from './tool-lines.ts';

type Command = Extract<Block, {kind: 'command'}>;

/** Lines of the output that are shown: the last ones while it runs, then its beginning and its end. */
const shown = {running: 8, head: 10, tail: 20} as const;
const leastRoom = 12;

/** Returns the lines of a command of the user: what ran and how it ended, then its output. */
export function commandLines(block: Command, style: ToolStyle): readonly string[] {
	const {line, isCut} = headLine(block, style);
	const isLong = isCut && block.status !== 'running' && style.softWraps === true;
	const head = isLong ? [headLine({...block, command: ''}, style).line, ...commandRows(block.command, style)] : [line];
	return [...head, ...outputLines(block, style)];
}

/** Returns the first line of a command: its sign, the command, and how it ended. Also returns whether the command was cut. */
function headLine({command, status, end, at}: Command, {width, palette, now}: ToolStyle) {
	const isRunning = status === 'running';
	const sign = {running: runningSign(now), done: '✓', failed: '✗', interrupted: '■'}[status];
	const role = {running: palette.accent, done: palette.dim, failed: palette.danger, interrupted: palette.warning}[
		status
	];
	const elapsedMs = now === undefined ? 0 : now - Date.parse(at);
	const how = isRunning ? (elapsedMs >= 1000 ? formatElapsed(elapsedMs) : '') : end || 'interrupted';
	const behind = how ? palette.dim(` · ${safeLine(how)}`) : '';
	const room = Math.max(leastRoom, width - lineWidth(behind) - 4);
	const head = palette.spoken ? role(`Command ${status}:`) : `${role(sign)} ${palette.user('!')}`;
	const shown = safeLine(command);
	const about = shown && ` ${palette.user(truncate(shown, room))}`;
	return {line: truncate(`${head}${about}${behind}`, width), isCut: lineWidth(shown) > room};
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
