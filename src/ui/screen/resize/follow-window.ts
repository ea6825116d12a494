import type {Size} from '../../../store/view-slice.ts';
import type {Screen} from '../screen.ts';

type Dependencies = {
	readonly stdout: Pick<NodeJS.WriteStream, 'on' | 'off'>;
	/** Stops drawing: the size may be out of date. */
	readonly pause: () => void;
	/** Draws the frame for the current size of the window, which may change again. */
	readonly resized: () => void;
	/** Draws everything for the size that stayed. */
	readonly settled: () => void;
	/** Does so at once. */
	readonly finish: () => void;
};

/** Time without another resize before the frame is drawn. */
const resizePauseMs = 60;
/** Time without another resize before lines are printed: longer than steps of a user who drags the window. */
const calmMs = 250;

/**
 * Draws for the new size once resizing pauses, even if the size is the old one: while the window was lower, the terminal
 * dropped what was below the cursor. Returns a function that draws what is left, and stops it.
 */
export function followWindow({stdout, pause, resized, settled, finish}: Dependencies): () => void {
	let timers: readonly NodeJS.Timeout[] = [];

	const stop = () => {
		for (const timer of timers) {
			clearTimeout(timer);
		}
	};

	const onResize = () => {
		pause();
		stop();
		timers = [setTimeout(resized, resizePauseMs), setTimeout(settled, calmMs)];
	};

	stdout.on('resize', onResize);
	return () => {
		stop();
		stdout.off('resize', onResize);
		finish();
	};
}

/** Longer than a multiplexer takes to tell of a resize. */
const expectedMs = 300;

/**
 * Draws everything soon, if a resize hasn't done that until then: the window has, or had, a size that nobody told. Begins at
 * once if `told` is the size that the system tells, too.
 */
export function expectResize(
	{stdout, screen}: {readonly stdout: NodeJS.EventEmitter; readonly screen: Pick<Screen, 'isHeld' | 'size'>},
	told: Size,
) {
	const {columns, rows} = screen.size();
	const delayMs = told.columns === columns && told.rows === rows ? 0 : expectedMs;
	const cancel = () => clearTimeout(timer);
	const timer = setTimeout(() => {
		stdout.off('resize', cancel);
		if (screen.isHeld()) {
			stdout.emit('resize');
		}
	}, delayMs).unref();
	stdout.once('resize', cancel);
}
