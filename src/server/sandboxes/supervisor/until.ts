import {setTimeout as sleep} from 'node:timers/promises';

/** Resolves when `isTrue` returns true or the timeout has passed. */
export async function until(isTrue: () => Promise<boolean>, timeoutMs: number): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	for (let delayMs = 5; !(await isTrue()) && Date.now() < deadline; delayMs = Math.min(delayMs * 1.5, 40)) {
		await sleep(delayMs);
	}
}
