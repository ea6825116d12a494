import {expect, test} from 'vitest';
import {createAppStore} from '../../src/store/store.ts';
import {activityOf} from '../../src/ui/attention/attention-text.ts';
import {createPanelInteraction} from '../../src/ui/interaction.ts';

function interaction() {
	const store = createAppStore();
	return {...createPanelInteraction(store, {now: () => 7}), store, panel: () => store.getState().panel};
}

const choices = [{id: 'a', label: 'A'}];

test('a question opens a panel, and its answer closes it', async () => {
	const {ask, answer, panel} = interaction();
	const asked = ask({label: 'Key:', masked: true});
	expect(panel()).toEqual({kind: 'field', label: 'Key:', masked: true});
	answer('secret');
	expect(await asked).toBe('secret');
	expect(panel()).toBe(undefined);
});

test('a choice and a confirmation open panels too, and Escape cancels them', async () => {
	const {choose, confirm, answer, panel} = interaction();
	const chosen = choose({title: 'Which?', choices, current: 'a'});
	expect(panel()).toEqual({kind: 'pick', title: 'Which?', choices, current: 'a'});
	answer(undefined);
	expect(await chosen).toBe(undefined);
	const sure = confirm('Sure?');
	expect(panel()).toEqual({kind: 'confirm', question: 'Sure?', askedAt: 7});
	answer(undefined);
	expect(await sure).toBe(false);
	const surer = confirm('Sure?');
	answer('yes');
	expect(await surer).toBe(true);
});

test('a second question cancels the first one', async () => {
	const {ask, answer, panel} = interaction();
	const first = ask({label: 'One:', masked: false});
	const second = ask({label: 'Two:', masked: false});
	expect(await first).toBe(undefined);
	expect(panel()).toMatchObject({label: 'Two:'});
	answer('2');
	expect(await second).toBe('2');
});

test('lines are shown until they are closed, and an answer without a panel does nothing', () => {
	const {show, answer, panel} = interaction();
	show('/usage', () => ['a']);
	expect(panel()).toMatchObject({kind: 'lines', title: '/usage'});
	answer(undefined);
	answer('x');
	expect(panel()).toBe(undefined);
});

test('a note is shown below the prompt', () => {
	const {say, store} = interaction();
	say('Open the page.');
	expect(store.getState().toast).toBe('Open the page.');
});

const login = {
	server: 'http://a.test',
	page: 'http://a.test/p',
	pageWithCode: 'http://a.test/p',
	code: 'A',
	expiresAt: 0,
};

test('a login is shown until it is done, and closing the panel cancels it', () => {
	const {showLogin, answer, panel} = interaction();
	const cancelled: string[] = [];
	const hide = showLogin(login, () => cancelled.push('first'));
	expect(panel()).toEqual({kind: 'device', ...login, opens: false});
	hide();
	expect(panel()).toBe(undefined);

	showLogin(login, () => cancelled.push('second'));
	answer(undefined);
	expect(panel()).toBe(undefined);
	return expect.poll(() => cancelled).toEqual(['second']);
});

test('a question that displaced a login stays when the login is done', async () => {
	const {showLogin, ask, answer, panel} = interaction();
	const hide = showLogin(login, () => undefined);
	const asked = ask({label: 'Key:', masked: true});
	hide();
	expect(panel()).toMatchObject({label: 'Key:'});
	answer('k');
	expect(await asked).toBe('k');
});

const inquiry = {question: 'Show .env?', answers: [{key: 's', label: 'for this session', value: 'session'}]};
const signal = new AbortController().signal;

test('a question of the program waits for an open panel, and returns after another question', async () => {
	const {ask, inquire, show, answer, panel} = interaction();
	const asked = ask({label: 'Key:', masked: true});
	const inquired = inquire(inquiry, signal);
	await Promise.resolve();
	expect(panel()).toMatchObject({kind: 'field'});
	answer('secret');
	expect(await asked).toBe('secret');
	await expect.poll(() => panel()).toEqual({kind: 'confirm', ...inquiry, askedAt: 7});
	const meanwhile = ask({label: 'Name:', masked: false});
	answer('me');
	expect(await meanwhile).toBe('me');
	await expect.poll(() => panel()).toMatchObject({kind: 'confirm'});
	answer('session');
	expect(await inquired).toBe('session');

	show('/usage', () => ['a']);
	const other = inquire(inquiry, signal);
	await expect.poll(() => panel()).toMatchObject({kind: 'confirm'});
	answer(undefined);
	expect(await other).toBe(undefined);
});

test('what hides a question of the program leaves the user asked', async () => {
	const {choose, inquire, answer, panel, store} = interaction();
	const activity = () => activityOf(store.getState());
	const inquired = inquire(inquiry, signal);
	await expect.poll(activity).toBe('needs you');
	const chosen = choose({title: 'Which?', choices});
	await expect.poll(panel).toMatchObject({kind: 'pick'});
	await expect.poll(activity).toBe('needs you');
	answer('a');
	expect(await chosen).toBe('a');
	await expect.poll(panel).toMatchObject({kind: 'confirm'});
	answer('session');
	expect(await inquired).toBe('session');
	await expect.poll(activity).toBe('idle');

	const abort = new AbortController();
	void choose({title: 'Which?', choices});
	const ended = inquire(inquiry, abort.signal);
	await expect.poll(activity).toBe('needs you');
	abort.abort(new Error('interrupted'));
	await expect(ended).rejects.toThrow('interrupted');
	await expect.poll(activity).toBe('idle');
});

test('the end of a run closes its question', async () => {
	const {inquire, panel} = interaction();
	const abort = new AbortController();
	const inquired = inquire(inquiry, abort.signal);
	await expect.poll(() => panel()).toMatchObject({kind: 'confirm'});
	abort.abort(new Error('interrupted'));
	await expect(inquired).rejects.toThrow('interrupted');
	expect(panel()).toBe(undefined);
});
