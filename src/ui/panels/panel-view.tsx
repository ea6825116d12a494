import {useEffect, useReducer, useState} from 'react';
import type {Panel} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {useApp, useUi} from '../context.ts';
import {Box, Text, TextInput} from '../ink.ts';
import {Lines} from '../lines.tsx';
import {DevicePanel} from './device-panel.tsx';
import {Picker} from './picker.tsx';
import {drawQuestion, type Question, steadyNow, untilAnswerable} from './question.ts';
import {TableView} from './table-view.tsx';

type Props = {
	readonly panel: Panel;
	/** Rows that it may fill. */
	readonly height: number;
};

/** The one thing that is open above the prompt. */
export function PanelView({panel, height}: Props) {
	switch (panel.kind) {
		case 'pick':
			return <Picker panel={panel} height={height} />;
		case 'field':
			return <Field label={panel.label} masked={panel.masked} />;
		case 'confirm':
			return <Confirm key={panel.askedAt} panel={panel} height={height} />;
		case 'device':
			return <DevicePanel panel={panel} height={height} />;
		case 'table':
			return <TableView panel={panel} height={height} />;
		case 'lines':
			return <Window title={panel.title} lines={panel.lines} height={height} />;
		default:
			return panel satisfies never;
	}
}

/** In a low window the last facts give way: what is asked is always there. */
function Confirm({panel, height}: {readonly panel: Question; readonly height: number}) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const typedAt = useApp(state => state.typedAt);
	const [, drawAnew] = useReducer((count: number) => count + 1, 0);
	useEffect(() => {
		// Timers may be a fraction of a millisecond early; then it would not be drawn again.
		const timer = setTimeout(drawAnew, untilAnswerable(panel, typedAt, steadyNow()) + 1);
		return () => clearTimeout(timer);
	}, [panel, typedAt]);
	const isAnswerable = untilAnswerable(panel, typedAt, steadyNow()) <= 0;
	const {known, asked} = drawQuestion(panel, {columns, palette, isAnswerable});
	return <Lines lines={[...known.slice(0, Math.max(0, height - asked.length)), ...asked].slice(0, height)} />;
}

/** One line to fill in; Enter gives it, Escape leaves it. */
function Field({label, masked}: {readonly label: string; readonly masked: boolean}) {
	const {palette, answer} = useUi();
	const columns = useApp(state => state.size.columns);
	const [value, setValue] = useState('');
	return (
		<Box height={1} overflow="hidden">
			<Box flexShrink={0}>
				<Text>{`${palette.accent('?')} ${truncate(safeLine(label), Math.floor(columns * 0.6))} `}</Text>
			</Box>
			<TextInput
				value={value}
				onChange={text => setValue(text.replace(/[\r\n]/g, ''))}
				onSubmit={answer}
				{...(masked && {mask: '•'})}
			/>
		</Box>
	);
}

function Window({
	title,
	lines,
	height,
}: {
	readonly title: string;
	readonly lines: readonly string[];
	readonly height: number;
}) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const offset = useApp(state => state.scroll);
	const scrollBy = useApp(state => state.scrollBy);
	const titled = height > 1;
	const room = Math.max(1, height - 1);
	const start = Math.max(0, Math.min(offset, lines.length - room));
	// Keys count on beyond both ends; the count comes back, so that the next key the other way moves at once.
	useEffect(() => {
		if (start !== offset) {
			scrollBy(start - offset);
		}
	}, [start, offset, scrollBy]);
	const shown = lines.slice(start, start + room);
	const more = lines.length > room ? ` ${start + 1}-${start + shown.length} of ${lines.length}, ↑↓ scroll` : '';
	const header = palette.dim(truncate(`── ${safeLine(title)} · Esc closes${more}`, columns));
	return <Lines lines={titled ? [header, ...shown] : shown} />;
}
