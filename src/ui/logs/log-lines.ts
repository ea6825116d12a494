import {cutText} from '../../core/cut-text.ts';
import {formatAmount, formatBytes, formatClock, formatDuration} from '../../core/format.ts';
import {type FrameKind, foldText} from '../../core/stack-trace/frame-kind.ts';
import {lastState} from '../../logs/line-state.ts';
import {type LogEntry, markText} from '../../logs/log-entry.ts';
import type {Matcher} from '../../logs/matcher.ts';
import {readStructured} from '../../logs/structured.ts';
import {breakJson, isJson, jsonSpans, rowsOfStrings} from '../../terminal/text/json-lines.ts';
import {markEnds} from '../../terminal/text/mark-ends.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {paint, parseSgr, type StyledSpan} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {graphemesOf, graphemeWidth, lineWidth, padEnd, textWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {markRanges, structuredSpans, withoutPathStart} from './log-spans.ts';
import type {LogEntries} from './merged-log.ts';
import {withoutMatches} from './workspace-paths.ts';

/** How the arrival time is shown before each line; `delta` is the time since the previous line. */
export const timeStyles = ['off', 'local', 'UTC', 'delta'] as const;
export type TimeStyle = (typeof timeStyles)[number];

/** Names a log if several are shown together. */
type LogTag = {readonly title: string; readonly hue: number};

export type LineStyle = {
	/** Width of a row in cells. */
	readonly width: number;
	readonly palette: Palette;
	/** Wraps a long line to several rows; otherwise it is cut, and starts at the cell `sideways`. */
	readonly wrap: boolean;
	readonly sideways: number;
	/** Draws lines as they were received: those of JSON and logfmt, and all states of a line that was redrawn. */
	readonly raw: boolean;
	readonly times: TimeStyle;
	/** Finds the folders that paths are shown without; they stay if lines are shown as they were received. */
	readonly workspaces?: RegExp | undefined;
	/** By environment, if several logs are shown together. */
	readonly tags?: ReadonlyMap<string, LogTag>;
	readonly search?: Matcher | undefined;
	readonly highlights: readonly Matcher[];
};

/** `isMatch` is true if a search or highlight matches the line: it gets a marker, which does not depend on colour. */
export type DrawnEntry = {readonly rows: readonly string[]; readonly isMatch: boolean};

/** A longer line is cut on the screen (LOG-TAIL), in UTF-16 units. */
const maxShown = 16 * 1024;
const tabStop = 8;
/** Most rows of a line of JSON that is opened. */
const maxOpened = 400;
const widestTag = 16;

/** What an entry is within a stack trace, and whether it is shown in full. */
export type EntryFrame = {readonly kind?: FrameKind | undefined; readonly folded: number; readonly isOpen: boolean};

const noFrame: EntryFrame = {folded: 0, isOpen: false};

/** Draws an entry as rows of at most `width` cells. Its text is hostile and is made safe here (SAFETY 1, 2). */
export function drawEntry(log: LogEntries, place: number, style: LineStyle, frame = noFrame): DrawnEntry {
	const entry = log.at(place);
	if (!entry) {
		return {rows: [''], isMatch: false};
	}

	const {width, palette, wrap} = style;
	const prefix = prefixOf(log, place, entry, style);
	const room = Math.max(2, width - lineWidth(prefix));
	if (entry.kind === 'mark') {
		return {rows: [truncate(`${prefix}${palette.warning(markText[entry.mark])}`, width)], isMatch: false};
	}

	if (frame.folded > 0 && frame.kind) {
		const rows = [truncate(`${prefix}${palette.dim(foldText(frame.folded))}`, width)];
		return {rows, isMatch: false};
	}

	const shownText = style.raw ? entry.text : lastState(entry.text);
	if (frame.isOpen && opensJson(shownText)) {
		return openedJson(shownText, prefix, room, style);
	}

	const plain = withoutTabs(withoutWorkspace(spansOf({...entry, text: shownText}, style, frame), style));
	const {spans, isMatch} = withMatches(plain, entry.text, style);
	const isCut = shownText.length > maxShown;
	const frames = frame.folded > 0 ? palette.dim(` · ${formatAmount(frame.folded, 'frame')}`) : '';
	const cut = isCut ? palette.dim(` … cut (${formatBytes(shownText.length)} in total)`) : '';
	if (wrap) {
		const text = paint(spans, palette) + cut + frames;
		const rows = wrapLine(text, width, {hard: true, first: prefix, rest: ' '.repeat(lineWidth(prefix))});
		return {rows: markEnds(rows, palette), isMatch};
	}

	const isWhole = frame.kind === undefined || style.sideways > 0;
	const shown = isWhole ? dropCells(spans, style.sideways) : withoutPathStart(spans, room);
	const text = paint(shown, palette) + cut;
	const line = truncate(text, Math.max(0, room - lineWidth(frames)));
	return {rows: [truncate(prefix + line + frames, width)], isMatch};
}

/** Returns the name of a log in its colour, padded to a fixed width. */
function drawTag({title, hue}: LogTag, width: number, palette: Palette): string {
	return inHue(hue, padEnd(truncate(safeLine(title), width), width), palette);
}

/** Returns text in the colour of a log. */
export function inHue(hue: number, text: string, palette: Palette): string {
	return (palette.series[hue % palette.series.length] ?? palette.label)(text);
}

function prefixOf(log: LogEntries, place: number, {at}: LogEntry, {times, tags, palette, width}: LineStyle): string {
	const time = times === 'off' ? '' : `${palette.dim(timeOf(log, place, at, times))} `;
	const tag = tags?.get(log.environmentAt?.(place) ?? '');
	const room = Math.min(widestTag, Math.floor(width / 4), Math.max(0, ...[...(tags ?? [])].map(widthOfTitle)));
	const name = tag ? `${drawTag(tag, room, palette)}${palette.dim('│')} ` : '';
	const prefix = name + time;
	return lineWidth(prefix) > width / 2 ? name : prefix;
}

function widthOfTitle([, {title}]: readonly [string, LogTag]): number {
	return lineWidth(safeLine(title));
}

function timeOf(log: LogEntries, place: number, at: number, times: Exclude<TimeStyle, 'off'>): string {
	if (times === 'delta') {
		const before = log.at(place - 1);
		const since = before ? `+${formatDuration(at - before.at)}` : '';
		return since.padStart(10);
	}

	const iso = new Date(at).toISOString();
	return times === 'UTC' ? `${iso.slice(11, 23)}Z` : `${formatClock(at)}${iso.slice(19, 23)}`;
}

/** Returns true for a line that can be opened: an object or an array in JSON. */
export function opensJson(text: string): boolean {
	return text.length <= maxShown && isJson(text);
}

/** Draws a line of JSON on several rows, and those of its strings that have several lines. */
function openedJson(text: string, prefix: string, room: number, style: LineStyle): DrawnEntry {
	const {palette, width} = style;
	const {lines, more} = breakJson(text, {width: room, maxLines: maxOpened});
	const all = lines.flatMap(line => rowsOfStrings(jsonSpans(line, palette)));
	const drawn = all
		.slice(0, maxOpened)
		.map((spans, index) => withMatches(spans, index === 0 ? text : undefined, style));
	const left = more + all.length - drawn.length;
	const rest = ' '.repeat(lineWidth(prefix));
	const rows = [
		...drawn.flatMap(({spans}, index) =>
			markEnds(
				wrapLine(paint(spans, palette), width, {hard: true, first: index === 0 ? prefix : rest, rest: `${rest}  `}),
				palette,
			),
		),
		...(left > 0 ? [truncate(rest + palette.dim(`… ${formatAmount(left, 'more line')}`), width)] : []),
	];
	return {rows, isMatch: drawn.some(({isMatch}) => isMatch)};
}

/** What a program told its terminal (OSC 7501): here it says nothing, and seen it would look like a state of ours. */
const programStatus = /\u001B\]7501;[^\u0007\u001B]*(?:\u0007|\u001B\\)/g;

/** Returns the parts of a structured line; any other with its own colours, or without any in that of its level. */
function spansOf({text, level}: Line, {palette, raw}: LineStyle, {kind}: EntryFrame): readonly StyledSpan[] {
	const structured = raw ? undefined : readStructured(text);
	if (structured) {
		return structuredSpans(structured, level, palette);
	}

	if (!raw && opensJson(text)) {
		return jsonSpans(text, palette);
	}

	const spans = parseSgr(cutText(text, maxShown).replace(programStatus, '').replace(/\r$/, ''));
	const isColored = spans.some(span => Object.keys(span.style).length > 0);
	const role = level ? palette.level[level] : kind === 'minor' ? palette.dim : undefined;
	return isColored || !role ? spans : spans.map(span => ({...span, roles: [role]}));
}

function withoutWorkspace(spans: readonly StyledSpan[], {raw, workspaces}: LineStyle): readonly StyledSpan[] {
	return raw || !workspaces ? spans : withoutMatches(spans, workspaces);
}

function withoutTabs(spans: readonly StyledSpan[]): readonly StyledSpan[] {
	if (!spans.some(({text}) => text.includes('\t'))) {
		return spans;
	}

	let column = 0;
	return spans.map(({text, ...span}) => ({
		...span,
		text: text.replace(/\t|[^\t]+/g, part => {
			const shown = part === '\t' ? ' '.repeat(tabStop - (column % tabStop)) : part;
			column += textWidth(shown);
			return shown;
		}),
	}));
}

type Line = Extract<LogEntry, {kind: 'line'}>;
type Mark = (span: StyledSpan) => StyledSpan;

/** Marks matches. Those of the search are on top, then the highlights in their order. */
function withMatches(
	spans: readonly StyledSpan[],
	received: string | undefined,
	{search, highlights, palette}: LineStyle,
) {
	const text = spans.map(span => span.text).join('');
	const found: Mark = span => ({...span, roles: [...(span.roles ?? []), palette.found]});
	const marked = [
		...highlights.map((matcher, index): readonly [Matcher, Mark] => {
			const role = palette.highlights[index % palette.highlights.length] ?? palette.found;
			// Its colour replaces that of the text.
			return [matcher, span => ({...span, style: {...span.style, color: undefined}, roles: [role]})];
		}),
		...(search ? [[search, found] as const] : []),
	];
	let isMatch = false;
	let shown = spans;
	for (const [matcher, mark] of marked) {
		const ranges = matcher.ranges(text);
		// What was found may stand in the line as it was received only, also behind what is drawn.
		isMatch ||= ranges.length > 0 || (received !== undefined && text !== received && matches(matcher, received));
		shown = ranges.length > 0 ? markRanges(shown, ranges, mark) : shown;
	}

	return {spans: shown, isMatch};
}

/** An expression that takes too long on a line has no match there. */
function matches(matcher: Matcher, line: string): boolean {
	try {
		return matcher.match([line])[0] === true;
	} catch {
		return false;
	}
}

/** Returns the spans without the first cells; the rest of a wide character becomes a space. */
function dropCells(spans: readonly StyledSpan[], cells: number): readonly StyledSpan[] {
	let left = cells;
	return left === 0
		? spans
		: spans.flatMap(({text, ...span}) => {
				let end = 0;
				for (const grapheme of left > 0 ? graphemesOf(text) : []) {
					if (left <= 0) {
						break;
					}

					end += grapheme.length;
					left -= graphemeWidth(grapheme);
				}

				const filled = left < 0 ? ' '.repeat(-left) : '';
				left = Math.max(0, left);
				return end < text.length || filled ? [{...span, text: filled + text.slice(end)}] : [];
			});
}
