import {defaultKeys, panelKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {drawLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {type AskPanel, answerLabel, askLines} from './ask-state.ts';
import {useAnswerable} from './use-answerable.ts';

type Props = {
	readonly panel: AskPanel;
	/** Most rows to draw. */
	readonly height: number;
};

/** Shows a question of the agent with its choices, or with a field for the answer. */
export function AskView({panel, height}: Props) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const keymap = useKeymap(panelKeys);
	const wholeKey = hintKey(useKeymap(defaultKeys), 'app.transcript');
	const moved = useApp(state => state.scroll);
	const field = useApp(state => state.filter);
	const isAnswerable = useAnswerable(panel);
	const typed = drawLine(answerLabel, field, columns).text;
	return <Lines lines={askLines(panel, {moved, typed, isAnswerable}, {columns, height, palette, keymap, wholeKey})} />;
}
