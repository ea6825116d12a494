import {memo} from 'react';
import {Box, Text} from './ink.ts';

type Props = {
	/** Finished ANSI lines, each at most as wide as the window. */
	readonly lines: readonly string[];
};

/** Wider than any window: Ink counts cells differently and would cut lines that fill it. */
const maxColumns = 4096;

/** Draws lines as they are, as one text. Every part of the screen that has more than one line is drawn here. */
export const Lines = memo(function Lines({lines}: Props) {
	return (
		<Box width={maxColumns} height={lines.length} flexShrink={0}>
			<Text wrap="truncate">{lines.join('\n')}</Text>
		</Box>
	);
});
