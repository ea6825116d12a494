import {useLayoutEffect, useMemo} from 'react';
import {panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {closes, type PanelKeys, type PanelModule, type PanelProps, type Pressed} from './panel.ts';
import {titleRule} from './panel-rows.ts';

/**
 * The result of a command that ran during a run, so that it does not cut an answer in two. One that `closesOnKey` closes on any
 * key, which then does what it does.
 */
type LinesPanel = {
	readonly kind: 'lines';
	readonly title: string;
	/** Draws it for a window: again if its width, its colours or the user's keys change. */
	readonly lines: (columns: number) => readonly string[];
	readonly closesOnKey?: boolean;
};

/** Farther than any panel reaches; it moves to its end instead. */
const toEnd = 1_000_000;

export const linesPanel: PanelModule<LinesPanel> = {
	initial: () => ({manner: 'shows'}),
	rows: ({lines}, {size: {columns}}) => lines(columns).length + 1,

	press(pressed, {closesOnKey = false}, keys) {
		const {scrollBy} = keys.store.getState();
		const {action, rows} = pressed;
		if (rows !== undefined) {
			scrollBy(rows);
		} else if (action === 'panel.first' || action === 'panel.last') {
			scrollBy(action === 'panel.first' ? -toEnd : toEnd);
		} else if (!closes(pressed, keys)) {
			return closesOnKey && closeOnKey(pressed, keys);
		}

		return true;
	},

	draw: LinesView,
	title: ({title}) => title,
	isFramed: false,
};

/** Closes the panel on anything that is typed. Returns true for the key that opened it, which does nothing else then. */
function closeOnKey({token}: Pressed, {answer}: PanelKeys): boolean {
	if (token.type === 'key' || token.type === 'text' || token.type === 'paste') {
		answer(undefined);
	}

	return token.type === 'text' && token.text === '?';
}

/** Shows lines in a panel that scrolls. */
function LinesView({panel, height}: PanelProps<LinesPanel>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const keymap = useKeymap(panelKeys);
	// biome-ignore lint/correctness/useExhaustiveDependencies: what it draws depends on the colours and the keys, too
	const lines = useMemo(() => panel.lines(columns), [panel, columns, palette, keymap]);
	const titled = height > 1;
	const room = Math.max(1, height - 1);
	const start = useScroll(lines.length - room);
	const scroll = hintsOf(keymap, [['scroll', 'panel.up', 'panel.down']]);
	const shown = lines.slice(start, start + room);
	const place = `${start + 1}-${start + shown.length} of ${lines.length}`;
	const isCut = lines.length > room;
	const beside = {
		facts: isCut ? [` · ${place}`, ''] : [''],
		hints: [...(isCut ? scroll : []), 'Esc close'],
		role: palette.dim,
	};
	const named = fitTitle(palette.label(safeLine(panel.title)), beside, columns);
	const header = titleRule(named, {columns, palette, weight: 'pane'});
	return <Lines lines={titled ? [header, ...shown] : shown} />;
}

/** Returns how far the panel is scrolled, from 0 to `last`. */
function useScroll(last: number): number {
	const offset = useApp(state => state.scroll);
	const limitScroll = useApp(state => state.limitScroll);
	const end = Math.max(0, last);
	useLayoutEffect(() => limitScroll(end), [end, limitScroll]);
	return Math.max(0, Math.min(offset, end));
}
