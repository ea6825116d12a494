import {expect, test} from 'vitest';
import {deferred} from '../../../src/ui/opening/turns.ts';
import {finish, scriptedModel, text} from '../../agent/scripted.ts';
import {keys} from '../key-presses.ts';
import {testProgram} from '../program.ts';
import {runApp} from '../running-app.ts';
import {realApp, replies} from './real-app.ts';

/** Starts the app with a run that answers until `goOn` is called, and messages that wait for it. */
async function waiting(...messages: readonly string[]) {
	const app = await realApp();
	let goOn: () => void = () => undefined;
	const gate = new Promise<void>(resolve => {
		goOn = resolve;
	});
	app.host.answerWith(
		async ({say, finish, closed}) => {
			say('Going on.');
			await Promise.race([gate, closed]);
			finish();
		},
		replies,
		replies,
		replies,
	);
	await app.waitFor('custom/alpha');
	app.type('go\r');
	await app.waitFor('Going on.');
	for (const message of messages) {
		app.type(`${message}\r`);
		await app.waitFor(`queued: ${message}`);
	}

	const sent = () => app.lastMessages().flatMap(({role, content}) => (role === 'user' ? [content] : []));
	return {...app, goOn, sent};
}

test('↑ on an empty prompt takes the last waiting message out to be edited; cleared, it is never sent', async () => {
	const {type, waitFor, goOn, sent, store, lines} = await waiting('one', 'two');
	await waitFor('queued: two  ↑ edit · /queue');
	type(keys.up);
	await waitFor('❯ two');
	await expect.poll(() => lines().map(line => line.trimEnd())).toContain('  queued: one');
	type(keys.ctrlC);
	await waitFor('❯ Type to queue a message');
	goOn();
	await waitFor('Understood.');
	await expect.poll(() => store.getState().transcript.run).toBe(undefined);
	expect(sent()).toEqual(['go', 'one']);
	type(keys.up);
	await waitFor('❯ two');
});

test('an edited message waits again, behind the others', async () => {
	const {type, waitFor, goOn, sent} = await waiting('one', 'two');
	type(keys.up);
	await waitFor('❯ two');
	type(' more\r');
	await waitFor('queued: two more');
	goOn();
	await waitFor('Understood.');
	expect(sent()).toEqual(['go', 'one', 'two more']);
});

test('the manager moves, removes and edits', async () => {
	const {type, waitFor, goOn, sent, store} = await waiting('one', 'two', 'three');
	type('/queue\r');
	await waitFor('Waiting messages (3) · Enter edit · s send now · K J move · x remove · Esc close');
	await waitFor('❯ one');
	type('J');
	await expect.poll(() => store.getState().queue.map(({text}) => text)).toEqual(['two', 'one', 'three']);
	type('J');
	await expect.poll(() => store.getState().queue.map(({text}) => text)).toEqual(['two', 'three', 'one']);
	type('x');
	await expect.poll(() => store.getState().queue.map(({text}) => text)).toEqual(['two', 'three']);
	await waitFor('Waiting messages (2)');
	type(keys.escape);
	await waitFor('queued: three');
	goOn();
	await waitFor('Understood.');
	expect(sent()).toEqual(['go', 'two', 'three']);
	type('/queue\r');
	await waitFor('No message waits.');
});

test('“send now” interrupts the run and sends that message first; the others keep waiting', async () => {
	const {type, waitFor, sent, host, store} = await waiting('one', 'two');
	type('/queue\r');
	await waitFor('Waiting messages (2)');
	type(`${keys.down}s`);
	await waitFor('Interrupted.');
	await waitFor('Understood.');
	await expect.poll(() => store.getState().transcript.run).toBe(undefined);
	const chats = host.received.filter(({path}) => path.endsWith('/chat/completions')).length;
	expect([chats > 1, sent().slice(0, 2), store.getState().queue]).toEqual([true, ['go', 'two'], []]);
	expect(sent()).toContain('one');
	expect(store.getState().composer.text).toBe('');
});

test('Esc gives all of them back', async () => {
	const {type, waitFor, store} = await waiting('one', 'two');
	type(keys.escape);
	await waitFor('Interrupted.');
	expect([store.getState().composer.text, store.getState().queue]).toEqual(['one\ntwo', []]);
});

test('a message that is sent while the app still opens stays in the window until the agent works', async () => {
	const opening = deferred();
	const {type, waitFor, lines, store} = runApp({
		compose: async appStore => {
			await opening.promise;
			return testProgram({store: appStore, ask: scriptedModel([text('Hello.'), finish('stop')]).ask}).program;
		},
	});
	type('say hello');
	await waitFor('❯ say hello');
	type('\r');
	await waitFor('  sending: say hello');
	type('/keys set openai secret-in-the-line');
	await waitFor('secret-in-the-line');
	type('\r');
	await waitFor('  sending: /keys');
	expect(lines().join('\n')).not.toContain('secret-in-the-line');
	opening.resolve();
	await waitFor('● Hello.');
	expect(store.getState().sending).toEqual([]);
	expect(lines().join('\n')).not.toContain('sending:');
});
