import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openUserSettings} from '../../../src/config/settings/user-settings.ts';
import type {Environment} from '../../../src/core/environment.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {createTerminalSession} from '../../../src/terminal/terminal-session.ts';
import {followAttention} from '../../../src/ui/attention/attention.ts';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

const ghostty = {TERM: 'xterm-ghostty'};
const at = '2026-01-01T00:00:00.000Z';

type Saved = {readonly notifications?: string; readonly title?: boolean; readonly progress?: boolean};

/** A terminal whose user is followed, with a clock that the test sets. */
function followed({env = ghostty, ...saved}: Saved & {readonly env?: Environment} = {}) {
	const home = temporaryFolder();
	writeFileSync(join(home, 'settings.json'), JSON.stringify(saved));
	const settings = openUserSettings({SERVICE_HOME: home});
	let now = 0;
	let seq = 0;
	let written = '';
	const store = createAppStore();
	store.getState().openTranscript({...store.getState().transcript, session: 's'});
	const session = createTerminalSession({
		stdout: {isTTY: true, write: text => (written += text)},
		process: {pid: 1, on: () => undefined, off: () => undefined, kill: () => undefined},
		environment: env,
	});
	const attention = followAttention({
		...{store, session, env, settings, now: () => now, folder: () => '/home/ada/web-shop'},
		hide: text => text.replaceAll('sk-secret', '***'),
	});
	onTestFinished(attention.stop);
	const apply = (...events: readonly AgentEvent[]) =>
		store.getState().applyRecords(events.map(event => ({v: 1, seq: seq++, at, session: 's', server: 'local', event})));
	return {
		...{store, attention, settings, apply},
		begin: () => apply({type: 'run-start', runId: 'r', model: 'custom/demo'}),
		end: (reason: 'done' | 'error' | 'interrupted' = 'done') =>
			apply({type: 'run-end', reason, stopReason: reason === 'done' ? 'end_turn' : 'error'}),
		ask: (question = 'Run `rm secret.txt`?') => openPanel(store, {kind: 'confirm', question, askedAt: 0}),
		answered: () => store.getState().closePanel(),
		wait(seconds: number) {
			now += seconds * 1000;
		},
		/** Returns what was written since the last call, without program status, once this turn has ended. */
		async output() {
			await new Promise(resolve => setImmediate(resolve));
			const output = written.replaceAll(programStatus, '');
			written = '';
			return output;
		},
		/** Returns the program status that was written since the last call. */
		statuses() {
			const all = [...written.matchAll(programStatus)].map(([, status]) => status);
			written = '';
			return all;
		},
	};
}

const programStatus = /\u001b\]7501;(.*?)\u001b\\/g;
const title = (text: string) => `\u001b]2;${text}\u001b\\`;
const notice = (text: string) => `\u001b]9;service: ${text}\u001b\\`;

test('the title says what the app does, and in which session; the progress follows', async () => {
	const {begin, end, ask, answered, apply, output} = followed();
	expect(await output()).toBe(`\u001b[22;2t${title('web-shop · service')}\u001b[?1004h`);
	begin();
	expect(await output()).toBe(`${title('working · web-shop · service')}\u001b]9;4;3;0\u001b\\`);
	apply({type: 'rename', title: 'Fix sk-secret\u001b]2;x\u0007 cart'});
	expect(await output()).toBe(title('working · Fix *** ]2;x cart · service'));
	ask();
	expect(await output()).toBe(`${title('needs you · Fix *** ]2;x cart · service')}\u001b]9;4;4;100\u001b\\`);
	answered();
	expect(await output()).toBe(`${title('working · Fix *** ]2;x cart · service')}\u001b]9;4;3;0\u001b\\`);
	apply({type: 'text-delta', id: 't', messageId: 'a', text: 'A token changes nothing outside.'});
	expect(await output()).toBe('');
	end();
	expect(await output()).toBe(`${title('Fix *** ]2;x cart · service')}\u001b]9;4;0;0\u001b\\`);
});

test('a long run that ends while the window has no focus is notified once, a short one and an interrupted one not', async () => {
	const {begin, end, wait, attention, apply, output} = followed({title: false, progress: false});
	attention.focus(false);
	const run = async (seconds: number, reason?: 'error' | 'interrupted') => {
		begin();
		wait(seconds);
		await output();
		end(reason);
		return output();
	};
	expect(await run(9.9)).toBe('');
	expect(await run(10)).toBe(notice('Done after 10 s'));
	expect(await run(125, 'error')).toBe(notice('Failed after 2 m 05 s'));
	expect(await run(125, 'interrupted')).toBe('');
	apply({type: 'rename', title: 'Cart'});
	expect(await run(60)).toBe(notice('Done after 1 m 00 s · Cart'));
	attention.focus(true);
	expect(await run(60)).toBe('');
	attention.focus(false);
	attention.pressed();
	expect(await run(60)).toBe('');
});

test('a question that waits is notified without its content, and a run that ends with one only once', async () => {
	const {begin, end, ask, wait, attention, output} = followed({title: false, progress: false});
	await output();
	ask();
	expect(await output()).toBe('');
	attention.focus(false);
	ask();
	expect(await output()).toBe(notice('Waiting for your answer'));
	begin();
	wait(60);
	await output();
	end();
	ask('Carry out the plan?');
	expect(await output()).toBe(notice('Waiting for your answer'));
});

test.each([
	['auto', `\u0007${notice('Watch 1 found something.')}`, notice('Waiting for your answer')],
	['bell', '\u0007', '\u0007'],
	['off', '', ''],
] as const)('with notifications %s, alerts and questions write %j and %j', async (notifications, alert, question) => {
	const {store, ask, attention, output} = followed({notifications, title: false, progress: false});
	expect(await output()).toBe(notifications === 'off' ? '' : '\u001b[?1004h');
	store.getState().setAlert('Watch 1 found something.');
	expect(await output()).toBe(alert);
	attention.focus(false);
	ask();
	expect(await output()).toBe(question);
});

test('in a terminal that may not report its focus, the user is away after a while without a key', async () => {
	const {begin, end, wait, attention, output} = followed({env: {TERM: 'xterm-256color'}, title: false});
	const run = async (quiet: number) => {
		begin();
		wait(60);
		attention.pressed();
		wait(quiet);
		await output();
		end();
		return output();
	};
	await output();
	expect(await run(9)).toBe('');
	expect(await run(10)).toBe('\u0007');
	attention.focus(true);
	expect(await run(10)).toBe('');
});

test.each([
	['a dumb terminal', {TERM: 'dumb'}],
	['the Linux console', {TERM: 'linux'}],
	['an unknown terminal', {TERM: 'eterm-color'}],
])('%s gets no title, no progress and no mode', async (_, env) => {
	const {begin, end, output} = followed({env});
	begin();
	end();
	expect(await output()).toBe('');
});

test('once stopped, it asks for no focus and follows nothing', async () => {
	const {attention, begin, output} = followed();
	await output();
	attention.stop();
	begin();
	expect(await output()).toBe('\u001b[?1004l');
});

test('a setting that changes takes effect at once', async () => {
	const {settings, begin, output} = followed();
	begin();
	await output();
	await settings.save('progress', false);
	expect(await output()).toBe('\u001b]9;4;0;0\u001b\\');
	await settings.save('title', false);
	expect(await output()).toBe('\u001b]2;\u001b\\\u001b[23;2t');
	await settings.save('title', true);
	expect(await output()).toBe(`\u001b[22;2t${title('working · web-shop · service')}`);
	await settings.save('notifications', 'off');
	expect(await output()).toBe('\u001b[?1004l');
});

test('the status says what the program does, why it waits, and how a run ended until the user presses a key', async () => {
	const {store, begin, end, ask, answered, apply, attention, settings, statuses} = followed();
	const of = (state: string) => [`state=${state}:app=service`];
	expect(statuses()).toEqual(of('idle'));
	begin();
	expect(statuses()).toEqual(of('working'));
	ask();
	expect(statuses()).toEqual(of('blocked:kind=permission'));
	answered();
	expect(statuses()).toEqual(of('working'));
	openPanel(store, {kind: 'ask', question: 'Which one?', choices: [], isFollowUp: false, askedAt: 0});
	expect(statuses()).toEqual(of('blocked:kind=question'));
	answered();
	apply({type: 'text-delta', id: 't', messageId: 'a', text: 'A token changes nothing outside.'});
	expect(statuses()).toEqual(of('working'));
	end();
	expect(statuses()).toEqual(of('done'));
	attention.pressed();
	attention.pressed();
	expect(statuses()).toEqual(of('idle'));
	begin();
	end('error');
	expect(statuses()).toEqual([...of('working'), ...of('error')]);
	begin();
	end('interrupted');
	expect(statuses()).toEqual([...of('working'), ...of('idle')]);
	await settings.save('progress', false);
	expect(statuses()).toEqual(['state=clear']);
});

test('a list of what waits leaves a run working, and a login that happens elsewhere needs the user', () => {
	const {store, begin, end, answered, attention, statuses} = followed();
	const of = (state: string) => [`state=${state}:app=service`];
	begin();
	expect(statuses()).toEqual([...of('idle'), ...of('working')]);
	openPanel(store, {kind: 'queue'});
	expect(statuses()).toEqual([]);
	answered();
	const login = {server: 'https://a.example', page: 'https://a.example/device', code: 'ABCD'};
	openPanel(store, {...login, kind: 'device', pageWithCode: '', expiresAt: 1, opens: false});
	expect(statuses()).toEqual([]);
	end();
	expect(statuses()).toEqual(of('blocked:kind=auth'));
	answered();
	attention.pressed();
	expect(statuses()).toEqual([...of('done'), ...of('idle')]);
});

test('a terminal that is not known to read program status gets none', () => {
	const {begin, statuses} = followed({env: {TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm'}});
	begin();
	expect(statuses()).toEqual([]);
});
