import {formatClock, formatDuration} from '../../../core/format.ts';

type Watch = {
	/** Where the steps go, one in the place of the other; '' when there is none any more. */
	readonly show: (step: string) => void;
	/** True where a line that was shown stays: then each step is told once, without counting. */
	readonly isStill: boolean;
	/** The clock in milliseconds since the epoch. */
	readonly now?: () => number;
};

/** How long a wait is no step of its own, and how often its time is updated; milliseconds. */
const patience = 300;
const tick = 500;

/**
 * Asks for something that may take long, and shows the steps as they happen: asked, then from 300 ms on waiting, with
 * the time. Returns the answer with when it was asked for and how long it took, in milliseconds. Throws what `ask` throws.
 */
export async function withSteps<Answer>(
	what: string,
	ask: () => Promise<Answer>,
	{show, isStill, now = Date.now}: Watch,
): Promise<{readonly answer: Answer; readonly askedAt: number; readonly took: number}> {
	const askedAt = now();
	let timer: NodeJS.Timeout | undefined;
	const wait = () => {
		show(`${what}: asked, waiting${isStill ? '' : ` ${formatDuration(now() - askedAt)}`}`);
		if (!isStill) {
			timer = setTimeout(wait, tick);
		}
	};

	if (!isStill) {
		show(`${what}: asked`);
	}

	timer = setTimeout(wait, patience);
	try {
		const answer = await ask();
		return {answer, askedAt, took: now() - askedAt};
	} finally {
		clearTimeout(timer);
		if (!isStill) {
			show('');
		}
	}
}

type Steps = {
	readonly server: string;
	readonly askedAt: number;
	readonly took: number;
	/** The state that the server answered with, in its own word. */
	readonly status: string | undefined;
};

/** The steps in one line, once they are over; the time of day is that of this machine. */
export function stepsLine({server, askedAt, took, status}: Steps): string {
	const waited = took >= patience ? [`waited ${formatDuration(took)}`] : [];
	const answered = formatClock(askedAt + took);
	// Since when it runs nobody says: it may have run before.
	const end = status === 'running' ? `running as of ${answered}` : `${status ?? 'answered'} at ${answered}`;
	return [`Asked ${server} at ${formatClock(askedAt)}`, ...waited, end].join(' · ');
}
