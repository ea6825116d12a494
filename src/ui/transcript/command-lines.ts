import {formatElapsed, formatNumber} from '../../core/format.ts';
import type {Block} from '../../core/session/block.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {drawOutput} from './output-lines.ts';
import {runningSign, type ToolStyle} from './tool-lines.ts';

type Command = Extract<Block, {kind: 'command'}>;

/** Lines of the output that are shown: the last ones while it runs, then its beginning and its end. */
const shown = {running: 8, head: 10, tail: 20} as const;
const leastRoom = 12;

/** Returns the lines of a command of the user: what ran and how it ended, then its output. */
export function commandLines(block: Command, style: ToolStyle): readonly string[] {
	return [headLine(block, style), ...outputLines(block, style)];
}

/** Returns the first line of a command: its sign, the command, and how it ended. */
function headLine({command, status, end, at}: Command, {width, palette, now}: ToolStyle): string {
	const isRunning = status === 'running';
	const sign = {running: runningSign(now), done: '✓', failed: '✗', interrupted: '■'}[status];
	const role = {running: palette.accent, done: palette.success, failed: palette.danger, interrupted: palette.warning}[
		status
	];
	const elapsedMs = now === undefined ? 0 : now - Date.parse(at);
	const how = isRunning ? (elapsedMs >= 1000 ? formatElapsed(elapsedMs) : '') : end || 'interrupted';
	const behind = how ? palette.dim(` · ${safeLine(how)}`) : '';
	const room = Math.max(leastRoom, width - lineWidth(behind) - 4);
	const head = palette.spoken ? role(`Command ${status}:`) : `${role(sign)} ${palette.label('!')}`;
	return truncate(`${head} ${truncate(safeLine(command), room)}${behind}`, width);
}

function outputLines({status, output}: Command, {width, palette}: ToolStyle): readonly string[] {
	const all = output.replace(/\n+$/, '').split('\n');
	if (output.trim() === '') {
		return [];
	}

	const draw = (line: string) => truncate(`  ${drawOutput(line, palette)}`, width);
	if (status === 'running') {
		return all.slice(-shown.running).map(draw);
	}

	const more = all.length - shown.head - shown.tail;
	return more <= 1
		? all.map(draw)
		: [
				...all.slice(0, shown.head).map(draw),
				palette.dim(truncate(`  … ${formatNumber(more)} more lines`, width)),
				...all.slice(-shown.tail).map(draw),
			];
}
