import {useLayoutEffect, useMemo} from 'react';
import {panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import {type Panel, panelHasFocus, unreadRows, waits} from '../../store/view-slice.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {AskView} from './ask-panel.tsx';
import {DevicePanel} from './device/device-panel.tsx';
import {EditView} from './edit-panel.tsx';
import {FieldView} from './field-panel.tsx';
import {dimmed, titleRule} from './panel-rows.ts';
import {Picker} from './picker.tsx';
import {drawQuestion, type Question, scrollKeys, tellKeys, viewScrolled, viewSubject} from './question.ts';
import {TableView} from './table-view.tsx';
import {useAnswerable} from './use-answerable.ts';

type Props = {
	readonly panel: Panel;
	/** Most rows to draw. */
	readonly height: number;
	/** The keys that move to a panel beside the draft. */
	readonly focusKey: string;
};

/** Shows the open panel above the prompt. */
export function PanelView({panel, height, focusKey}: Props) {
	const {palette} = useUi();
	const hasFocus = useApp(panelHasFocus);
	if (!hasFocus && waits(panel)) {
		return <Window panel={waiting(panel, focusKey, palette)} height={1} />;
	}

	switch (panel.kind) {
		case 'pick':
			return <Picker panel={panel} height={height} />;
		case 'field':
			return <FieldView panel={panel} height={height} />;
		case 'edit':
			return <EditView panel={panel} height={height} />;
		case 'confirm':
			return <Confirm key={panel.askedAt} panel={panel} height={height} focusKey={focusKey} />;
		case 'ask':
			return <AskView key={panel.askedAt} panel={panel} height={height} focusKey={focusKey} />;
		case 'device':
			return <DevicePanel panel={panel} height={height} />;
		case 'table':
			return <TableView panel={panel} height={height} />;
		case 'lines':
			return <Window panel={panel} height={height} />;
		default:
			return panel satisfies never;
	}
}

/** Returns a panel that says which one waits beside the draft, and how to get there. */
function waiting(panel: Panel, focusKey: string, palette: Palette): LinesPanel {
	const title = 'title' in panel ? panel.title : 'label' in panel ? panel.label : 'Log in';
	const hints = [...(focusKey ? [`${focusKey} answer`] : []), 'Esc cancel'];
	const lines = (columns: number) => [palette.dim(fitTitle(`? ${safeLine(title)}`, {hints, role: String}, columns))];
	return {kind: 'lines', title: '', lines};
}

/** Asks a question. In a low window it scrolls with what it is about, above its answers. */
function Confirm({panel, height, focusKey}: Props & {readonly panel: Question}) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const hasFocus = useApp(panelHasFocus);
	const hasDraft = useApp(({composer}) => composer.text !== '');
	const isAnswerable = useAnswerable(panel) && hasFocus;
	const steps = useApp(state => state.marked);
	const guard = useApp(state => state.guard);
	const unread = useApp(unreadRows);
	const showRows = useApp(state => state.showRows);
	const {subject} = panel;
	const keymap = useKeymap(panelKeys);
	const keys = scrollKeys(keymap);
	const told = tellKeys(panel, {
		...guard,
		hasFocus,
		focusKey,
		pageKey: keys[0],
		unread,
		steps,
	});
	const hints = hasDraft && focusKey ? [`${focusKey} back to your text`] : [];
	const style = {columns, palette, isAnswerable, steps, keymap, told, hints, isArmed: guard.armed !== undefined};
	const {title, subjectRows, facts, asked, scrolled} = drawQuestion(panel, {...style, height});
	const scroll = useApp(state => state.scroll);
	const limitScroll = useApp(state => state.limitScroll);
	const space = {columns, palette, rows: scrolled ? height : subjectRows, offset: Math.max(0, scroll), keys};
	const view = scrolled ? viewScrolled(scrolled, subject, space) : subject ? viewSubject(subject, space) : undefined;
	const {lines = [], total = 0, from = 0, to = 0, page = 1, lead = 0, last = 0} = view ?? {};
	useLayoutEffect(() => limitScroll(last), [last, limitScroll]);
	useLayoutEffect(() =>
		showRows({layout: `${scrolled ? 'scrolled' : 'beside'} ${columns}`, total, from, to, page, lead}),
	);
	const drawn = scrolled ? lines : [...title, ...lines, ...facts, ...asked].slice(0, height);
	return <Lines lines={hasFocus ? drawn : dimmed(drawn, palette)} />;
}

/** Returns how far the panel is scrolled, from 0 to `last`. */
function useScroll(last: number): number {
	const offset = useApp(state => state.scroll);
	const limitScroll = useApp(state => state.limitScroll);
	const end = Math.max(0, last);
	useLayoutEffect(() => limitScroll(end), [end, limitScroll]);
	return Math.max(0, Math.min(offset, end));
}

type LinesPanel = Extract<Panel, {kind: 'lines'}>;

/** Shows lines in a panel that scrolls. */
function Window({panel, height}: {readonly panel: LinesPanel; readonly height: number}) {
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
	const header = titleRule(named, {columns, palette, rule: palette.dim});
	return <Lines lines={titled ? [header, ...shown] : shown} />;
}
