import {useLayoutEffect} from 'react';
import {type ComposerLayout, layoutComposer} from '../editor/editor-layout.ts';
import type {ComposerState} from '../editor/editor-state.ts';
import type {AppState} from '../store/store.ts';
import type {CellWidths} from '../terminal/text/cell-widths.ts';
import {cellWidths} from '../terminal/text/cell-widths.ts';
import {fitHints} from '../terminal/text/fit-parts.ts';
import {safeText} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {truncate} from '../terminal/text/width.ts';
import {useApp, useUi} from './context.ts';
import {Box} from './ink.ts';
import {modeRole, promptSign, promptWidth} from './prompt/approval-mode.ts';
import type {Caret, Frame} from './screen/live-region.ts';

type Props = {
	/** The rows of the prompt, at least one. */
	readonly height: number;
	/** Row below the live lines in which the composer starts. */
	readonly top: number;
	/** False while a panel has the focus. */
	readonly focused: boolean;
	/** Shown while the prompt is empty, as many as fit. */
	readonly placeholder: readonly string[];
	/** The place of the caret below the live lines while another field is edited. */
	readonly elsewhere?: Caret | undefined;
};

/**
 * Leaves rows for the prompt, which the screen draws over them: it changes with each key, and nothing else does then. The
 * terminal's cursor is at the caret, because input methods draw there.
 */
export function Composer({height, top, focused, placeholder, elsewhere}: Props) {
	const {store, palette, setCaret, setPrompt} = useUi();
	useApp(state => state.size);
	useApp(state => state.approvalMode);
	useLayoutEffect(() => {
		const draw = createDrawing({height, placeholder, palette, isDim: !focused});
		const show = () => setPrompt({row: top, focused, draw: () => draw(store.getState())});
		setCaret(focused ? undefined : elsewhere);
		show();
		return store.subscribe(({composer}, before) => {
			if (composer !== before.composer) {
				show();
			}
		});
	});
	return <Box height={height} flexShrink={0} />;
}

type PromptState = Pick<AppState, 'composer' | 'size' | 'approvalMode'>;

const maxRows = 10;

/** Returns how many rows the prompt needs, at most ten. */
export function promptRows(state: PromptState): number {
	return layoutOf(state, maxRows).rows.length;
}

type Known = {
	readonly composer: ComposerState;
	readonly room: number;
	/** The cell widths that it was laid out with. */
	readonly widths: CellWidths;
	readonly layout: ComposerLayout;
};

/** The last layout: a key needs it for the number of rows and for the rows. */
let known: Known | undefined;

function layoutOf({composer, size, approvalMode}: PromptState, height: number): ComposerLayout {
	const room = size.columns - promptWidth(approvalMode);
	const widths = cellWidths();
	if (known?.composer !== composer || known.room !== room || known.widths !== widths) {
		known = {composer, room, widths, layout: layoutComposer(composer, room, maxRows)};
	}

	return known.layout.rows.length <= height ? known.layout : layoutComposer(composer, room, height);
}

type Look = {
	readonly height: number;
	readonly placeholder: readonly string[];
	readonly palette: Palette;
	/** True while a question has the focus. */
	readonly isDim: boolean;
};

/** Returns a function that draws the prompt in so many rows, with the place of the caret in it; once for each layout. */
function createDrawing(look: Look): (state: PromptState) => Frame {
	let last: {readonly layout: ComposerLayout; readonly frame: Frame} | undefined;
	return state => {
		const layout = layoutOf(state, look.height);
		if (last?.layout !== layout) {
			last = {layout, frame: drawPrompt(layout, state, look)};
		}

		return last.frame;
	};
}

function drawPrompt(
	layout: ComposerLayout,
	{size, approvalMode: mode, composer}: PromptState,
	{height, placeholder, palette, isDim}: Look,
): Frame {
	const width = promptWidth(mode);
	const isShell = composer.text.startsWith('!');
	const hint = fitHints(placeholder, size.columns - width) || placeholder.at(-1);
	const empty = layout.rows.length === 1 && layout.rows[0] === '';
	const rows = Array.from({length: height}, (_, index) => {
		const row = layout.rows[index] ?? '';
		const first = index === 0 && layout.hiddenAbove === 0;
		const sign = first
			? (isShell ? palette.warning : modeRole(mode, palette))(promptSign(mode, isShell))
			: ' '.repeat(width - 2) + (layout.hiddenAbove > 0 && index === 0 ? palette.dim('↑ ') : '  ');
		const drawn = empty
			? palette.dim(hint ?? '')
			: isDim
				? palette.dim(safeText(row))
				: drawnRow(row, layout.selected?.[index], palette);
		return truncate(sign + drawn, size.columns).trimEnd();
	});
	const column = Math.min(size.columns - 1, width + layout.caret.column);
	return {rows, caret: {row: layout.caret.row, column}};
}

/** Returns a row with its selected part marked. */
function drawnRow(
	row: string,
	selected: {readonly from: number; readonly to: number} | undefined,
	palette: Palette,
): string {
	if (!selected || selected.from === selected.to) {
		return safeText(row);
	}

	const {from, to} = selected;
	return safeText(row.slice(0, from)) + palette.selection(safeText(row.slice(from, to))) + safeText(row.slice(to));
}
