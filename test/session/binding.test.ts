import {expect, test} from 'vitest';
import {secret} from '../../src/core/secrets/secret.ts';
import {bindingWorld, chatsOf} from './binding-world.ts';

const refused = expect.objectContaining({reason: 'error', error: expect.objectContaining({code: 'failed'})});

test('a session asks before it goes on with a host that another process set up', async () => {
	const {own, other, open, moveTo} = await bindingWorld();
	const {conversation, ends, questions, answerWith} = open();
	let answer = false;
	answerWith(() => answer);
	await conversation.send('One.');
	await moveTo(other);
	await conversation.send('Two.');
	expect([chatsOf(own), chatsOf(other), questions.length]).toEqual([1, 0, 1]);
	expect(ends().at(-1)).toEqual(refused);
	answer = true;
	await conversation.send('Three.');
	await conversation.send('Four.');
	expect([chatsOf(own), chatsOf(other), questions.length]).toEqual([1, 2, 2]);
	expect(questions[1]).toBe(`Send this conversation to ${other.baseUrl}?`);
});

test('what was refused says how to continue, in the app and in a shell', async () => {
	const {other, open, moveTo} = await bindingWorld();
	for (const [hasUser, hint] of [
		[true, 'To continue with it: `model use custom/alpha`'],
		[false, 'To continue with it: add --model custom/alpha'],
	] as const) {
		const {conversation, ends, answerWith} = open();
		if (hasUser) {
			answerWith(() => false);
		}

		await conversation.send('One.');
		await moveTo(hasUser ? other : (await bindingWorld()).other);
		await conversation.send('Two.');
		expect(ends().at(-1)).toMatchObject({error: {hint}});
	}
});

test('what is typed opens no connection to a host that the user has not agreed to', async () => {
	const {own, other, open, moveTo} = await bindingWorld();
	const {program, conversation} = open();
	await program.prompts.prepare('Hi');
	await conversation.send('One.');
	expect(await own.knock()).toBeGreaterThan(0);
	await moveTo(other);
	await program.prompts.prepare('Hi again');
	expect(await other.knock()).toBe(0);
});

test('a session asks once before it goes on with a key that was rotated', async () => {
	const {own, open, moveTo} = await bindingWorld();
	const {conversation, questions, answerWith} = open();
	answerWith(() => true);
	await conversation.send('One.');
	await moveTo(own, secret('sk-second-0123456789'));
	await conversation.send('Two.');
	await conversation.send('Three.');
	expect([chatsOf(own), questions]).toEqual([3, [`Continue with another key for ${own.baseUrl}?`]]);
});
