import {expect, test} from 'vitest';
import {choosePin, pinChoices} from '../../../src/command/context/pin-choices.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {called, said, start, transcriptOf, user} from '../../core/records.ts';

const pin: AgentEvent = {type: 'pin', id: 'm1', pinned: true};
const transcript = transcriptOf(
	...[user('Never touch\n  main'), start, said('I will not.'), called('x'), said(' ', 'm2'), user('y'.repeat(80)), pin],
);

test('messages and answers can be pinned, the newest first, each once', () => {
	expect(pinChoices(transcript, false)).toEqual([
		{id: `u-${'y'.repeat(80)}`, detail: 'yours', label: `${'y'.repeat(60)}…`},
		{id: 'u-Never touch\n  main', detail: 'yours', label: 'Never touch main'},
	]);
	expect(pinChoices(transcript, true)).toEqual([{id: 'm1', detail: 'answer', label: 'I will not.'}]);
});

test('a message is chosen by its words, or from a list', async () => {
	const choices = pinChoices(transcript, false);
	const choose = async () => 'u-Never touch\n  main';
	expect(await choosePin(choices, 'TOUCH main', {choose})).toBe(choices[1]);
	expect(await choosePin(choices, undefined, {choose})).toBe(choices[1]);
	expect(await choosePin(choices, undefined, {choose: async () => undefined})).toBe(undefined);
	await expect(choosePin(choices, 'nonsense', {choose})).rejects.toMatchObject({code: 'not-found'});
});
