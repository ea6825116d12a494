import {setTimeout as sleep} from 'node:timers/promises';

/** Resolves when `isTrue` returns true or the timeout has passed. */
export async function until(isTrue: () => Promise<boolean>, time: number): Promise<void> {
	const deadline = Date.now() + time;
	for (let wait = 5; !(await isTrue()) && Date.now() < deadline; wait = Math.min(wait * 1.5, 40)) {
		await sleep(wait);
	}
}
