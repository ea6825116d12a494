import type {HunkLine} from '../../agent/changes/hunks.ts';
import type {ReviewedFile} from '../../agent/changes/review.ts';
import {formatNumber} from '../../core/format.ts';
import type {Size} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {padEnd, truncate} from '../../terminal/text/width.ts';
import {isChosen, itemsOf, type ReviewItem, type ReviewState} from './review-state.ts';

/** A line of the screen. It is drawn only if it is in the window. */
type ReviewLine = {readonly item: number; readonly draw: () => string};

type Style = {readonly palette: Palette; readonly isReadOnly: boolean};

/** Longer lines are cut: minified code would take long to draw. */
const maxLineLength = 2000;
/** Rows of the title and the bottom line. */
const frame = 2;

/** Returns all lines, with the index of the item that each belongs to. */
function linesOf(state: ReviewState, style: Style): readonly ReviewLine[] {
	return itemsOf(state).flatMap((item, index): readonly ReviewLine[] => {
		const file = state.files[item.file];
		const hunk = item.hunk === undefined ? undefined : file?.hunks[item.hunk];
		const lines = hunk?.lines ?? [];
		const digits = String(Math.max(0, ...lines.map(({number}) => number))).length;
		return [
			{item: index, draw: () => headOf(state, item, index, style)},
			...lines.map(line => ({item: index, draw: () => drawLine(line, digits, style.palette)})),
		];
	});
}

function headOf(state: ReviewState, item: ReviewItem, index: number, {palette, isReadOnly}: Style): string {
	const file = state.files[item.file];
	const isHere = index === state.cursor;
	const cursor = isHere ? palette.accent('❯ ') : '  ';
	const box = isReadOnly ? '' : isChosen(state, item) ? palette.warning('[x] ') : palette.dim('[ ] ');
	if (!file) {
		return '';
	}

	if (item.hunk !== undefined) {
		const name = placeOf(file.hunks[item.hunk]);
		return `${cursor}  ${box}${isHere ? palette.selected(name) : palette.dim(name)}`;
	}

	const fold = file.hunks.length === 0 ? ' ' : state.folded.has(item.file) ? '▸' : '▾';
	const about = [
		...(file.kind === 'changed' ? [] : [file.kind]),
		...(file.note ? [file.note] : []),
		...(file.isUsersToo ? ['you changed it, too (~)'] : []),
	];
	const counts = `${palette.added(`+${file.added}`)} ${palette.removed(`−${file.removed}`)}`;
	const rest = about.length > 0 ? palette.dim(` · ${about.join(' · ')}`) : '';
	return `${cursor}${box}${fold} ${palette.label(safeLine(file.path))} ${counts}${rest}`;
}

/** Returns the lines of a hunk, such as “lines 12–18”. */
function placeOf(hunk: ReviewedFile['hunks'][number] | undefined): string {
	const first = hunk?.newStart ?? 1;
	const last = Math.max(first, ...(hunk?.lines ?? []).map(({number}) => number));
	return first === last ? `line ${formatNumber(first)}` : `lines ${formatNumber(first)}–${formatNumber(last)}`;
}

function drawLine({sign, text, number, isUsers}: HunkLine, digits: number, palette: Palette): string {
	const shown = safeLine(text.replace(/\r$/, '').replaceAll('\t', '    ').slice(0, maxLineLength));
	const mark = isUsers ? '~' : sign;
	const line = `      ${padEnd('', digits - String(number).length)}${number} ${mark} ${shown}`;
	return sign === '+' ? palette.added(line) : sign === '-' ? palette.removed(line) : palette.dim(line);
}

/** Moves the cursor by items, and the window with it. */
export function moveBy(state: ReviewState, items: number, style: Style, size: Size): ReviewState {
	const last = itemsOf(state).length - 1;
	const cursor = Math.max(0, Math.min(last, state.cursor + items));
	return reveal({...state, cursor}, style, size);
}

/** Scrolls by lines. The cursor moves to an item in the window. */
export function scrollBy(state: ReviewState, lines: number, style: Style, size: Size): ReviewState {
	const all = linesOf(state, style);
	const rows = rowsOf(size);
	const top = Math.max(0, Math.min(all.length - rows, state.top + lines));
	const shown = all.slice(top, top + rows);
	if (shown.some(({item}) => item === state.cursor)) {
		return {...state, top};
	}

	const begins = shown.find((line, index) => all[top + index - 1]?.item !== line.item);
	return {...state, top, cursor: (begins ?? shown[0])?.item ?? 0};
}

/** Scrolls so that the item at the cursor is in the window: as much of it as fits. */
export function reveal(state: ReviewState, style: Style, size: Size): ReviewState {
	const all = linesOf(state, style);
	const rows = rowsOf(size);
	const start = all.findIndex(({item}) => item === state.cursor);
	const end = all.findLastIndex(({item}) => item === state.cursor);
	const down = Math.max(state.top, Math.min(start, end - rows + 1));
	const top = Math.max(0, Math.min(down, start, Math.max(0, all.length - rows)));
	return {...state, top};
}

/** Returns the rows between the title and the bottom line. */
export function rowsOf({rows}: Size): number {
	return Math.max(1, rows - frame);
}

/** Returns the lines of the window, without title and bottom line. */
export function drawReview(state: ReviewState, style: Style, size: Size): readonly string[] {
	const shown = linesOf(state, style).slice(state.top, state.top + rowsOf(size));
	return Array.from({length: rowsOf(size)}, (_, row) => truncate(shown[row]?.draw() ?? '', size.columns));
}
