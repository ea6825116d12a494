import {useState} from 'react';
import type {Panel} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {textWidth, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import {useApp, useUi} from '../context.ts';
import {Box, Text, TextInput} from '../ink.ts';

type FieldPanel = Extract<Panel, {kind: 'field'}>;

/** Fewest cells for the typed text in the row of its label. */
const leastRoom = 20;

/** Returns the rows of a label; the typed text follows in the last one, which is blank if a long label leaves it no room. */
function labelLines(label: string, columns: number): readonly string[] {
	const lines = wrapLine(safeLine(label), columns, {first: '? ', rest: '  '});
	return textWidth(lines.at(-1) ?? '') + leastRoom < columns ? lines : [...lines, ' '];
}

/** Returns the number of rows that a field needs: its label, the typed text and the keys. */
export function fieldRows({label}: FieldPanel, columns: number): number {
	return labelLines(label, columns).length + 1;
}

/** Shows a one-line field. Enter confirms it, Esc cancels it. A low window shows the start of the label, and no keys. */
export function FieldView({panel, height}: {readonly panel: FieldPanel; readonly height: number}) {
	const {palette, answer} = useUi();
	const columns = useApp(state => state.size.columns);
	const [value, setValue] = useState('');
	const wrapped = labelLines(panel.label, columns);
	const lines =
		wrapped.length <= height ? wrapped : [`? ${truncate(safeLine(panel.label), Math.floor(columns * 0.6))}`];
	const drawn = lines.map((line, index) => (index === 0 ? palette.accent('?') + line.slice(1) : line));
	return (
		<Box flexDirection="column" height={Math.min(height, lines.length + 1)} overflow="hidden">
			{drawn.slice(0, -1).map(line => (
				<Text key={line}>{line}</Text>
			))}
			<Box height={1} overflow="hidden">
				<Box flexShrink={0}>
					<Text>{`${drawn.at(-1)} `}</Text>
				</Box>
				<TextInput
					value={value}
					onChange={text => setValue(text.replace(/[\r\n]/g, ''))}
					onSubmit={answer}
					{...(panel.masked && {mask: '•'})}
				/>
			</Box>
			{height > lines.length && <Text>{palette.dim(truncate('  Enter confirm · Esc cancel', columns))}</Text>}
		</Box>
	);
}
