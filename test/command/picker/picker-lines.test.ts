import {expect, test} from 'vitest';
import {createLineChoose} from '../../../src/command/picker/picker-lines.ts';
import type {Choice} from '../../../src/core/question.ts';

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
		...['These need an API key', '1. b/model-31', 'Number, 1, or name, or a part of a name:'],
	]);
});

test('a name that is not listed selects, and an empty line cancels', async () => {
	expect(await picker('b/model-59').choose({title: 'Select', choices: models})).toBe('b/model-59');
	expect(await picker('').choose({title: 'Select', choices: models})).toBeUndefined();
});

test('a short list is printed whole, and other text is asked about again instead of cancelling', async () => {
	const {choose, printed} = picker('gamma', '4', 'A/BETA');
	expect(await choose({title: 'Select', choices: models.slice(1, 4)})).toBe('a/beta');
	expect(printed.filter(line => /^\d/.test(line))).toHaveLength(3);
	expect(printed.filter(line => line.includes("isn't one of them"))).toEqual([
		"“gamma” isn't one of them. Press Enter to cancel.",
		"“4” isn't one of them. Press Enter to cancel.",
	]);
	expect(await picker('gamma', '').choose({title: 'Select', choices: models.slice(1, 4)})).toBeUndefined();
});

test('an empty line cancels even if a choice stands for nothing, such as the default of a setting', async () => {
	const choices = [
		{id: 'auto', label: 'auto'},
		{id: '', label: 'default'},
	];
	const {choose, printed} = picker('', '2');
	expect(await choose({title: 'Theme', choices, current: 'auto'})).toBeUndefined();
	expect(printed.slice(0, 3)).toEqual(['Theme', '1. auto, now', '2. default']);
	expect(await choose({title: 'Theme', choices})).toBe('');
});

test('of a list that opens at a choice only that one is printed: the others were printed before', async () => {
	const {choose, printed} = picker('2', '');
	const choices = models.slice(0, 3);
	expect(await choose({title: 'Settings', choices, opensAt: 'a/beta'})).toBe('a/beta');
	expect(printed).toEqual(['Settings', '2. a/beta', 'Number, 1 to 3, or name:']);
	await choose({title: 'Settings', choices: models, opensAt: 'b/model-31'});
	expect(printed.slice(3)).toEqual(['Settings', 'Number, 1 to 2, or name, or a part of a name:']);
});
