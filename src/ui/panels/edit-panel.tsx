import {reduceComposer} from '../../editor/editor.ts';
import {type ComposerLayout, layoutComposer} from '../../editor/editor-layout.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import {defaultKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {cancels, type PanelModule, type PanelProps} from './panel.ts';

/** A text that the user changes, with the keys of the prompt. `does` says what the key that sends does. */
type EditPanel = {readonly kind: 'edit'; readonly label: string; readonly does: string; readonly text: string};

/** Cells before each line of the text. */
const indent = 2;
const maxRows = 10;

export const editPanel: PanelModule<EditPanel> = {
	initial: ({text}) => ({manner: 'follows', text}),
	rows: (_panel, {filter, size: {columns}}) => layoutComposer(filter, columns - indent, maxRows).rows.length + 1,

	/** The key that sends answers with the text, Esc cancels, any other edits as in the prompt. */
	press(pressed, _panel, keys) {
		if (cancels(pressed, keys)) {
			return true;
		}

		const {filter, setFilter, size, keymap} = keys.store.getState();
		const {state, action} = reduceComposer(filter, pressed.token, {
			columns: Math.max(1, size.columns - indent),
			keymap,
		});
		if (action?.type === 'submit') {
			keys.answer(action.text);
		} else if (state !== filter) {
			setFilter(state);
		}

		return true;
	},

	draw: EditView,

	caret(_panel, text, {columns, height}) {
		const {caret} = editorLayout(text, columns, height);
		return {row: titleRows(height) + caret.row, column: indent + caret.column};
	},

	isOfRun: () => true,
	title: ({label}) => label,
	isFramed: true,
};

/** Shows a text that the user changes, with its keys. */
function EditView({panel, height}: PanelProps<EditPanel>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const text = useApp(state => state.filter);
	const hints = [...hintsOf(useKeymap(defaultKeys), [[panel.does, 'prompt.send']]), 'Esc back'];
	const {rows} = editorLayout(text, columns, height);
	const title = fitTitle(`${palette.warning('?')} ${safeLine(panel.label)}`, {hints, role: palette.dim}, columns);
	const lines = rows.map(row => truncate(' '.repeat(indent) + safeText(row), columns));
	return <Lines lines={titleRows(height) > 0 ? [title, ...lines] : lines} />;
}

/** Returns the rows of the label: none in a very low window. */
function titleRows(height: number): number {
	return height > 1 ? 1 : 0;
}

/** Returns the rows of the text around its caret. */
function editorLayout(text: ComposerState, columns: number, height: number): ComposerLayout {
	return layoutComposer(text, columns - indent, Math.max(1, height - titleRows(height)));
}
