import {readLogOf, sandboxIn} from './sandbox-work.ts';
import {continueWith, finish, resultsOf, stopAt, type Work} from './steps.ts';

/** The faults of the module, as it is written, and what belongs there. */
const repairs = [
	['let index = 1;', 'let index = 0;'],
	['return sum - sum * discount;', 'return Math.round(sum * (1 - discount / 100));'],
	[
		'\tlines.push({...line, quantity: 1});\n\treturn lines;',
		[
			'\tconst known = lines.find(({product}) => product === line.product);',
			'\treturn known',
			'\t\t? lines.map(each => (each === known ? {...known, quantity: known.quantity + 1} : each))',
			'\t\t: [...lines, {...line, quantity: 1}];',
		].join('\n'),
	],
] as const;

/** Repairs the module of the task `broken-cart`: reads it and its log, sends a repaired one, and runs its tests. */
export const repairCart: Work = (prompt, results) => {
	const [, bench] = /\bPUT (https?:\/\/\S+?\/)files\/cart\.mjs\b/.exec(prompt) ?? [];
	if (!bench) {
		return undefined;
	}

	const file = `${bench}files/cart.mjs`;
	const fetched = resultsOf(results, 'fetch_url');
	const [module, tests, sent, run] = fetched;
	if (!module || !tests) {
		return continueWith(
			'Let me read the log, the module and its tests.',
			...readLogOf(sandboxIn(prompt)),
			{name: 'fetch_url', arguments: {url: file}},
			{name: 'fetch_url', arguments: {url: `${bench}files/cart.test.mjs`}},
		);
	}

	if (!sent) {
		const source = /\/\*\* The price of a cart[\s\S]*\n\}\n?/.exec(module.output)?.[0];
		return source === undefined
			? stopAt(module, 'I couldn’t read the module')
			: continueWith(
					'There are four bugs: the first line is skipped, the discount isn’t a percentage, and `add` changes its argument and repeats lines. Sending a fixed module.',
					{
						name: 'fetch_url',
						arguments: {url: file, method: 'PUT', headers: {'content-type': 'text/javascript'}, body: repaired(source)},
					},
				);
	}

	if (!run) {
		return /"bytes":/.test(sent.output)
			? continueWith('Now let me run its tests.', {name: 'fetch_url', arguments: {url: `${bench}test`, method: 'POST'}})
			: stopAt(sent, 'the module wasn’t sent');
	}

	return /"passed":\s*true/.test(run.output)
		? finish('The task is done: all five tests of `cart.mjs` pass.')
		: stopAt(run, 'the tests don’t pass');
};

function repaired(source: string): string {
	return repairs.reduce((text, [wrong, right]) => text.replace(wrong, () => right), source);
}
