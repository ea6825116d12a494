import {createRandom, createTally, type Fault} from './fault.ts';
import {journeys} from './secret-journeys.ts';

const rows = Object.entries(journeys);

/** A real journey of a user with secrets of every kind, then a search through all that it left. */
const canaries: Fault = {
	name: 'credentials of every kind on real journeys, repeated by whoever gets them: none is anywhere but in its store and its own requests',
	rules: [6, 8, 11, 15],
	amounts: {test: rows.length, full: 12 * rows.length},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		for (let turn = 0; turn < amount; turn += 1) {
			const [name, journey] = rows[turn % rows.length] ?? random.pick(rows);
			const {tried, leaks} = await journey(random);
			tally.add(
				tried,
				leaks.map(leak => `${name}: ${leak}`),
			);
		}

		return tally.figure();
	},
};

export const secrets: readonly Fault[] = [canaries];
