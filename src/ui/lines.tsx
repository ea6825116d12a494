import {memo} from 'react';
import {Box, Text} from './ink.ts';

type Props = {
	/** Finished ANSI lines, each at most as wide as the window. */
	readonly lines: readonly string[];
};

/** Wider than any window: Ink counts cells differently and would cut lines that fill it. */
const maxColumns = 4096;

/** Draws lines as they are. Every part of the screen that has more than one line is drawn here. */
export const Lines = memo(function Lines({lines}: Props) {
	return (
		<Box flexDirection="column" width={maxColumns} flexShrink={0}>
			{lines.map((line, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a line is its place on the screen.
				<Text key={index} wrap="truncate">
					{line || ' '}
				</Text>
			))}
		</Box>
	);
});
