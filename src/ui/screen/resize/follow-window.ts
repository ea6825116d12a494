import type {Screen} from '../screen.ts';

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

/** Longer than a multiplexer takes to tell of a resize. */
const expectedMs = 300;

/** Draws everything soon, if a resize hasn't done that until then: the window has, or had, a size that nobody told. */
export function expectResize({
	stdout,
	screen,
}: {
	readonly stdout: NodeJS.EventEmitter;
	readonly screen: Pick<Screen, 'isHeld'>;
}) {
	setTimeout(() => screen.isHeld() && stdout.emit('resize'), expectedMs).unref();
}

type Sizes = {
	readonly screen: {readonly size: () => {readonly columns: number}; readonly isTooSmall: () => boolean};
	/** Returns true if the terminal wraps rows that are wider than a narrower window. */
	readonly reflows: () => boolean;
};

/** Keeps the narrowest width since everything was drawn. */
export function createNarrowest({screen, reflows}: Sizes) {
	let columns = Number.POSITIVE_INFINITY;
	return {
		note() {
			columns = Math.min(columns, screen.isTooSmall() ? 0 : screen.size().columns);
		},
		forget() {
			columns = Number.POSITIVE_INFINITY;
		},
		/** Returns the width that rows were cut to; undefined in a terminal that wraps them. */
		cutAt: () => (reflows() ? undefined : columns),
	};
}
