import {render} from 'ink';
import type {ReactNode} from 'react';

/** Everything that the screen uses from Ink, so that its next major version changes one file. */
export {Box, Text} from 'ink';
export {default as TextInput} from 'ink-text-input';

type Streams = {
	/** Gets each frame as one write, rows with LF between them: no cursor movement and nothing erased. */
	readonly stdout: NodeJS.WriteStream;
	/** Called after each layout with the milliseconds that it took. */
	readonly onRender?: ((metrics: {readonly renderTime: number}) => void) | undefined;
};

/**
 * Lays out and draws a tree with Ink. In its debug mode every frame is complete; the screen compares the rows. No component
 * reads keys, so that Ink leaves the terminal's input alone.
 */
export function mount(node: ReactNode, {stdout, onRender}: Streams): {readonly unmount: () => void} {
	return render(node, {
		stdout,
		debug: true,
		exitOnCtrlC: false,
		patchConsole: false,
		...(onRender && {onRender}),
	});
}
