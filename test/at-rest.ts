import {expect} from 'vitest';

/** How many looks in a row must find the same. */
const sameLooks = 10;

/** Returns what `look` finds once it stays the same: of what has stopped, the last of it may still be on its way. */
export async function atRest<T extends string | number>(look: () => T | Promise<T>): Promise<T> {
	let last = await look();
	let looks = 1;
	await expect
		.poll(
			async () => {
				const found = await look();
				looks = found === last ? looks + 1 : 1;
				last = found;
				return looks;
			},
			{interval: 25},
		)
		.toBe(sameLooks);
	return last;
}
