import {render} from 'ink-testing-library';
import {expect, onTestFinished, test} from 'vitest';
import {defaultCellWidths, readCellWidths, setCellWidths} from '../../src/terminal/text/cell-widths.ts';
import {Box, Text} from '../../src/ui/ink.ts';

/** Bars below both ends of a text, which show how many cells Ink counted. */
function framed(text: string): number | undefined {
	const {lastFrame, unmount} = render(
		<Box>
			<Text>{'\n│'}</Text>
			<Text>{text}</Text>
			<Text>{'\n│'}</Text>
		</Box>,
	);
	onTestFinished(unmount);
	return lastFrame()?.split('\n')[1]?.length;
}

test('component tests use the width module that ships', () => {
	onTestFinished(() => setCellWidths(defaultCellWidths));
	expect([framed('abc'), framed('\u{1f469}\u200d\u{1f469}\u200d\u{1f467}')]).toEqual([5, 4]);
	// A terminal that joins no emoji draws this family as its three people.
	setCellWidths(readCellWidths({family: 6}));
	expect([framed('abc'), framed('\u{1f469}\u200d\u{1f469}\u200d\u{1f466}')]).toEqual([5, 8]);
});
