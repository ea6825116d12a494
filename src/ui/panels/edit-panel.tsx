import {defaultKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import type {Panel} from '../../store/view-slice.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {editorIndent, editorLayout, titleRows} from './edit-keys.ts';

type Props = {
	readonly panel: Extract<Panel, {kind: 'edit'}>;
	/** Most rows to draw. */
	readonly height: number;
};

/** Shows a text that the user changes, with its keys. */
export function EditView({panel, height}: Props) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const text = useApp(state => state.filter);
	const hints = [...hintsOf(useKeymap(defaultKeys), [[panel.does, 'prompt.send']]), 'Esc back'];
	const {rows} = editorLayout(text, columns, height);
	const title = fitTitle(`${palette.warning('?')} ${safeLine(panel.label)}`, {hints, role: palette.dim}, columns);
	const lines = rows.map(row => truncate(' '.repeat(editorIndent) + safeText(row), columns));
	return <Lines lines={titleRows(height) > 0 ? [title, ...lines] : lines} />;
}
