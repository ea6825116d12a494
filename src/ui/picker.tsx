import {useState} from 'react';
import type {Choice} from '../store/view-slice.ts';
import {safeLine} from '../terminal/safe-text.ts';
import {truncate} from '../terminal/width.ts';
import {useApp, useUi} from './context.ts';
import {Box, Text, TextInput} from './ink.ts';
import {Lines} from './lines.tsx';

type Props = {
	readonly title: string;
	readonly choices: readonly Choice[];
	/** The `id` that is in use now. */
	readonly current?: string;
	readonly height: number;
};

/** A list with a filter: what is typed narrows it, the arrows move, Enter takes, Escape leaves. */
export function Picker({title, choices, current, height}: Props) {
	const {palette, answer} = useUi();
	const columns = useApp(state => state.size.columns);
	const moved = useApp(state => state.scroll);
	const scrollBy = useApp(state => state.scrollBy);
	const [filter, setFilter] = useState('');
	const narrow = (text: string) => {
		setFilter(text);
		scrollBy(-moved);
	};
	const found = filterChoices(choices, filter);
	// The list opens at what is in use now.
	const first = filter
		? 0
		: Math.max(
				0,
				found.findIndex(({id}) => id === current),
			);
	const chosen = found.length === 0 ? 0 : (((first + moved) % found.length) + found.length) % found.length;
	// In a very low window the choices come first, then the filter, then the title.
	const room = Math.max(1, height - 2);
	const start = Math.max(0, Math.min(chosen - Math.floor(room / 2), found.length - room));
	const rows = found.slice(start, start + room).map((choice, index) => {
		const here = start + index === chosen;
		const mark = choice.id === current ? ' (now)' : '';
		const text = `${here ? palette.accent('❯ ') : '  '}${safeLine(choice.label)}${mark}`;
		const detail = choice.detail ? palette.dim(`  ${safeLine(choice.detail)}`) : '';
		return truncate((here ? palette.label(text) : text) + detail, columns);
	});
	const count = filter ? `${found.length} of ${choices.length}` : String(choices.length);
	const submit = () => {
		const choice = found[chosen];
		if (choice) {
			answer(choice.id);
		}
	};

	return (
		<Box
			flexDirection={height > 1 ? 'column' : 'column-reverse'}
			justifyContent={height > 1 ? 'flex-start' : 'flex-end'}
		>
			{height > 2 && (
				<Text wrap="truncate">
					{truncate(`${palette.label(safeLine(title))} ${palette.dim(`${count} · Enter takes · Esc leaves`)}`, columns)}
				</Text>
			)}
			<Box height={1} flexShrink={0} overflow="hidden">
				<Text>{palette.dim('filter ')}</Text>
				<TextInput value={filter} onChange={narrow} onSubmit={submit} />
			</Box>
			<Box flexShrink={0} flexDirection="column">
				<Lines lines={rows.length > 0 ? rows : [palette.dim('  Nothing matches.')]} />
			</Box>
		</Box>
	);
}

/** Choices that hold every word of the filter, those that begin with it first. */
export function filterChoices(choices: readonly Choice[], filter: string): readonly Choice[] {
	const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
	const [first = ''] = words;
	const matching = choices.filter(({label, detail = ''}) => {
		const text = `${label} ${detail}`.toLowerCase();
		return words.every(word => text.includes(word));
	});
	const begins = ({label}: Choice) => (label.toLowerCase().startsWith(first) ? 0 : 1);
	return first ? matching.toSorted((a, b) => begins(a) - begins(b)) : matching;
}
