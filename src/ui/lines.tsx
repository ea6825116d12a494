import {memo} from 'react';
import {Box, Text} from './ink.ts';

type Props = {
	/** Finished ANSI lines, each at most as wide as the window. */
	readonly lines: readonly string[];
};

/** Ink counts cells by a table of its own and would cut what is as wide as the window by ours. */
const enough = 4096;

/** Draws lines as they are: every other part of the screen that is more than one line goes through here. */
export const Lines = memo(function Lines({lines}: Props) {
	return (
		<Box flexDirection="column" width={enough} flexShrink={0}>
			{lines.map((line, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a line is its place on the screen.
				<Text key={index} wrap="truncate">
					{line || ' '}
				</Text>
			))}
		</Box>
	);
});
