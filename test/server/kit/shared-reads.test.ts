import {expect, test} from 'vitest';
import {createSharedReads} from '../../../src/server/kit/shared-reads.ts';
import {createRandom, drawnSeed} from '../../faults/fault.ts';

/** Reads that each end when they are told to, and say when they began. */
function manualReads() {
	const begun: Array<{readonly end: () => void; readonly fail: () => void}> = [];
	const read = () =>
		new Promise<number>((resolve, reject) => {
			const number = begun.length;
			begun.push({end: () => resolve(number), fail: () => reject(new Error(`read ${number}`))});
		});
	return {begun, read};
}

test('a read in progress serves who joins it, and another key has its own', async () => {
	const {join} = createSharedReads<number>();
	const {begun, read} = manualReads();
	const answers = [join('a', read), join('a', read), join('b', read)];
	for (const {end} of begun) {
		end();
	}

	expect(await Promise.all(answers)).toEqual([0, 0, 1]);
	expect(begun.length).toBe(2);
});

test(`whatever the order, an answer of joinNext was read after the question, by at most two reads at a time (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	for (let round = 0; round < 50; round += 1) {
		const {joinNext} = createSharedReads<number>();
		const {begun, read} = manualReads();
		const answers: Array<Promise<{readonly before: number; readonly number: number | undefined}>> = [];
		let ended = 0;
		for (let step = 0; step < 40; step += 1) {
			if (random.below(3) > 0 || ended === begun.length) {
				const before = begun.length;
				const answer = joinNext('a', read);
				answers.push(
					answer.then(
						number => ({before, number}),
						() => ({before, number: undefined}),
					),
				);
			} else {
				begun[ended]?.[random.below(4) === 0 ? 'fail' : 'end']();
				ended += 1;
				await new Promise(setImmediate);
			}

			expect(begun.length - ended).toBeLessThanOrEqual(1);
		}

		for (; ended < begun.length; ended += 1) {
			begun[ended]?.end();
			await new Promise(setImmediate);
		}

		for (const {before, number} of await Promise.all(answers)) {
			expect(number ?? before).toBeGreaterThanOrEqual(before);
		}
	}
});

test('kept results are read once, and a failed one again', async () => {
	const {keep} = createSharedReads<number>();
	const {begun, read} = manualReads();
	const failed = keep('a', read);
	begun[0]?.fail();
	await expect(failed).rejects.toThrow('read 0');
	const second = keep('a', read);
	begun[1]?.end();
	expect([await second, await keep('a', read)]).toEqual([1, 1]);
});
