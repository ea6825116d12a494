import {formatClock, formatDuration} from '../../../core/format.ts';

type Watch = {
	/** Shows a step in place of the previous one; '' removes it. */
	readonly show: (step: string) => void;
	/** True if shown lines stay: each step is then shown once, without a timer. */
	readonly isStill: boolean;
	/** The clock in milliseconds since the epoch. */
	readonly now?: () => number;
};

/** A shorter wait isn't a step. */
const silentWaitMs = 300;
const updateIntervalMs = 500;

/**
 * Sends a request that may take long, and shows its steps: asked, and after 300 ms waiting, with a timer. Returns the answer
 * with the time of the request and its duration in milliseconds. Throws what `ask` throws.
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
			timer = setTimeout(wait, updateIntervalMs);
		}
	};

	if (!isStill) {
		show(`${what}: asked`);
	}

	timer = setTimeout(wait, silentWaitMs);
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
	/** The state in the server's answer. */
	readonly status: string | undefined;
};

/** Returns the finished steps as one line, in local time. */
export function stepsLine({server, askedAt, took, status}: Steps): string {
	const waited = took >= silentWaitMs ? [`waited ${formatDuration(took)}`] : [];
	const answered = formatClock(askedAt + took);
	// The server doesn't say since when it runs: it may have run before.
	const end = status === 'running' ? `running as of ${answered}` : `${status ?? 'answered'} at ${answered}`;
	return [`Asked ${server} at ${formatClock(askedAt)}`, ...waited, end].join(' · ');
}
