import {nameCommands} from '../../core/command-words.ts';
import {formatBytes, formatDuration, formatNumber} from '../../core/format.ts';
import type {Json, JsonObject} from '../../core/json.ts';
import type {Block} from '../../core/session/block.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';

type Style = {readonly width: number; readonly palette: Palette};

/** Every block but the model's text, as lines of at most `width` cells. Text is Markdown and drawn elsewhere. */
export function blockLines(block: Exclude<Block, {kind: 'text'}> | Block, style: Style): readonly string[] {
	const {width, palette} = style;
	switch (block.kind) {
		case 'user':
			return isLongMessage(block) ? withoutMiddle(messageOf(block, style), style) : messageOf(block, style);
		case 'reasoning':
			return reasoningLines(block, style);
		case 'tool':
			return [toolLine(block, style)];
		case 'notice': {
			const role = {info: palette.dim, warning: palette.warning, error: palette.danger}[block.level];
			const sign = {info: 'ℹ', warning: '!', error: '✗'}[block.level];
			return messageLines(sign, role, block.text, block.hint, style);
		}
		case 'compaction':
			return [palette.dim(truncate(`── earlier messages folded into a summary ──`, width))];
		case 'end': {
			const failed = block.reason === 'error';
			return messageLines(failed ? '✗' : '■', failed ? palette.danger : palette.warning, block.text, block.hint, style);
		}
		case 'text':
			return wrapLine(safeText(block.text), width);
		default:
			return block satisfies never;
	}
}

type Message = Extract<Block, {kind: 'user'}>;

/** Lines and characters of a message from which on its middle is left out: a long paste would push all else away. */
const longMessage = {lines: 40, characters: 4000};
/** Lines that are drawn before and behind what is left out. */
const drawnOfLong = {before: 20, behind: 10};

/** True for a message of which the conversation shows the beginning and the end alone. */
export function isLongMessage({text}: Message): boolean {
	return text.length > longMessage.characters || text.split('\n').length > longMessage.lines;
}

/** The whole message. */
export function messageOf({text}: Message, {width, palette}: Style): readonly string[] {
	return wrapLine(palette.label(safeText(text)), width, {first: palette.accent('❯ '), rest: '  '});
}

function withoutMiddle(lines: readonly string[], {width, palette}: Style): readonly string[] {
	const {before, behind} = drawnOfLong;
	const more = lines.length - before - behind;
	return more <= 1
		? lines
		: [
				...lines.slice(0, before),
				palette.dim(truncate(`  … ${formatNumber(more)} more lines …`, width)),
				...lines.slice(-behind),
			];
}

/** A sentence behind a sign, then what to do about it. */
export function messageLines(
	sign: string,
	role: (text: string) => string,
	text: string,
	hint: string | undefined,
	{width, palette}: Style,
): readonly string[] {
	return [
		...wrapLine(role(safeText(text)), width, {first: role(`${sign} `), rest: '  '}),
		...(hint
			? wrapLine(palette.dim(safeText(nameCommands(hint, 'app'))), width, {first: palette.dim('  → '), rest: '    '})
			: []),
	];
}

function reasoningLines(
	block: Extract<Block, {kind: 'text' | 'reasoning'}>,
	{width, palette}: Style,
): readonly string[] {
	const text = block.text.trim();
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
		return [palette.dim(truncate(`✻ Thinking… ${safeLine(tail)}`, width))];
	}

	const took = block.endedAt ? Date.parse(block.endedAt) - Date.parse(block.at) : 0;
	const first = safeLine(
		text
			.slice(0, 4 * width)
			.replace(/\*\*|`|^#+ /gm, '')
			.replace(/\s+/g, ' '),
	);
	return [palette.dim(truncate(`✻ Thought${took >= 1000 ? ` for ${formatDuration(took)}` : ''}: ${first}`, width))];
}

/** Cells of a call that are shown whatever stands behind it. */
const shortestCall = 12;
/** Cells of what a tool says while it runs. */
const longestWord = 50;
const signs = {running: '◌', asking: '?', done: '✓', failed: '✗', interrupted: '■'} as const;

function toolLine(block: Extract<Block, {kind: 'tool'}>, {width, palette}: Style): string {
	const role = {
		running: palette.accent,
		asking: palette.warning,
		done: palette.success,
		failed: palette.danger,
		interrupted: palette.warning,
	}[block.status];
	const head = `${role(signs[block.status])} ${palette.label(safeLine(block.name))}`;
	const call = safeLine(summarize(block.arguments));
	const end = palette.dim(outcome(block));
	// How it ended says more than the end of a long call.
	const room = Math.max(shortestCall, width - lineWidth(head) - lineWidth(end) - 1);
	return truncate([head, call && ` ${truncate(call, room)}`, end].join(''), width);
}

function outcome({status, output, milliseconds}: Extract<Block, {kind: 'tool'}>): string {
	switch (status) {
		case 'running':
			return output ? ` · ${lastLine(output)}` : ' …';
		case 'asking':
			return ' · waits for you';
		case 'interrupted':
			return ' · interrupted';
		case 'failed':
			return ` · ${safeLine(output.split('\n', 1)[0] ?? '')}`;
		default:
			return ` · ${formatDuration(milliseconds ?? 0)} · ${formatBytes(Buffer.byteLength(output))}`;
	}
}

/** What a tool that still runs said last. */
function lastLine(output: string): string {
	const [last = ''] = output.slice(-2000).trimEnd().split('\n').slice(-1);
	return truncate(safeLine(last), longestWord);
}

/** The values of a call on one line: strings as they are, the rest as JSON; names only from the second on. */
function summarize(args: JsonObject): string {
	return Object.entries(args)
		.map(([name, value], index) => (index === 0 ? show(value) : `${name}=${show(value)}`))
		.join(' ')
		.slice(0, 500);
}

function show(value: Json): string {
	return typeof value === 'string' ? value.slice(0, 300) : JSON.stringify(value).slice(0, 300);
}
