import {nameCommands} from '../../core/command-words.ts';
import {formatBytes, formatDuration, formatNumber} from '../../core/format.ts';
import type {Json, JsonObject} from '../../core/json.ts';
import type {Block} from '../../core/session/block.ts';
import type {FileChange} from '../../core/session/event.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';

type Style = {
	readonly width: number;
	readonly palette: Palette;
	/** Returns the lines below a call that changed a file; none by default. */
	readonly changedLines?: (change: FileChange, style: Style) => readonly string[];
};

/** Returns the lines of a block, at most `width` cells wide. The model's text is plain here; Markdown is drawn elsewhere. */
export function blockLines(block: Exclude<Block, {kind: 'text'}> | Block, style: Style): readonly string[] {
	const {width, palette} = style;
	switch (block.kind) {
		case 'user':
			return isLongMessage(block) ? withoutMiddle(messageOf(block, style), style) : messageOf(block, style);
		case 'reasoning':
			return reasoningLines(block, style);
		case 'tool':
			return [toolLine(block, style), ...((block.change && style.changedLines?.(block.change, style)) ?? [])];
		case 'notice': {
			const role = {info: palette.dim, warning: palette.warning, error: palette.danger}[block.level];
			const sign = {info: 'ℹ', warning: '!', error: '✗'}[block.level];
			return messageLines(sign, role, block.text, block.hint, style);
		}
		case 'compaction':
			return [palette.dim(truncate(`── earlier messages summarized ──`, width))];
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

/** A message with more lines or characters is shown without its middle: a long paste would fill the screen. */
const longMessage = {lines: 40, characters: 4000};
/** Lines shown before and after the middle. */
const shownOfLong = {before: 20, after: 10};

/** Returns true if the conversation shows only the beginning and the end of the message. */
export function isLongMessage({text}: Message): boolean {
	return text.length > longMessage.characters || text.split('\n').length > longMessage.lines;
}

/** Returns the lines of the whole message. */
export function messageOf({text}: Message, {width, palette}: Style): readonly string[] {
	return wrapLine(palette.label(safeText(text)), width, {first: palette.accent('❯ '), rest: '  '});
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

/** Returns the lines of a text after a sign, and of its hint. */
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

/** Fewest cells of a call, whatever follows it. */
const minCallWidth = 12;
/** Most cells of the output of a running tool. */
const maxOutputWidth = 50;
/** Arguments that would fill the line, and are shown as a diff. */
const isShownAsDiff: ReadonlySet<string> = new Set(['content', 'edits']);
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
	// The outcome is more useful than the end of a long call.
	const room = Math.max(minCallWidth, width - lineWidth(head) - lineWidth(end) - 1);
	return truncate([head, call && ` ${truncate(call, room)}`, end].join(''), width);
}

function outcome({status, output, milliseconds, change}: Extract<Block, {kind: 'tool'}>): string {
	if (change && status === 'done') {
		return ` · ${changeCounts(change)}`;
	}

	switch (status) {
		case 'running':
			return output ? ` · ${lastLine(output)}` : ' …';
		case 'asking':
			return ' · waiting for you';
		case 'interrupted':
			return ' · interrupted';
		case 'failed':
			return ` · ${safeLine(output.split('\n', 1)[0] ?? '')}`;
		default:
			return ` · ${formatDuration(milliseconds ?? 0)} · ${formatBytes(Buffer.byteLength(output))}`;
	}
}

/** Returns the counts of a change, such as `+3 −1`. */
export function changeCounts({added, removed}: FileChange): string {
	return `+${formatNumber(added)} −${formatNumber(removed)}`;
}

/** Returns the last line of the output of a running tool. */
function lastLine(output: string): string {
	const [last = ''] = output.slice(-2000).trimEnd().split('\n').slice(-1);
	return truncate(safeLine(last), maxOutputWidth);
}

/** Returns the arguments of a call on one line: strings unchanged, others as JSON; all but the first with their names. */
function summarize(args: JsonObject): string {
	return Object.entries(args)
		.filter(([name]) => !isShownAsDiff.has(name))
		.map(([name, value], index) => (index === 0 ? show(value) : `${name}=${show(value)}`))
		.join(' ')
		.slice(0, 500);
}

function show(value: Json): string {
	return typeof value === 'string' ? value.slice(0, 300) : JSON.stringify(value).slice(0, 300);
}
