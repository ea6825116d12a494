import {appendFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {faults} from './faults.ts';

/** What `npm run faults` sets: the file for figures, and what is left out. */
const {
	FAULTS_OUT: out,
	FAULTS_ONLY: only = '',
	FAULTS_SEED: givenSeed,
	FAULTS_AMOUNT: givenAmount,
	FAULTS_PART: part = '1',
} = process.env;

/** `npm test` holds what is known; `npm run faults` draws others each time. */
const testSeed = 26;

const chosen = faults.filter(({name}) => name.includes(only));

test.each(chosen.map(fault => [fault.rules.map(rule => `[${rule}]`).join(' '), fault.name, fault] as const))(
	'%s %s',
	async (_, name, {amounts, lacks, run, rules}) => {
		const drawn = out ? Math.floor(Math.random() * 2 ** 31) : testSeed;
		const seed = givenSeed === undefined ? drawn : Number(givenSeed);
		const most = out ? Math.max(amounts.test, Math.ceil(amounts.full / Number(part))) : amounts.test;
		const amount = givenAmount === undefined ? most : Number(givenAmount);
		const missing = lacks?.();
		const begun = process.cpuUsage();
		const figure = missing === undefined ? await run({seed, amount}) : {tried: 0, failed: 0};
		const {user, system} = process.cpuUsage(begun);
		if (out) {
			appendFileSync(out, `${JSON.stringify({name, rules, ...figure, seed, missing, cpu: (user + system) / 1e6})}\n`);
		}

		const again = `npm run faults -- --only ${JSON.stringify(name)} --seed ${seed} --amount ${amount}`;
		expect(figure.failed, `${figure.firstFailure}\nThe same once more: ${again}`).toBe(0);
		expect(figure.tried > 0 || missing !== undefined, 'Nothing was tried.').toBe(true);
	},
	// Whoever injects a fault twenty thousand times waits for it.
	out ? 0 : undefined,
);
