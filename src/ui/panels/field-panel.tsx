import type {ComposerState} from '../../editor/editor-state.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {graphemesOf, textWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {useApp, useUi} from '../context.ts';
import {Box, Text, TextInput} from '../ink.ts';
import {drawLine, editLine} from '../line-field.ts';
import {Lines} from '../lines.tsx';
import {cancels, type PanelModule, type PanelProps, type PanelRoom} from './panel.ts';
import {answerKeys, firstRows} from './panel-rows.ts';

type FieldPanel = {readonly kind: 'field'; readonly label: string; readonly masked: boolean};

export const fieldPanel: PanelModule<FieldPanel> = {
	initial: () => ({manner: 'waits'}),
	/** Its label, the typed text and the keys. */
	rows: ({label}, {size: {columns}}) => labelLines(label, columns).length + 1,

	/** Enter answers with the whole text, any other key edits it. */
	press(pressed, _panel, keys) {
		const {filter, setFilter, scrollBy, keymap} = keys.store.getState();
		if (cancels(pressed, keys)) {
			return true;
		}

		if (pressed.rows !== undefined) {
			scrollBy(pressed.rows);
		} else if (pressed.chord === 'enter') {
			keys.answer(filter.text);
		} else {
			const edited = editLine(filter, pressed.token, keymap, Number.POSITIVE_INFINITY);
			if (edited !== filter) {
				setFilter(edited);
			}
		}

		return true;
	},

	draw: FieldView,
	caret: (panel, field, room) => drawField(panel, field, room).caret,
	title: ({label}) => label,
	isFramed: true,
};

/** Shows a one-line field. Enter confirms it, Esc cancels it. A low window shows the start of the label, and no keys. */
function FieldView({panel, height}: PanelProps<FieldPanel>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const field = useApp(state => state.filter);
	const {above, before, text} = drawField(panel, field, {columns, height});
	const label = [...above, before].map((line, index) =>
		index === 0 ? `${palette.warning('?')} ${palette.label(line.slice(2))}` : palette.label(line),
	);
	const keys = palette.dim(`  ${answerKeys([], ['Enter confirm', 'Esc cancel'], columns - 2)}`);
	const isLow = height <= above.length + 1;
	return (
		<Box flexDirection="column">
			{above.length > 0 && <Lines lines={label.slice(0, -1)} />}
			<Box height={1} overflow="hidden">
				<Box flexShrink={0}>
					<Text>{label.at(-1)}</Text>
				</Box>
				{/* It edits what it drew last, so that keys which come together would be lost: the store edits the text. */}
				<TextInput value={text} focus={false} showCursor={false} onChange={ignore} />
			</Box>
			{!isLow && <Lines lines={[keys]} />}
		</Box>
	);
}

const ignore = () => undefined;

/** Fewest cells for the typed text in the row of its label. */
const leastRoom = 20;

/** Returns the rows of a label; the typed text follows in the last one, which is blank if a long label leaves it no room. */
function labelLines(label: string, columns: number): readonly string[] {
	const lines = wrapLine(safeLine(label), columns, {first: '? ', rest: '  '});
	return textWidth(lines.at(-1) ?? '') + leastRoom < columns ? lines : [...lines, ' '];
}

/** The most of its only row that the label gets in a low window. */
const labelShare = 0.6;

/** Returns the first rows of a label that leave one for the text and one for the keys; part of a row if there are no two. */
function shortLabel(label: string, columns: number, height: number): readonly string[] {
	if (height < 3) {
		return [`? ${truncate(safeLine(label), Math.floor(columns * labelShare))}`];
	}

	const rows = wrapLine(safeLine(label), columns, {first: '? ', rest: '  '});
	return [...firstRows(rows, height - 2, columns), ' '];
}

/** Returns the rows of a label, the text behind the last one, all safe, and the place of the caret. A masked text is dots. */
function drawField({label, masked}: FieldPanel, field: ComposerState, {columns, height}: PanelRoom) {
	const wrapped = labelLines(label, columns);
	const rows = wrapped.length < height ? wrapped : shortLabel(label, columns, height);
	const before = `${rows.at(-1)} `;
	const room = columns - textWidth(before);
	const {text, column} = drawLine('', masked ? dotted(field) : field, room);
	return {
		above: rows.slice(0, -1),
		before,
		text,
		caret: {row: rows.length - 1, column: textWidth(before) + column},
	};
}

function dotted({text, caret, ...field}: ComposerState): ComposerState {
	const dots = (part: string) => '•'.repeat(graphemesOf(part).length);
	const before = dots(text.slice(0, caret));
	return {...field, text: before + dots(text.slice(caret)), caret: before.length};
}
