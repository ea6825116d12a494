import {expect, test} from 'vitest';
import {createLineChoose} from '../../../src/command/picker/picker-lines.ts';
import type {Choice} from '../../../src/store/view-slice.ts';

/** A picker that is answered with these lines, and what it prints. */
function picker(...answers: readonly string[]) {
	const printed: string[] = [];
	const left = [...answers];
	const choose = createLineChoose({
		say: text => printed.push(text),
		async question(label) {
			printed.push(label);
			return left.shift();
		},
	});
	return {choose, printed};
}

const models: readonly Choice[] = [
	{id: 'a/alpha', label: 'a/alpha', group: 'Ready'},
	{id: 'a/beta', label: 'a/beta', group: 'Ready'},
	...Array.from({length: 60}, (_, index) => ({
		...{id: `b/model-${index}`, label: `b/model-${index}`, group: 'These need an API key'},
	})),
];

test('of a long list only the first group is printed, and a part of a name finds the others', async () => {
	const {choose, printed} = picker('model-31', '1');
	expect(await choose({title: 'Select a model', choices: models})).toBe('b/model-31');
	expect(printed).toEqual([
		...['Select a model', 'Ready', '1. a/alpha', '2. a/beta', '60 more are not listed: type a part of a name.'],
		...['Number, 1 to 2, or name, or a part of a name:', 'Select a model, model-31: 1 of 62'],
		...['These need an API key', '1. b/model-31', 'Number, 1 to 1, or name, or a part of a name:'],
	]);
});

test('a name that is not listed selects, and an empty line cancels', async () => {
	expect(await picker('b/model-59').choose({title: 'Select', choices: models})).toBe('b/model-59');
	expect(await picker('').choose({title: 'Select', choices: models})).toBeUndefined();
});

test('a short list is printed whole, and other text cancels', async () => {
	const {choose, printed} = picker('gamma');
	expect(await choose({title: 'Select', choices: models.slice(1, 4)})).toBeUndefined();
	expect(printed.filter(line => /^\d/.test(line))).toHaveLength(3);
});
