import type {Cell} from './cell.ts';
import {calmMs, everything, ownRow} from './storms.ts';

/** Returns numbers between 0 and 1 that look random and are the same for the same seed. */
export function randomOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}

/**
 * Streams 60 lines, one in 120 ms, through 28 sizes, each for 60 to 440 ms. Returns the lines that are nowhere in the end,
 * those that are there twice, and rows above that belong below the conversation.
 */
export async function faultsOfLateStorm({app, terminal, time, columns, rows}: Cell, random: () => number) {
	const between = (least: number, most: number) => Math.round(least + random() * (most - least));
	await app.type('go\r');
	await app.waitFor(() => app.store.getState().transcript.run !== undefined);
	let [sizes, lines, resizeAt] = [0, 0, 300];
	for (let now = 0; lines < 60; now += 20) {
		if (now >= lines * 120) {
			lines++;
			app.say(`Late ${lines}. ${'and so on '.repeat(lines % 5)}End.\n\n`);
		}

		if (now >= resizeAt && sizes < 28) {
			sizes++;
			resizeAt = now + between(60, 440);
			await (sizes === 28 ? terminal.resize(columns, rows) : terminal.resize(between(24, 134), between(8, 44)));
		}

		await time.pass(20);
	}

	app.finish();
	await time.pass(calmMs * 3);
	const {above, text} = everything(terminal);
	const numbers = Array.from({length: 60}, (_, index) => index + 1);
	const count = (line: number) => text.split(`Late ${line}. `).length - 1;
	return {
		lost: numbers.filter(line => count(line) === 0),
		doubled: numbers.filter(line => count(line) > 1),
		left: above.filter(row => ownRow.test(row.trimEnd())),
	};
}
