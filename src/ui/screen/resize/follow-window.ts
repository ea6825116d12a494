type Dependencies = {
	readonly stdout: Pick<NodeJS.WriteStream, 'on' | 'off'>;
	/** Stops drawing: the size may be out of date. */
	readonly pause: () => void;
	/** Draws for the current size of the window. */
	readonly resized: () => void;
};

/** Time without another resize before everything is drawn. */
const resizePauseMs = 60;

/**
 * Draws for the new size once resizing pauses, even if the size is the old one: while the window was lower, the terminal
 * dropped what was below the cursor. Returns a function that stops it.
 */
export function followWindow({stdout, pause, resized}: Dependencies): () => void {
	let paused: NodeJS.Timeout | undefined;

	const onResize = () => {
		pause();
		clearTimeout(paused);
		paused = setTimeout(resized, resizePauseMs);
	};

	stdout.on('resize', onResize);
	return () => {
		clearTimeout(paused);
		stdout.off('resize', onResize);
	};
}
