import {expect, test} from 'vitest';
import {choosePin, pinChoices} from '../../commands/pin.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {called, said, start, transcriptOf, user} from '../core/records.ts';

const pin: AgentEvent = {type: 'pin', id: 'm1', pinned: true};
const transcript = transcriptOf(
	...[user('Never touch\n  main'), start, said('I will not.'), called('x'), said(' ', 'm2'), user('y'.repeat(80)), pin],
);

test('messages and answers can be pinned, the newest first, each once', async () => {
	expect(await pinChoices(transcript, false)).toEqual([
		{id: `u-${'y'.repeat(80)}`, detail: 'yours', label: `${'y'.repeat(60)}…`},
		{id: 'u-Never touch\n  main', detail: 'yours', label: 'Never touch main'},
	]);
	expect(await pinChoices(transcript, true)).toEqual([{id: 'm1', detail: 'answer', label: 'I will not.'}]);
});

test('a message is chosen by its words, or from a list', async () => {
	const choices = await pinChoices(transcript, false);
	const choose = async () => 'u-Never touch\n  main';
	expect(await choosePin(choices, 'TOUCH main', choose)).toBe(choices[1]);
	expect(await choosePin(choices, undefined, choose)).toBe(choices[1]);
	expect(await choosePin(choices, undefined, async () => undefined)).toBe(undefined);
	await expect(choosePin(choices, 'nonsense', choose)).rejects.toMatchObject({code: 'not-found'});
});

test.each([
	['# Why **shops** lose\n\nBecause of `cart.ts`.', 'Why shops lose Because of cart.ts.'],
	['```js\nconst a = 1;\n```\n\nThat is *all*.', 'const a = 1; That is all.'],
	['| day | sold |\n|--|--|\n| Mon | 3 |', 'day sold Mon 3'],
	['> a quote of [it](https://example.com/x)', 'a quote of it (https://example.com/x)'],
	['H~2~O is 2 * 3 * 4 and snake_case_name', 'H~2~O is 2 * 3 * 4 and snake_case_name'],
	[`**${'long '.repeat(20)}end**`, `${'long '.repeat(12)}…`],
])('an answer is shown without the signs of its Markdown: %j', async (text, label) => {
	expect(await pinChoices(transcriptOf(user('go'), start, said(text)), false)).toMatchObject([{label}, {label: 'go'}]);
});
