import {isWaitingForUser} from '../../core/session/block.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import {stillStepMs} from '../../terminal/motion.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Draws what moves. */
	readonly draw: () => void;
	/** The time between two drawings; that of a sign of the spinner by default. Longer with reduced motion. */
	readonly intervalMs?: number;
};

/** How often a running call is drawn, for its sign and its time. */
const movingMs = 200;

/** Draws regularly while something on the screen moves, and not at all otherwise. Returns a function that stops it. */
export function followMoving({store, draw, intervalMs = movingMs}: Dependencies): () => void {
	let timer: NodeJS.Timeout | undefined;

	const update = (state: AppState) => {
		if (isMoving(state)) {
			timer ??= setInterval(draw, state.isStill ? stillStepMs : intervalMs);
		} else {
			clearInterval(timer);
			timer = undefined;
		}
	};

	const unsubscribe = store.subscribe(update);
	return () => {
		unsubscribe();
		clearInterval(timer);
	};
}

/** Returns true while a call is written or runs. One that waits for an answer of the user stands still. */
function isMoving({transcript: {open}, drafts}: AppState): boolean {
	return (
		drafts.length > 0 ||
		open.some(
			block =>
				(block.kind === 'tool' && block.status === 'running' && !isWaitingForUser(block)) ||
				(block.kind === 'command' && block.status === 'running'),
		)
	);
}
