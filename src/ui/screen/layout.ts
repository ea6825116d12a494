import type {AppState} from '../../store/store.ts';

/** How many lines each part of the live region gets. Their sum is below the height of the window, always. */
export type Layout = {
	readonly live: number;
	readonly panel: number;
	readonly queue: number;
	readonly composer: number;
	readonly completion: number;
	/** The dock of logs with its title. */
	readonly dock: number;
	/** The rule above the composer, 0 in a very low window. */
	readonly rule: number;
	/** A blank line that parts the live region from what is written above it. */
	readonly gap: number;
	readonly status: number;
};

type Wanted = {
	readonly rows: number;
	readonly live: number;
	readonly panel: number;
	readonly queue: number;
	readonly composer: number;
	readonly completion: number;
	readonly dock?: number;
};

const mostLive = 12;
const leastLive = 4;
const mostComposer = 10;
const mostCompletion = 8;
const mostQueue = 3;

/**
 * Shares the rows of the window out. One row is left to what is written above. The composer and the status come first, then what is asked for, then the answer.
 */
export function layOut({rows, live, panel, queue, composer, completion, dock = 0}: Wanted): Layout {
	let left = rows - 1;
	const take = (wanted: number, most: number) => {
		const taken = Math.max(0, Math.min(wanted, most, left));
		left -= taken;
		return taken;
	};

	const status = take(1, 1);
	const caret = take(1, 1);
	const rule = take(rows >= 8 ? 1 : 0, 1);
	const gap = take(rows >= 14 ? 1 : 0, 1);
	// How a log is doing stands on the screen as long as it is followed; its lines come after what is asked for.
	const dockTitle = take(dock, 1);
	const panelRows = take(panel, Math.max(1, left - 1));
	const answer = take(live, 1);
	const more = take(composer - 1, mostComposer - 1);
	const completionRows = take(completion, mostCompletion);
	const queueRows = take(queue, mostQueue);
	const dockLines = take(dock - dockTitle, Math.max(0, Math.floor(rows / 2) - dockTitle));
	return {
		status,
		rule,
		gap,
		panel: panelRows,
		composer: caret + more,
		completion: completionRows,
		queue: queueRows,
		dock: dockTitle + dockLines,
		live: answer + take(live - answer, mostLive - answer),
	};
}

/** Most lines of an open block that are drawn in a window of that height. */
export function liveLimit(rows: number): number {
	return Math.max(leastLive, Math.min(mostLive, rows - 6));
}

/** Rows that the dock of logs wants: none without a log, its title alone while it is hidden. */
export function dockHeight({logs, logDock}: Pick<AppState, 'logs' | 'logDock'>): number {
	return logs.length === 0 ? 0 : logDock.isShown ? logDock.rows : 1;
}

/** Rows above the live region as it is most of the time: more than fits would stand twice in the scrollback. */
export function rowsAbove(state: Pick<AppState, 'logs' | 'logDock' | 'size' | 'queue'>, live: number): number {
	const {rows} = state.size;
	const queue = state.queue.length;
	const layout = layOut({rows, live, panel: 0, queue, composer: 1, completion: 0, dock: dockHeight(state)});
	return rows - Object.values(layout).reduce((sum, height) => sum + height, 0);
}
