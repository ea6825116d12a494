import {formatClock} from '../../core/format.ts';
import type {RecordedOutput} from '../../core/output/recorded-output.ts';
import {allowedText} from '../../core/session/allowed-text.ts';
import type {Block, TaskBlocks} from '../../core/session/block.ts';
import {markEnds} from '../../terminal/text/mark-ends.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {blockLines, isLongMessage, messageOf} from './block-lines.ts';
import {isShown} from './block-text.ts';
import {isCommand, shownNote} from './call-outcome.ts';
import {allChangedLines} from './diff-lines.ts';
import {drawnOutput, wholeOutput} from './output-lines.ts';
import {joinReads, type Shown} from './read-group.ts';

type Style = {readonly width: number; readonly palette: Palette};
type Tool = Extract<Block, {kind: 'tool'}>;

/** Most lines and characters of an output that are shown; the export has all of it. */
const maxLines = 2000;
const maxCharacters = 256 * 1024;

/** Returns true if the conversation shows only a part of the block. */
export function hasDetail(block: Shown): boolean {
	return (
		(block.kind === 'user' && isLongMessage(block)) ||
		block.kind === 'tool' ||
		block.kind === 'command' ||
		block.kind === 'attachment' ||
		block.kind === 'reads' ||
		block.kind === 'reasoning' ||
		block.kind === 'compaction'
	);
}

/** Returns the lines of a block in full, with the thought, or the arguments and output of a tool. */
export function detailLines(block: Shown, style: Style): readonly string[] {
	const head = blockLines(block, style);
	switch (block.kind) {
		case 'user':
			return messageOf(block, style);
		case 'tool':
			return [head[0] ?? '', ...toolDetail(block, style)];
		case 'reads':
			return block.calls.flatMap(call => detailLines(call, style));
		case 'command':
			return [head[0] ?? '', ...outputDetail(block, style)];
		case 'attachment':
			return [...head, ...indented(safeText(block.text), style)];
		case 'reasoning':
			return [head[0] ?? '', ...indented(style.palette.dim(safeText(block.text.trim())), style)];
		case 'compaction':
			return [...head, ...indented(safeText(block.summary), style)];
		default:
			return head;
	}
}

function toolDetail(block: Tool, style: Style): readonly string[] {
	const {at, name, arguments: args, change, allowed, task} = block;
	const {palette} = style;
	return [
		...indented(palette.dim(`${safeLine(name)} · started ${formatClock(Date.parse(at))}`), style),
		...(allowed ? indented(palette.dim(safeLine(allowedText(allowed))), style) : []),
		...(change ? allChangedLines(change, {...style, rows: maxLines}) : []),
		...(Object.keys(args).length > 0 ? indented(palette.dim(safeText(JSON.stringify(args, undefined, 2))), style) : []),
		...(task ? taskLines(task, style) : []),
		...outputDetail(block, style, isCommand(name) || name === 'job_stop' ? shownNote : undefined),
	];
}

/** How a command that went well ended: the sign of its call says it. */
const success = /\n\[exit status 0(?: after [^\]\n]+)?\]$/;

function outputDetail(
	{output, styles}: RecordedOutput,
	style: Style,
	draw: (line: string) => string = line => line,
): readonly string[] {
	if (!output) {
		return indented(style.palette.dim('no output'), style);
	}

	const cut = output.slice(0, maxCharacters);
	const drawn = drawnOutput({output: cut.replace(success, '').replace(/\n$/, ''), styles});
	const lines = wholeOutput(drawn.split('\n').map(draw).join('\n'), style.width - 2, style.palette);
	const shown = lines.slice(0, maxLines).flatMap(line => markEnds(indented(line, style), style.palette));
	return cut.length === output.length && lines.length <= maxLines
		? shown
		: [...shown, ...indented(style.palette.dim('… output truncated; /export has all of it'), style)];
}

/** Returns the conversation of a sub-agent, below the call that started it. */
function taskLines({settled, open}: TaskBlocks, {width, palette}: Style): readonly string[] {
	const edge = palette.dim('  │ ');
	const inner = {width: Math.max(1, width - 4), palette};
	return joinReads([...settled, ...open].filter(isShown)).flatMap(block => {
		const lines = hasDetail(block) && block.kind !== 'reasoning' ? detailLines(block, inner) : blockLines(block, inner);
		return [...lines.map(line => edge + line), edge.trimEnd()];
	});
}

const indented = (text: string, {width}: Style): readonly string[] =>
	text.split('\n').flatMap(line => wrapLine(line, width, {first: '  ', rest: '  '}));
