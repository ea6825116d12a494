import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';
import {finish, scriptedModel, text} from '../agent/scripted.ts';
import {runApp} from './running-app.ts';

/** A command that is not done after half a second, because something else uses the processor. */
const toil = command({
	name: 'toil',
	summary: 'Work on a busy machine',
	args: z.object({}),
	whileRunning: true,
	async run() {
		for (let turn = 0; turn < 16; turn++) {
			const end = performance.now() + 40;
			while (performance.now() < end);
			await new Promise(resolve => setTimeout(resolve, 0));
		}

		return {kind: 'text', text: 'Toiled.'};
	},
});

test('a message waits for the command before it, however busy the machine is', async () => {
	const {ask} = scriptedModel([text('Hello.'), finish('stop')]);
	const {type, waitFor, lines} = runApp({ask, more: [toil]});
	await waitFor('Demo model');
	// Lines alone would be a paste; with a key in it, it was typed.
	type('/toil\u001b[F\rhi\u001b[F\r');
	await waitFor('Hello.');
	await waitFor('idle');
	const first = lines().indexOf('❯ /toil');
	expect(lines().slice(first, first + 6)).toEqual(['❯ /toil', 'Toiled.', '', '❯ hi', '', '● Hello.']);
});

const greet = command({
	name: 'greet',
	summary: 'Send a message',
	args: z.object({}),
	async run(_, {ui: {live}}) {
		live?.send('Hi there.');
		return {kind: 'text', text: 'Sent.'};
	},
});

test('a command waits for the message that the command before it sends', async () => {
	let answer = () => {};
	const isAsked = new Promise<void>(resolve => {
		answer = resolve;
	});
	const {ask} = scriptedModel([isAsked, text('Hello.'), finish('stop')]);
	const {type, waitFor, store, records, program} = runApp({ask, more: [greet]});
	// As while a key is looked for, or a question is read.
	Object.assign(program.model, {choose: () => new Promise(resolve => setTimeout(resolve, 100))});
	await waitFor('Demo model');
	const {session} = store.getState().transcript;
	type('/greet\u001b[F\r/new\u001b[F\r');
	await waitFor("/new can't run while the agent works.");
	answer();
	await waitFor('Hello.');
	expect(records.filter(({event}) => event.type === 'user-message').map(record => record.session)).toEqual([session]);
});

const refused = command({
	name: 'refused',
	summary: 'Find nothing to do',
	args: z.object({}),
	run() {
		throw new AppError('conflict', 'There is nothing to do.');
	},
});

test('a command that is refused while nothing runs does not return to the prompt, where the next one would join it', async () => {
	const {type, waitFor, store} = runApp({more: [refused]});
	await waitFor('Demo model');
	type('/refused\r');
	await waitFor('There is nothing to do.');
	expect(store.getState().composer.text).toBe('');
});

test('a message whose run cannot start returns to the prompt', async () => {
	const {type, waitFor, store} = runApp({
		async loadHooks() {
			throw new AppError('failed', 'settings.json is invalid.', {hint: 'Fix it.'});
		},
	});
	await waitFor('Demo model');
	type('a long message\r');
	await waitFor('settings.json is invalid.');
	await expect.poll(() => store.getState().composer.text).toBe('a long message');
});
