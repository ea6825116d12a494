import {useLayoutEffect} from 'react';
import type {ComposerLayout} from '../editor/editor-layout.ts';
import {safeText} from '../terminal/text/safe-text.ts';
import type {Palette} from '../terminal/text/style.ts';
import {truncate} from '../terminal/text/width.ts';
import {modeRole, promptSign, promptWidth} from './approvals/approval-mode.ts';
import {useApp, useUi} from './context.ts';
import {Lines} from './lines.tsx';
import type {Caret} from './screen/live-region.ts';

type Props = {
	readonly layout: ComposerLayout;
	/** Row below the live lines in which the composer starts. */
	readonly top: number;
	/** False while a panel has the focus. */
	readonly focused: boolean;
	readonly placeholder: string;
	/** The place of the caret below the live lines while another field is edited. */
	readonly elsewhere?: Caret | undefined;
};

/** Draws the prompt. The terminal's cursor is at the caret, because input methods draw there. */
export function Composer({layout, top, focused, placeholder, elsewhere}: Props) {
	const {palette, setCaret} = useUi();
	const columns = useApp(state => state.size.columns);
	const mode = useApp(state => state.approvalMode);
	const width = promptWidth(mode);
	const own = {row: top + layout.caret.row, column: Math.min(columns - 1, width + layout.caret.column)};
	useLayoutEffect(() => setCaret(focused ? own : elsewhere));
	const empty = layout.rows.length === 1 && layout.rows[0] === '';
	const lines = layout.rows.map((row, index) => {
		const first = index === 0 && layout.hiddenAbove === 0;
		const sign = first
			? modeRole(mode, palette)(promptSign(mode))
			: ' '.repeat(width - 2) + (layout.hiddenAbove > 0 && index === 0 ? palette.dim('↑ ') : '  ');
		return truncate(
			sign + (empty ? palette.dim(placeholder) : drawnRow(row, layout.selected?.[index], palette)),
			columns,
		);
	});
	return <Lines lines={lines} />;
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
