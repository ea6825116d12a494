import {useApp, useUi} from '../context.ts';
import {Box, Text, TextInput} from '../ink.ts';
import {Lines} from '../lines.tsx';
import {drawField, type FieldPanel} from './field-keys.ts';
import {answerKeys} from './panel-rows.ts';

/** Shows a one-line field. Enter confirms it, Esc cancels it. A low window shows the start of the label, and no keys. */
export function FieldView({panel, height}: {readonly panel: FieldPanel; readonly height: number}) {
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
