import type {IntendedCall} from '../intent.ts';
import {continueWith, finish, resultsOf, stopAt, type Work} from './steps.ts';

const modulePath = 'service-demo/average.mjs';
const testPath = 'service-demo/average.test.mjs';

const moduleText = `/** Returns the average of the numbers, and 0 if there are none. */
export function average(numbers) {
	let sum = 0;
	for (let index = 1; index < numbers.length; index += 1) {
		sum += numbers[index];
	}
	return numbers.length === 0 ? 0 : sum / numbers.length;
}
`;

const testText = `import assert from 'node:assert/strict';
import {test} from 'node:test';
import {average} from './average.mjs';

test('the average of no numbers is 0', () => assert.equal(average([]), 0));

test('every number counts', () => assert.equal(average([6, 2, 4]), 4));
`;

const files = [
	{path: modulePath, content: moduleText},
	{path: testPath, content: testText},
] as const;

const wrong = 'let index = 1;';
const right = 'let index = 0;';

const runTests: IntendedCall = {
	name: 'run_command',
	arguments: {command: `node --test ${testPath}`, description: 'Run the tests of service-demo'},
};

/**
 * Fixes the failing test of a small project that the model brings along: looks whether it is there and writes what is
 * missing, runs its tests, fixes the bug, and runs them again.
 */
export const fixFailingTest: Work = (prompt, results) => {
	if (!/\bfix\b[^.?!\n]{0,40}\b(?:failing|broken|red)?[^.?!\n]{0,20}\btests?\b/i.test(prompt)) {
		return undefined;
	}

	const [lists, reads, writes] = (['list_files', 'read_file', 'write_file'] as const).map(name =>
		resultsOf(results, name),
	) as [typeof results, typeof results, typeof results];
	const [edits, runs] = [resultsOf(results, 'edit_file'), resultsOf(results, 'run_command')];
	const refused = [...writes, ...edits].find(({output}) => !/^(?:Created|Changed) /.test(output));
	if (refused) {
		return stopAt(refused, 'the file wasn’t written');
	}

	const last = runs.at(-1);
	if (last && !/\bpass \d+/.test(last.output)) {
		return stopAt(last, 'the tests didn’t run');
	}

	if (last && /\bfail 0\b/.test(last.output)) {
		return finish(edits.length > 0 ? fixedText : nothingToFix);
	}

	const [listed] = lists;
	if (!listed) {
		return continueWith('I know one bug, in a small project of my own. Let me see whether it is here.', {
			name: 'list_files',
			arguments: {pattern: 'service-demo/*'},
		});
	}

	const known = listed.output.split('\n');
	const [here, missing] = [true, false].map(isHere => files.filter(({path}) => known.includes(path) === isHere));
	if (missing && missing.length > writes.length) {
		return continueWith('Let me write what is missing to `service-demo`.', ...missing.map(writeOf));
	}

	if (here && here.length > reads.length) {
		return continueWith('Let me read it.', ...here.map(({path}) => readOf(path)));
	}

	if (runs.length === edits.length) {
		return continueWith(
			edits.length === 0 ? 'Now let me run its tests.' : 'Fixed. Let me run the tests again.',
			runTests,
		);
	}

	if (edits.length > 0) {
		return stopAt(undefined, 'the tests still fail, and I know only this one bug');
	}

	return continueWith('A test fails: the loop skips the first number, because it starts at 1.', {
		name: 'edit_file',
		arguments: {path: modulePath, edits: [{old_text: wrong, new_text: right}]},
	});
};

function readOf(path: string): IntendedCall {
	return {name: 'read_file', arguments: {path}};
}

function writeOf({path, content}: {readonly path: string; readonly content: string}): IntendedCall {
	return {name: 'write_file', arguments: {path, content}};
}

const fixedText = `All tests pass now. The loop in \`${modulePath}\` started at the second number.

- \`/diff\` shows what I changed, \`/undo\` undoes the last turn.
- \`/rewind\` goes back to an earlier message.`;

const nothingToFix =
	'All tests pass, so there is nothing to fix. Delete the folder `service-demo` to see it from the start.';
