type Dependencies = {
	readonly stdout: Pick<NodeJS.WriteStream, 'on' | 'off'>;
	/** Keeps everything from being drawn at a size that may have passed. */
	readonly hold: () => void;
	/** Draws at the size that the window has now. */
	readonly fitWindow: () => void;
};

/** How long the edge of a window may be dragged before everything is drawn for it, in milliseconds. */
const resizePause = 60;

/**
 * Fits the drawing to the window when its edge comes to rest, also where that is where it was: of a window that was lower
 * for a moment the terminal has dropped what is below the cursor. Gives how to stop that.
 */
export function followWindow({stdout, hold, fitWindow}: Dependencies): () => void {
	let paused: NodeJS.Timeout | undefined;

	const onResize = () => {
		hold();
		clearTimeout(paused);
		paused = setTimeout(fitWindow, resizePause);
	};

	stdout.on('resize', onResize);
	return () => {
		clearTimeout(paused);
		stdout.off('resize', onResize);
	};
}
