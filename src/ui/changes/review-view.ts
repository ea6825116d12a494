import type {ReviewedFile, TakenBack} from '../../agent/changes/review.ts';
import {formatAmount} from '../../core/format.ts';
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
import {truncate} from '../../terminal/text/width.ts';
import {chosenAnswer, drawQuestion} from '../panels/question.ts';
import type {FullScreen, FullScreenView} from '../screen/full-screen.ts';
import {drawReview, moveBy, reveal, rowsOf, scrollBy} from './review-lines.ts';
import {beginReview, itemsOf, type ReviewState, takenBack, toggleChosen, toggleFold} from './review-state.ts';

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
