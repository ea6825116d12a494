import {statSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect} from 'vitest';

/** Expects that nobody touches the file any more. */
export async function expectStill(file: string): Promise<void> {
	const touchedAt = () => statSync(file).mtimeMs;
	await expect
		.poll(async () => {
			const before = touchedAt();
			// Three rounds of the loop.
			for (let round = 0; round < 4; round++) {
				await sleep(50);
			}

			return touchedAt() === before;
		})
		.toBe(true);
}
