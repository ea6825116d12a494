import type {HunkLine} from '../../agent/changes/hunks.ts';
import type {ReviewedFile, TakenBack} from '../../agent/changes/review.ts';
import {formatAmount, formatNumber} from '../../core/format.ts';
import {panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey, hintsOf} from '../../editor/keymap/key-label.ts';
import {actionOf, type Keymap, keymapOf, type OwnKeys, pressedKey} from '../../editor/keymap/keymap.ts';
import {type ReviewAction, reviewKeys} from '../../editor/keymap/view-keys.ts';
import type {Interaction} from '../../platform/interaction.ts';
import type {AppStore} from '../../store/store.ts';
import type {Size} from '../../store/view-slice.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import {fitHints} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {padEnd, truncate} from '../../terminal/text/width.ts';
import {chosenAnswer, drawQuestion} from '../panels/question.ts';
import type {FullScreen, FullScreenView} from '../screen/full-screen.ts';
import {
	beginReview,
	isChosen,
	itemsOf,
	type ReviewItem,
	type ReviewState,
	takenBack,
	toggleChosen,
	toggleFold,
} from './review-state.ts';

type Opening = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly fullScreen: FullScreen;
	readonly session: {readonly suspend: () => void};
};

/** Returns how changes of files are shown in the whole window. */
export function openReview({fullScreen, store, palette, session}: Opening): NonNullable<Interaction['review']> {
	const style = {palette, suspend: session.suspend, ownKeys: () => store.getState().ownKeys};
	return ({isReadOnly = false, ...review}) =>
		new Promise(resolve => {
			fullScreen.open(createReviewView({...review, ...style, isReadOnly, fullScreen, onEnd: resolve}));
		});
}

type ReviewParts = {
	readonly title: string;
	readonly files: readonly ReviewedFile[];
	readonly isReadOnly: boolean;
	readonly palette: Palette;
	readonly ownKeys: () => OwnKeys;
	readonly fullScreen: Pick<FullScreen, 'invalidate' | 'redraw' | 'close'>;
	readonly suspend: () => void;
	/** Called with what to take back, once; undefined if the user closes the view. */
	readonly onEnd: (parts: readonly TakenBack[] | undefined) => void;
};

/** How far an action of a question moves its mark. */
const marks: Readonly<Record<string, number>> = {'panel.up': -1, 'panel.down': 1};

type Context = {
	readonly size: Size;
	readonly style: {readonly palette: Palette; readonly isReadOnly: boolean};
	readonly keymap: ReviewKeymap;
};
type ReviewKeymap = Keymap<ReviewAction>;
type Press = (state: ReviewState, context: Context) => ReviewState;

const toLast: Press = (state, {style, size}) => moveBy(state, itemsOf(state).length, style, size);

type Moving = Exclude<ReviewAction, 'app.suspend' | 'app.redraw' | 'review.close'>;

const presses: Readonly<Record<Moving, Press>> = {
	'review.up': (state, {style, size}) => moveBy(state, -1, style, size),
	'review.down': (state, {style, size}) => moveBy(state, 1, style, size),
	'review.page-up': (state, {style, size}) => scrollBy(state, 1 - rowsOf(size), style, size),
	'review.page-down': (state, {style, size}) => scrollBy(state, rowsOf(size) - 1, style, size),
	'review.first': (state, {style, size}) => moveBy(state, -itemsOf(state).length, style, size),
	'review.last': toLast,
	'review.fold': (state, {style, size}) => reveal(toggleFold(state), style, size),
	'review.select': (state, {style}) => (style.isReadOnly ? state : toggleChosen(state)),
	'review.confirm': confirm,
};

function confirm(state: ReviewState, {style, size, keymap}: Context): ReviewState {
	if (style.isReadOnly) {
		return reveal(toggleFold(state), style, size);
	}

	const key = hintKey(keymap, 'review.select');
	return state.chosen.size > 0
		? {...state, isAsking: true}
		: {...state, note: `Nothing selected.${key && ` Press ${key} on what to undo.`}`};
}

/** Shows changes of files, by file and hunk. What the user selects is undone after a question. */
export function createReviewView(dependencies: ReviewParts): FullScreenView {
	const {title, files, palette, isReadOnly, fullScreen, suspend, onEnd} = dependencies;
	const keymap = () => keymapOf(reviewKeys, dependencies.ownKeys());
	const style = {palette, isReadOnly};
	let size: Size = {columns: 80, rows: 24};
	let state = beginReview(files);
	let parts: readonly TakenBack[] | undefined;
	/** Steps of the arrow keys through the answers of the question. */
	let steps = 0;

	const questionKeymap = () => keymapOf(panelKeys, dependencies.ownKeys());

	const press = (key: string) => {
		const action = actionOf(keymap(), key);
		const moved = state.isAsking ? marks[actionOf(questionKeymap(), key) ?? ''] : undefined;
		if (action === 'app.suspend') {
			suspend();
		} else if (action === 'app.redraw') {
			fullScreen.redraw();
		} else if (moved !== undefined) {
			steps += moved;
		} else if (state.isAsking) {
			const isYes = key === 'y' || (key === 'enter' && chosenAnswer({}, steps) !== undefined);
			steps = 0;
			parts = isYes ? takenBack(state) : undefined;
			state = {...state, isAsking: false, note: isYes ? '' : 'Nothing was undone.'};
			if (isYes) {
				fullScreen.close();
			}
		} else if (action === 'review.close' || key === 'escape' || key === 'ctrl+c') {
			fullScreen.close();
		} else if (action) {
			state = presses[action]({...state, note: ''}, {size, style, keymap: keymap()});
		}
	};

	return {
		draw(next) {
			size = next;
			state = scrollBy(state, 0, style, size);
			const {rows, columns} = size;
			const bottom = state.isAsking
				? askedLines(state, {columns, palette, steps, keymap: questionKeymap(), isAnswerable: true}, rows - 1)
				: [truncate(palette.dim(bottomLine(state, isReadOnly, keymap(), columns)), columns)];
			return [
				palette.label(truncate(safeLine(title), columns)),
				...drawReview(state, style, size).slice(0, Math.max(0, rows - 1 - bottom.length)),
				...bottom,
			];
		},
		press(token: InputToken) {
			press(pressedKey(token) ?? '');
			fullScreen.invalidate();
		},
		onClose: () => onEnd(parts),
	};
}

/** Returns the question whether to undo what is selected, with its answers, in at most `height` rows. */
function askedLines(
	{chosen}: ReviewState,
	style: Omit<Parameters<typeof drawQuestion>[1], 'height'>,
	height: number,
): readonly string[] {
	return drawQuestion(
		{kind: 'confirm', question: `Undo ${formatAmount(chosen.size, 'change')}?`, askedAt: 0},
		{...style, height},
	).asked;
}

function bottomLine(state: ReviewState, isReadOnly: boolean, keymap: ReviewKeymap, columns: number): string {
	const count = formatAmount(state.chosen.size, 'change');
	if (state.note) {
		return state.note;
	}

	const select = [state.chosen.size > 0 ? 'select' : 'select to undo', 'review.select'] as const;
	const move = ['move', 'review.up', 'review.down'] as const;
	const fold = ['fold', 'review.fold'] as const;
	const hints = isReadOnly
		? ['read-only during a run', ...hintsOf(keymap, [move, fold])]
		: state.chosen.size > 0
			? [`${count} selected`, ...hintsOf(keymap, [['undo', 'review.confirm'], select])]
			: hintsOf(keymap, [select, move, fold]);
	return fitHints([...hints, 'Esc close'], columns);
}

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
function moveBy(state: ReviewState, items: number, style: Style, size: Size): ReviewState {
	const last = itemsOf(state).length - 1;
	const cursor = Math.max(0, Math.min(last, state.cursor + items));
	return reveal({...state, cursor}, style, size);
}

/** Scrolls by lines. The cursor moves to an item in the window. */
function scrollBy(state: ReviewState, lines: number, style: Style, size: Size): ReviewState {
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
function reveal(state: ReviewState, style: Style, size: Size): ReviewState {
	const all = linesOf(state, style);
	const rows = rowsOf(size);
	const start = all.findIndex(({item}) => item === state.cursor);
	const end = all.findLastIndex(({item}) => item === state.cursor);
	const down = Math.max(state.top, Math.min(start, end - rows + 1));
	const top = Math.max(0, Math.min(down, start, Math.max(0, all.length - rows)));
	return {...state, top};
}

/** Returns the rows between the title and the bottom line. */
function rowsOf({rows}: Size): number {
	return Math.max(1, rows - frame);
}

/** Returns the lines of the window, without title and bottom line. */
function drawReview(state: ReviewState, style: Style, size: Size): readonly string[] {
	const shown = linesOf(state, style).slice(state.top, state.top + rowsOf(size));
	return Array.from({length: rowsOf(size)}, (_, row) => truncate(shown[row]?.draw() ?? '', size.columns));
}
