import type {AppStore} from '../store/store.ts';
import type {Screen} from './screen.ts';

type Dependencies = {
	readonly stdout: Pick<NodeJS.WriteStream, 'on' | 'off'>;
	readonly store: AppStore;
	readonly screen: Screen;
	/** Draws everything anew on a wiped screen; `dropped` is how many rows below the cursor the terminal may have dropped. */
	readonly redraw: (dropped: number) => void;
};

/** How long the edge of a window may be dragged before everything is drawn anew, in milliseconds. */
const resizePause = 60;

/** The status, and the row where the cursor would stand without a prompt. */
const rowsBelowCaret = 2;

/** Fits the drawing to the window when its edge comes to rest. Gives how to stop that. */
export function followWindow({stdout, store, screen, redraw}: Dependencies): () => void {
	let paused: NodeJS.Timeout | undefined;

	const fit = () => {
		const {columns, rows} = store.getState().size;
		const size = screen.size();
		// Text that was as wide as the window is wrapped by the terminal now, and of a window made lower some terminals
		// drop what is below the cursor: only a new drawing puts that right.
		const isLower = size.rows < rows;
		if (size.columns < columns || isLower) {
			redraw(isLower ? rowsBelowCaret : 0);
		} else {
			store.getState().setSize(size);
			screen.emitResize();
		}
	};

	const onResize = () => {
		clearTimeout(paused);
		paused = setTimeout(fit, resizePause);
	};

	stdout.on('resize', onResize);
	return () => {
		clearTimeout(paused);
		stdout.off('resize', onResize);
	};
}
