import {defaultKeys, panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {panelHasFocus} from '../../store/view-slice.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {drawLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {type AskPanel, answerLabel, askLines} from './ask-state.ts';
import {dimmed} from './panel-rows.ts';
import {useAnswerable} from './use-answerable.ts';

type Props = {
	readonly panel: AskPanel;
	/** Most rows to draw. */
	readonly height: number;
	/** The keys that move to it beside the draft. */
	readonly focusKey: string;
};

/** Shows a question of the agent with its choices, or with a field for the answer. */
export function AskView({panel, height, focusKey}: Props) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const keymap = useKeymap(panelKeys);
	const wholeKey = hintKey(useKeymap(defaultKeys), 'app.transcript');
	const moved = useApp(state => state.scroll);
	const field = useApp(state => state.filter);
	const isAnswerable = useAnswerable(panel);
	const hasFocus = useApp(panelHasFocus);
	const note = useApp(({guard}) => guard.note);
	const typed = drawLine(answerLabel, field, columns).text;
	const told = hasFocus ? note : `${focusKey && `${focusKey} answer · `}Esc cancel`;
	const style = {columns, height, palette, keymap, wholeKey};
	const lines = askLines(panel, {moved, typed, isAnswerable, note: told}, style);
	return <Lines lines={hasFocus ? lines : dimmed(lines, palette)} />;
}
