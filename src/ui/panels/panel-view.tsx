import {useLayoutEffect, useMemo} from 'react';
import {panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import type {Panel} from '../../store/view-slice.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {AskView} from './ask-panel.tsx';
import {DevicePanel} from './device/device-panel.tsx';
import {EditView} from './edit-panel.tsx';
import {FieldView} from './field-panel.tsx';
import {titleRule} from './panel-rows.ts';
import {Picker} from './picker.tsx';
import {drawQuestion, drawSubject, type Question, scrollKey} from './question.ts';
import {scrollQuestion} from './scrolled-question.ts';
import {TableView} from './table-view.tsx';
import {useAnswerable} from './use-answerable.ts';

type Props = {
	readonly panel: Panel;
	/** Most rows to draw. */
	readonly height: number;
};

/** Shows the open panel above the prompt. */
export function PanelView({panel, height}: Props) {
	switch (panel.kind) {
		case 'pick':
			return <Picker panel={panel} height={height} />;
		case 'field':
			return <FieldView panel={panel} height={height} />;
		case 'edit':
			return <EditView panel={panel} height={height} />;
		case 'confirm':
			return <Confirm key={panel.askedAt} panel={panel} height={height} />;
		case 'ask':
			return <AskView key={panel.askedAt} panel={panel} height={height} />;
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

/** Asks a question. In a low window it scrolls with what it is about, above its answers. */
function Confirm({panel, height}: {readonly panel: Question; readonly height: number}) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const isAnswerable = useAnswerable(panel);
	const steps = useApp(state => state.marked);
	const {subject} = panel;
	const keymap = useKeymap(panelKeys);
	const style = {columns, palette, isAnswerable, steps, keymap};
	const {title, subjectRows, facts, asked, scrolled} = drawQuestion(panel, {...style, height});
	const key = scrollKey(keymap);
	const scrolling = scrolled && scrollQuestion(scrolled, subject, {columns, palette, height, key});
	const space = {columns, palette, rows: subjectRows, keys: key};
	const last = subject?.lastOffset({width: columns, palette, rows: Math.max(1, subjectRows - 1)}) ?? 0;
	const offset = useScroll(scrolling?.last ?? last);
	if (scrolling) {
		return <Lines lines={scrolling.draw(offset)} />;
	}

	const drawn = subject ? drawSubject(subject, {...space, offset}) : [];
	return <Lines lines={[...title, ...drawn, ...facts, ...asked].slice(0, height)} />;
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
