import {writeFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {unchanged} from '../../src/command/result.ts';
import {AppError} from '../../src/core/error.ts';
import {setComposerText} from '../../src/editor/editor.ts';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import {finish, scriptedModel, text} from '../agent/scripted.ts';
import {runApp} from './running-app.ts';

const answering = (words: string) => scriptedModel([text(words), finish('stop')]).ask;

/** Creates a model that starts to answer and continues on request. */
function slow() {
	let goOn: () => void = () => undefined;
	const told = new Promise<void>(resolve => {
		goOn = resolve;
	});
	const {ask} = scriptedModel([text('Half '), told, text('whole.'), finish('stop')]);
	return {ask, goOn: () => goOn()};
}

const hang = command({
	name: 'hang',
	summary: 'Wait for ever',
	args: z.object({}),
	whileRunning: true,
	run: (_, {signal}) =>
		new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), {once: true})),
});

/** Takes no notice of its signal before it asks, as a command that loads what it shows. */
const linger = command({
	name: 'linger',
	summary: 'Ask late',
	args: z.object({}),
	whileRunning: true,
	async run(_, {signal, ui: {interact}}) {
		await new Promise(resolve => signal.addEventListener('abort', resolve, {once: true}));
		await interact.choose({title: 'Too late', choices: [{id: 'one', label: 'one'}]});
		return unchanged;
	},
});

const fail = command({
	name: 'fail',
	summary: 'Fail',
	args: z.object({}),
	whileRunning: true,
	async run() {
		throw new AppError('failed', 'It is broken.', {hint: 'Look again: `fail`'});
	},
});

async function started(options: Parameters<typeof runApp>[0] = {}) {
	const app = runApp({...options, more: [hang, linger, fail]});
	await app.waitFor('Demo model');
	/** The lines below the welcome, without the live region. */
	const shown = () => app.lines().slice(9, app.lines().findLastIndex(line => line.startsWith('────')) - 1);
	return {...app, shown};
}

describe('what is sent', () => {
	test('is a message', async () => {
		const {type, waitFor, shown, remembered} = await started({ask: answering('Hello **you**.')});
		type('hi\r');
		await waitFor('Hello');
		await waitFor('idle');
		expect(shown()).toEqual(['❯ hi', '', '● Hello **you**.']);
		expect(remembered).toEqual(['hi']);
	});

	test('is answered before its model is saved for new sessions: that would delay its request', async () => {
		const {ask, goOn} = slow();
		const {type, waitFor, chatted} = await started({ask});
		type('hi\r');
		await waitFor('Half');
		expect(chatted).toEqual([]);
		goOn();
		await waitFor('whole.');
		await waitFor('idle');
		expect(chatted).toEqual(['custom/demo']);
	});

	test('clears the toast', async () => {
		const {store, type, waitFor} = await started({ask: answering('Done.')});
		store.getState().setToast('It is in the prompt.');
		await waitFor('in the prompt');
		store.getState().setComposer(setComposerText(store.getState().composer, 'go'));
		type('\r');
		await waitFor('Done.');
		expect(store.getState().toast).toBe('');
	});

	test('is a command, and its result follows its line', async () => {
		const {type, waitFor, shown} = await started();
		type('/keys list\r');
		await waitFor('No keys yet');
		expect(shown()).toEqual(['❯ /keys list', 'No keys yet. Add one: /keys set <provider>']);
	});

	test('is a message if it only looks like a command', async () => {
		const {type, waitFor, shown} = await started({ask: answering('A folder.')});
		type('/usr/bin is what?\r');
		await waitFor('A folder.');
		expect(shown()[0]).toBe('❯ /usr/bin is what?');
	});

	test.each([
		[
			'/usge',
			'✗ Unknown command “usge”.',
			'  → Did you mean /usage? Run /help to see them all. Press Enter again to send it',
		],
		['/export "x', '✗ Unclosed quote: "', '  → Close it, or put a backslash before it.'],
	])('as %j fails with a hint', async (line, message, hint) => {
		const {type, waitFor, shown} = await started();
		type(`${line}\r`);
		await waitFor(message);
		expect(shown().slice(0, 3)).toEqual([`❯ ${line}`, message, hint]);
	});

	test.each([['/tmp is full, what now?'], ["/tmp isn't writable"], ['/keys are lost, why?']])(
		'as %j names no command and stays in the prompt, where Enter sends it as it is',
		async line => {
			const model = scriptedModel([text('Delete something.'), finish('stop')]);
			const {type, waitFor, store, remembered} = await started({ask: model.ask});
			type(`${line}\r`);
			await waitFor('Press Enter again to send it');
			expect(store.getState().composer.text).toBe(line);
			type('\r');
			await waitFor('Delete something.');
			expect(model.asked.at(-1)?.at(-1)).toMatchObject({role: 'user', text: line});
			// From the history it is a message at once.
			expect(remembered.at(-1)).toMatch(/^ \/(?:tmp|keys)/);
		},
	);

	test.each([
		['/q!', '“q!”', '/q'],
		['/:q', '“:q”', '/q'],
		[':q', '“:q”', '/q'],
		[':q!', '“:q!”', '/q'],
		['quit', '“quit”', '/quit'],
		['/usage!', '“usage!”', '/usage'],
	])('as %j goes to no model before it is sent again', async (line, named, near) => {
		const model = scriptedModel([text('Bye.'), finish('stop')]);
		const {type, waitFor} = await started({ask: model.ask});
		type(`${line}\r`);
		await waitFor(`Unknown command ${named}.`);
		await waitFor(`Did you mean ${near}? Run /help`);
		expect(model.asked).toEqual([]);
		type('\r');
		await waitFor('Bye.');
		expect(model.asked.at(-1)?.at(-1)).toMatchObject({role: 'user', text: line});
	});

	test('as a line that names no command is read again once it is changed', async () => {
		const {type, waitFor, store} = await started();
		type('/usge\r');
		await waitFor('Press Enter again');
		type(' now\r');
		await expect.poll(() => store.getState().composer.text).toBe('/usge now');
		expect(store.getState().transcript.run).toBeUndefined();
	});

	test.each([
		['![image](a.png) is broken', ' ![image](a.png) is broken'],
		['!important', ' !important'],
		['/usage\n/clear', ' /usage\n/clear'],
		['/etc/hosts is wrong', '/etc/hosts is wrong'],
		['#!/bin/sh', '#!/bin/sh'],
	])('as the paste %j is a message, also when it comes from the history', async (pasted, shownAs) => {
		const model = scriptedModel([text('First.'), finish('stop')], [text('Second.'), finish('stop')]);
		const {type, waitFor, store} = await started({ask: model.ask});
		type(`\u001b[200~${pasted.replaceAll('\n', '\r')}\u001b[201~`);
		await expect.poll(() => store.getState().composer.text).toBe(shownAs);
		type('\r');
		await waitFor('First.');
		type('\u001b[A');
		await expect.poll(() => store.getState().composer.text).toBe(shownAs);
		type('\r');
		await waitFor('Second.');
		const users = model.asked.map(messages => messages.at(-1));
		expect(users).toMatchObject([{text: pasted}, {text: pasted}]);
	});

	test('with a secret is shown and saved without it [11]', async () => {
		const {type, waitFor, written, remembered, store} = await started();
		type('\u001b[200~/keys set openai sk-verysecret12\u001b[201~');
		await expect.poll(() => store.getState().composer.text).toContain('sk-verysecret12');
		type('\r');
		await waitFor('/keys set openai ***');
		expect(remembered).toEqual(['/keys set openai']);
		const below = written.join('').split('***').slice(1).join('');
		expect(below).not.toContain('verysecret');
		expect(store.getState().composer.history).toEqual(['/keys set openai']);
	});
});

describe('while the agent is at work', () => {
	test('a command that cannot run then says so and returns to the prompt', async () => {
		const {ask, goOn} = slow();
		const {type, waitFor, shown, store} = await started({ask});
		type('hi\r');
		await waitFor('Half');
		type('/new\r');
		await waitFor("/new can't run while the agent works. Press Esc to interrupt it.");
		expect(store.getState().composer.text).toBe('/new');
		type('\u0015/compact the plan\r');
		await waitFor("/compact can't run while the agent works. Press Esc to interrupt it.");
		goOn();
		await waitFor('idle');
		expect(shown()).toEqual(['❯ hi', '', '● Half whole.']);
	});

	test('a line that names no command stays in the prompt, with the way to send it', async () => {
		const {ask, goOn} = slow();
		const {type, waitFor, shown, store} = await started({ask});
		type('hi\r');
		await waitFor('Half');
		type('/usge\r');
		await waitFor('Unknown command “usge”. Did you mean /usage?');
		await waitFor('send it as a message.');
		expect(store.getState().composer.text).toBe('/usge');
		type('\r');
		await waitFor('queued: /usge');
		goOn();
		await waitFor('idle');
		expect(shown().slice(0, 3)).toEqual(['❯ hi', '', '● Half whole.']);
	});

	test('the error of a command opens in a panel', async () => {
		const {ask, goOn} = slow();
		const {type, waitFor, store, shown} = await started({ask});
		type('hi\r');
		await waitFor('Half');
		type('/fail\r');
		await waitFor('┄┄ /fail · Esc close');
		await waitFor('✗ It is broken.');
		await waitFor('→ Look again: /fail');
		type('\u001b');
		await expect.poll(() => store.getState().panel).toBe(undefined);
		goOn();
		await waitFor('idle');
		expect(shown()).toEqual(['❯ hi', '', '● Half whole.']);
	});

	test('the result of a command opens in a panel, and Escape closes it', async () => {
		const {ask, goOn} = slow();
		const {type, waitFor, store, shown} = await started({ask});
		type('hi\r');
		await waitFor('Half');
		type('/keys list\r');
		await waitFor('┄┄ /keys list · Esc close');
		expect(store.getState().panel?.kind).toBe('lines');
		type('\u001b');
		await expect.poll(() => store.getState().panel).toBe(undefined);
		goOn();
		await waitFor('idle');
		expect(shown()).toEqual(['❯ hi', '', '● Half whole.']);
	});

	test('messages wait, and return to the prompt when the run is interrupted', async () => {
		const {ask} = slow();
		const {type, waitFor, shown, store} = await started({ask});
		type('hi\r');
		await waitFor('Half');
		type('and then\r');
		await waitFor('queued: and then');
		type('more');
		await waitFor('❯ more');
		type('\u001b');
		await waitFor('Interrupted.');
		expect(store.getState().composer.text).toBe('and then\nmore');
		expect(shown()).toEqual(['❯ hi', '', '● Half', '', '■ Interrupted.']);
	});
});

describe('a command that hangs', () => {
	test.each([
		['Escape', '\u001b'],
		['Ctrl+C', '\u0003'],
	])('is ended by %s and says so', async (_, key) => {
		const {type, waitFor, shown, store} = await started();
		type('/hang\r');
		await waitFor('● /hang');
		type(key);
		await waitFor('/hang was interrupted.');
		await waitFor('idle');
		expect(shown()).toEqual(['■ /hang was interrupted.']);
		expect(store.getState().busy).toBe(false);
	});

	test('asks nothing any more, even if it goes on', async () => {
		const {type, waitFor, shown, store} = await started();
		type('/linger\r');
		await waitFor('● /linger');
		type('\u001b');
		await waitFor('/linger was interrupted.');
		await waitFor('idle');
		expect([store.getState().panel, ...shown()]).toEqual([undefined, '■ /linger was interrupted.']);
	});

	test('does not block another one', async () => {
		const {type, waitFor, store} = await started();
		type('/hang\r');
		await waitFor('● /hang');
		type('/keys list\r');
		await waitFor('No keys yet');
		expect(store.getState().busy).toBe(true);
		type('\u001b');
		await waitFor('/hang was interrupted.');
		expect(store.getState().busy).toBe(false);
	});
});

test('a command waits until the message before it is on its way', async () => {
	const {type, waitFor, shown, program} = await started({ask: answering('Hello.')});
	let goOn: (() => void) | undefined;
	Object.assign(program.prompts, {
		checkMedia: () =>
			new Promise<void>(resolve => {
				goOn = resolve;
			}),
	});
	type('hi\r');
	await expect.poll(() => goOn).toBeDefined();
	type('/keys list\r');
	// Longer than a command is waited for.
	await new Promise(resolve => setTimeout(resolve, 1000));
	expect(shown().join('')).not.toContain('/keys');
	goOn?.();
	await waitFor('No keys yet');
	await waitFor('Hello.');
	const lines = shown();
	expect(lines.indexOf('❯ hi')).toBeGreaterThan(-1);
	// In the transcript, or in a panel while the answer is on its way.
	expect(lines.indexOf('❯ hi')).toBeLessThan(lines.findIndex(line => line.includes('/keys list')));
});

test('an edited message continues in a new session, and the old one is kept', async () => {
	const {type, waitFor, shown, store, program} = await started({ask: answering('Hello.')});
	type('first\r');
	await waitFor('Hello.');
	await waitFor('idle');
	const before = store.getState().transcript.session;
	type('\u001b[27u\u001b[27u');
	await waitFor('Editing your previous message');
	type('!\r');
	await expect
		.poll(() => shown().slice(3))
		.toEqual([
			'',
			`── continues from here in a new session; the previous one is ${before.slice(0, 8)} ──`,
			'',
			'❯ first!',
			'',
			'● Hello.',
		]);
	expect(store.getState().transcript.session).not.toBe(before);
	expect(await program.session.resume(before, refuseElsewhere)).toEqual([]);
});

test('an edited message of an unsaved session stays in the prompt', async () => {
	const {type, waitFor, store} = await started({ask: answering('Hello.')});
	type('first\r');
	await waitFor('Hello.');
	await waitFor('idle');
	store.getState().setUnsaved('disk full');
	const {settled, session} = store.getState().transcript;
	type('\u001b[27u\u001b[27u');
	await waitFor('Editing your previous message');
	type('!\r');
	await waitFor('This session is not saved (disk full)');
	const {composer, editing, transcript} = store.getState();
	expect([composer.text, editing]).toEqual(['first!', settled.flatMap(block => ('id' in block ? block.id : []))[0]]);
	expect(transcript.session).toBe(session);
});

test('a message that was refused is in the prompt again after a command that is sent in its place', async () => {
	const {type, waitFor, store, program} = await started({ask: answering('Hello.')});
	const {conversation} = program.session;
	const {send} = conversation;
	const refuse = async () => {
		throw new AppError('conflict', 'Somebody drives this session.', {hint: 'Ask for it: `/drive ask`'});
	};
	Object.assign(conversation, {send: refuse});
	type('hello you\r');
	await waitFor('Somebody drives');
	type('\u0015/keys list\r');
	await waitFor('No keys yet');
	await expect.poll(() => store.getState().composer.text).toBe('hello you');
	Object.assign(conversation, {send});
	type('\r');
	await waitFor('● Hello.');
	type('/keys list\r');
	await expect.poll(() => store.getState().busy).toBe(false);
	expect(store.getState().composer.text).toBe('');
});

test('opening another session ends the editing of a message', async () => {
	const {type, waitFor, store} = await started({ask: answering('Hello.')});
	type('first\r');
	await waitFor('Hello.');
	await waitFor('idle');
	type('\u001b[27u\u001b[27u');
	await waitFor('Editing your previous message');
	store.getState().openTranscript({...store.getState().transcript, session: 'another'});
	expect(store.getState().editing).toBe(undefined);
});

test('Ctrl+C while a session is read leaves the open one, and the other free to be resumed', async () => {
	const first = await started({ask: answering('Hello.')});
	first.type('hi\r');
	await first.waitFor('Hello.');
	await first.waitFor('idle');
	const [saved] = await first.program.session.conversation.close().then(() => first.sessions.list(false));
	first.type('\u0004');
	await first.status;
	const {home, folder} = first;
	const {type, store, waitFor} = await started({home, folder});
	const open = store.getState().transcript.session;
	let presses = 0;
	const unsubscribe = store.subscribe(({busy}) => {
		if (busy && presses === 0) {
			presses++;
			type('\u0003');
		}
	});
	type(`/resume ${saved?.id}\r`);
	await waitFor('/resume was interrupted.');
	unsubscribe();
	expect([presses, store.getState().transcript.session]).toEqual([1, open]);
	type(`/resume ${saved?.id}\r`);
	await waitFor('● Hello.');
	expect(store.getState().transcript.session).toBe(saved?.id);
});

test('a notice about a resumed session is a warning, not an internal error [17]', async () => {
	const first = await started({ask: answering('Hello.')});
	first.type('hi\r');
	await first.waitFor('Hello.');
	await first.waitFor('idle');
	const [session] = await first.program.session.conversation.close().then(() => first.sessions.list(false));
	first.type('\u0004');
	await first.status;
	writeFileSync(session?.path ?? '', '{"v":1,"seq":5,"at":"2026', {flag: 'a'});
	const {home, folder} = first;
	const {waitFor, lines} = runApp({home, folder, flags: {resume: 'latest'}});
	await waitFor('was cut off');
	expect(lines().find(line => line.includes('cut off'))).toMatch(/^! The last record of this session was cut off/);
});
