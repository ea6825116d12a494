import type {ReviewedFile, TakenBack} from '../../agent/changes/review.ts';
import {formatAmount} from '../../core/format.ts';
import type {Size} from '../../store/view-slice.ts';
import {chordOf, type InputToken, textToken} from '../../terminal/input/token.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {truncate} from '../../terminal/text/width.ts';
import type {FullScreen, FullScreenView} from '../screen/full-screen.ts';
import {drawReview, moveBy, reveal, rowsOf, scrollBy} from './review-lines.ts';
import {beginReview, itemsOf, type ReviewState, takenBack, toggleChosen, toggleFold} from './review-state.ts';

type Dependencies = {
	readonly title: string;
	readonly files: readonly ReviewedFile[];
	readonly isReadOnly: boolean;
	readonly palette: Palette;
	readonly fullScreen: Pick<FullScreen, 'invalidate' | 'redraw' | 'close'>;
	readonly suspend: () => void;
	/** Called with what to take back, once; undefined if the user closes the view. */
	readonly onEnd: (parts: readonly TakenBack[] | undefined) => void;
};

type Context = {readonly size: Size; readonly style: {readonly palette: Palette; readonly isReadOnly: boolean}};
type Press = (state: ReviewState, context: Context) => ReviewState;

const toLast: Press = (state, {style, size}) => moveBy(state, itemsOf(state).length, style, size);

const handlers: ReadonlyArray<readonly [keys: readonly string[], press: Press]> = [
	[['up', 'k'], (state, {style, size}) => moveBy(state, -1, style, size)],
	[['down', 'j'], (state, {style, size}) => moveBy(state, 1, style, size)],
	[['page-up', 'b'], (state, {style, size}) => scrollBy(state, 1 - rowsOf(size), style, size)],
	[['page-down', 'f'], (state, {style, size}) => scrollBy(state, rowsOf(size) - 1, style, size)],
	[['home', 'g'], (state, {style, size}) => moveBy(state, -itemsOf(state).length, style, size)],
	[['end', 'G'], toLast],
	[['tab', 'left', 'right'], (state, {style, size}) => reveal(toggleFold(state), style, size)],
	[['x', ' ', 'space'], (state, {style}) => (style.isReadOnly ? state : toggleChosen(state))],
	[['enter'], pressEnter],
];
const keys: ReadonlyMap<string, Press> = new Map(handlers.flatMap(([names, press]) => names.map(key => [key, press])));

function pressEnter(state: ReviewState, {style, size}: Context): ReviewState {
	if (style.isReadOnly) {
		return reveal(toggleFold(state), style, size);
	}

	return state.chosen.size > 0
		? {...state, isAsking: true}
		: {...state, note: 'Nothing selected. Press Space on what to take back.'};
}

/** Shows changes of files, by file and hunk. What the user selects is taken back after a question. */
export function createReviewView(dependencies: Dependencies): FullScreenView {
	const {title, files, palette, isReadOnly, fullScreen, suspend, onEnd} = dependencies;
	const style = {palette, isReadOnly};
	let size: Size = {columns: 80, rows: 24};
	let state = beginReview(files);
	let parts: readonly TakenBack[] | undefined;

	const press = (key: string) => {
		if (key === 'ctrl+z') {
			suspend();
		} else if (key === 'ctrl+l') {
			fullScreen.redraw();
		} else if (state.isAsking) {
			const isYes = key === 'y';
			parts = isYes ? takenBack(state) : undefined;
			state = {...state, isAsking: false, note: isYes ? '' : 'Nothing was taken back.'};
			if (isYes) {
				fullScreen.close();
			}
		} else if (key === 'q' || key === 'escape' || key === 'ctrl+c') {
			fullScreen.close();
		} else {
			state = keys.get(key)?.({...state, note: ''}, {size, style}) ?? state;
		}
	};

	return {
		draw(next) {
			size = next;
			state = scrollBy(state, 0, style, size);
			const bottom = state.isAsking
				? palette.warning(bottomLine(state, isReadOnly))
				: palette.dim(bottomLine(state, isReadOnly));
			return [
				palette.label(truncate(safeLine(title), size.columns)),
				...drawReview(state, style, size),
				truncate(bottom, size.columns),
			];
		},
		press(token: InputToken) {
			for (const each of token.type === 'text' ? Array.from(token.text, textToken) : [token]) {
				if (each.type === 'key' || each.type === 'text') {
					press(each.type === 'key' ? chordOf(each) : each.text);
				}
			}

			fullScreen.invalidate();
		},
		onClose: () => onEnd(parts),
	};
}

function bottomLine(state: ReviewState, isReadOnly: boolean): string {
	const count = formatAmount(state.chosen.size, 'change');
	if (state.isAsking) {
		return `Take back ${count}? y yes · N no`;
	}

	if (state.note) {
		return state.note;
	}

	if (isReadOnly) {
		return '↑↓ move · Tab fold · Esc close · read-only during a run';
	}

	return state.chosen.size > 0
		? `${count} selected · Space select · Enter confirm · Esc close`
		: 'Space select · ↑↓ move · Tab fold · Esc close';
}
