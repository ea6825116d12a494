import {expect, test} from 'vitest';
import {askInLines} from '../../../src/ui/panels/line-questions.ts';

const settled = 10_000;

/** A terminal with these lines; each is typed after the question has settled. */
function terminal(...lines: readonly (string | undefined)[]) {
	const said: string[] = [];
	const left = [...lines];
	return {
		said,
		say: (text: string) => void said.push(text),
		async timedQuestion(label: string, before?: () => void) {
			before?.();
			said.push(label);
			return {line: left.shift(), askedAt: 0, typedAt: settled};
		},
	};
}

const form = {initial: '', mayBeEmpty: false, isNext: false};

test('a choice of a form is a number, and nothing else', async () => {
	const choices = [{label: 'Send'}, {label: 'Decline\u001b[2J'}];
	const lines = terminal('', 'Send', '3', '1');
	expect(await askInLines({question: 'Send it?', choices, form}, lines)).toBe('Send');
	expect(lines.said[0]).toBe('? Send it?\n1. Send\n2. Decline␛[2J');
	expect(lines.said.filter(text => text === 'Type a number from 1 to 2.')).toHaveLength(3);
	expect(lines.said).toContain('Number, 1 to 2; “cancel” to cancel:');
});

test('a field of a form has a default, may be skipped if it is optional, and is cancelled in words or by Esc', async () => {
	const ask = async (more: object, ...typed: readonly (string | undefined)[]) => {
		const lines = terminal(...typed);
		return {
			answer: await askInLines({question: 'Age?', choices: [], form: {...form, ...more}}, lines),
			said: lines.said,
		};
	};
	expect((await ask({initial: '30'}, '')).answer).toBe('30');
	expect((await ask({initial: '30'}, '')).said.at(-1)).toBe('Your answer; Enter for “30”; “cancel” to cancel:');
	expect((await ask({mayBeEmpty: true}, '')).answer).toBe('');
	expect((await ask({}, '', '7')).said).toContain('An answer is required.');
	expect((await ask({}, 'cancel')).answer).toBeUndefined();
	expect((await ask({}, undefined)).answer).toBeUndefined();
});
