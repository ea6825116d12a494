import type {TodoItem} from '../../core/session/todo.ts';
import type {AppState} from '../../store/store.ts';

/** The number of rows for each part of the live region. Their sum is always less than the height of the window. */
export type Layout = {
	readonly live: number;
	readonly panel: number;
	readonly queue: number;
	/** The open sessions beside the one that is shown. */
	readonly strip: number;
	readonly composer: number;
	readonly completion: number;
	/** The agent's list of steps: all of it, or one row that sums it up. */
	readonly todo: number;
	/** The log panel with its title. */
	readonly logPanel: number;
	/** The line above the composer; 0 in a very low window. */
	readonly rule: number;
	/** The blank line above the live region. */
	readonly gap: number;
	/** The line above a panel that has no title; 0 in a low window. */
	readonly frame: number;
	readonly status: number;
};

type Wanted = {
	readonly rows: number;
	readonly live: number;
	readonly panel: number;
	readonly queue: number;
	readonly composer: number;
	readonly completion: number;
	readonly logPanel?: number;
	readonly todo?: number;
	readonly strip?: number;
	/** True while something waits for the user: a very low window shows nothing else. */
	readonly isAsking?: boolean;
	/** True if a line separates the panel from what is above it. */
	readonly isFramed?: boolean;
};

const maxLive = 12;
const minLive = 4;
const maxComposer = 10;
const maxCompletion = 8;
/** What the suggestions leave of a high window. */
const rowsBesideCompletion = 12;
const maxQueue = 3;
/** In a lower window a question has the rows of the status, of the answer and of the log panel. */
const crampedRows = 10;
const maxTodo = 6;
const minRowsForStrip = 8;
/** In a lower window, the list of steps is one row. */
const minRowsForTodo = 20;

/**
 * Distributes the rows of the window, except one for the scrollback. The composer and the status come first, then the
 * panel, then the answer.
 */
export function layOut(wanted: Wanted): Layout {
	const {
		rows,
		live,
		panel,
		queue,
		composer,
		completion,
		logPanel = 0,
		todo = 0,
		strip = 0,
		isAsking = false,
		isFramed = false,
	} = wanted;
	let left = rows - 1;
	const reserve = (wanted: number, max: number) => {
		const reserved = Math.max(0, Math.min(wanted, max, left));
		left -= reserved;
		return reserved;
	};

	const isCramped = isAsking && rows < crampedRows;
	const status = reserve(isCramped ? 0 : 1, 1);
	const caret = reserve(1, 1);
	const rule = reserve(rows >= 8 ? 1 : 0, 1);
	const gap = reserve(rows >= 14 ? 1 : 0, 1);
	const frame = reserve(isFramed && rows >= 14 ? 1 : 0, 1);
	// The title of the log panel is visible but in a very low window. Its lines come after the panel.
	const logPanelTitle = reserve(isCramped ? 0 : logPanel, 1);
	const panelRows = reserve(panel, Math.max(1, isCramped ? left : left - 1));
	const answer = reserve(live, 1);
	const more = reserve(composer - 1, maxComposer - 1);
	const completionRows = reserve(completion, Math.max(maxCompletion, rows - rowsBesideCompletion));
	const queueRows = reserve(queue, maxQueue);
	const stripRows = reserve(rows < minRowsForStrip ? 0 : strip, 1);
	const todoRows = reserve(todoRoom({todo: Math.min(todo, maxTodo), rows, panel, left}), maxTodo);
	const logPanelLines = reserve(logPanel - logPanelTitle, Math.max(0, Math.floor(rows / 2) - logPanelTitle));
	return {
		status,
		rule,
		gap,
		frame,
		panel: panelRows,
		composer: caret + more,
		completion: completionRows,
		queue: queueRows,
		strip: stripRows,
		todo: todoRows,
		logPanel: logPanelTitle + logPanelLines,
		live: answer + reserve(live - answer, maxLive - answer),
	};
}

/** Returns the rows of each part below so many live lines. */
export function layOutBelow(wanted: Omit<Wanted, 'live'>, live: number): Omit<Layout, 'live'> {
	const {live: _, ...below} = layOut({...wanted, live});
	return below;
}

/** Returns the rows for the list of steps: all, one that sums it up, or none in a very low window. */
function todoRoom({
	todo,
	rows,
	panel,
	left,
}: {readonly todo: number; readonly left: number} & Pick<Wanted, 'rows' | 'panel'>) {
	const isLow = rows < minRowsForTodo || panel > 0 || todo > left - minLive;
	return left <= minLive ? 0 : isLow ? Math.min(todo, 1) : todo;
}

/** Returns the most live lines in a window of that height. */
export function liveLimit(rows: number): number {
	return Math.max(minLive, Math.min(maxLive, rows - 6));
}

/** Returns the rows of the log panel: none without a log, one for its title while it is collapsed. */
export function logPanelHeight({logs, logPanel}: Pick<AppState, 'logs' | 'logPanel'>): number {
	return logs.length === 0 ? 0 : logPanel.isShown ? logPanel.rows : 1;
}

/** Returns the rows of the list of steps in a window with enough room. */
export function todoHeight({length}: readonly TodoItem[]): number {
	return Math.min(length, maxTodo);
}

/** Returns the rows above the usual live region. More lines than these would be in the scrollback twice. */
export function rowsAbove(state: AppState, live: number): number {
	const {rows} = state.size;
	const queue = state.queue.length + state.sending.length;
	const todo = todoHeight(state.transcript.todo);
	const strip = state.background.length + state.others.length;
	const layout = layOut({
		rows,
		live,
		panel: 0,
		queue,
		todo,
		strip,
		composer: 1,
		completion: 0,
		logPanel: logPanelHeight(state),
	});
	return rows - Object.values(layout).reduce((sum, height) => sum + height, 0);
}
