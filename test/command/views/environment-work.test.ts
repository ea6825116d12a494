import {expect, test} from 'vitest';
import {expandedText, setComposerText} from '../../../src/editor/editor.ts';
import {api, inWorkspace} from '../../commands/api.ts';
import {dataOf, drawn, testContext} from '../../commands/context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const token = 'exec-0123456789abcdef';
const environment = {
	id,
	state: 'ready',
	task_ref: 'acme/web-shop@2',
	created_at: '2026-01-01T00:00:00Z',
	expires_at: new Date(Date.now() + 3_600_000).toISOString(),
	execute_token: token,
	instruction: '/logout\nThen fix the cart.\n',
	service_urls: {web: {url: `http://127.0.0.1:9/?key=${token}`}, shell: {port: 22}},
};

async function create(answer: unknown, {typed = '', inLines = false} = {}) {
	const {env: login} = await api({
		[`POST ${inWorkspace}/environments`]: {json: answer},
		[`GET ${inWorkspace}/environments/${id}/logs`]: {json: {logs: 'building\nready\n'}},
	});
	const here = testContext({env: login});
	here.store.setState(inLines ? {isLineByLine: true} : {});
	const {composer, setComposer} = here.store.getState();
	setComposer(setComposerText(composer, typed));
	const result = await here.runInApp('env', 'create', 'web-shop');
	const {sandboxes} = here.store.getState();
	return {...here, result, sandboxes, prompt: expandedText(here.store.getState().composer)};
}

test('the app follows the log, counts down, and offers the task in one line, without its token [8]', async () => {
	const {result, followed, sandboxes, prompt, said, store} = await create(environment);
	// The prompt offers the task, so the card above it only says where to read it.
	expect(drawn(result, 80)).not.toContain('Then fix the cart.');
	expect(drawn(result, 80)).toContain('Task: /env show 0b5e0a1c');
	expect(followed).toEqual([
		{
			environment: id,
			server: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
			profile: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
			title: 'web-shop',
			source: expect.any(Function),
			sinceStart: true,
			follow: false,
		},
	]);
	expect(sandboxes).toEqual([
		{
			environment: id,
			server: followed[0]?.server,
			task: 'acme/web-shop@2',
			expiresAt: Date.parse(environment.expires_at),
		},
	]);
	expect([prompt, said]).toEqual(['', []]);
	const {label, text} = store.getState().offered ?? {};
	expect(label).toBe('task of web-shop');
	expect(text).toBe(
		[
			`This is the task in the sandbox ${id}, whose log you can read:`,
			'/logout\nThen fix the cart.',
			'Its services:\n- web: http://127.0.0.1:9/?key=***',
		].join('\n\n'),
	);
});

test('a prompt that is not empty is left alone', async () => {
	const {prompt, said, store} = await create(environment, {typed: 'half a thought'});
	expect([prompt, said]).toEqual(['half a thought', []]);
	expect(store.getState().offered?.label).toBe('task of web-shop');
});

test.each([
	['that failed', {...environment, state: 'failed', error: 'no image'}],
	['without an instruction', {...environment, instruction: null}],
	['with a blank one', {...environment, instruction: ' \n'}],
])('a sandbox %s is followed, and nothing is offered', async (_, answer) => {
	const {store, followed, said} = await create(answer);
	expect([store.getState().offered, followed.length, said]).toEqual([undefined, 1, []]);
});

test('the app that is line by line says that an empty line sends the instruction', async () => {
	const {store, followed, said, result} = await create(environment, {inLines: true});
	expect(drawn(result, 80)).toContain('Then fix the cart.');
	expect([store.getState().offered?.text.split('\n')[0], followed.length]).toEqual([
		`This is the task in the sandbox ${id}, whose log you can read:`,
		1,
	]);
	expect(said).toEqual(['Press Enter to send the instruction below to the agent, or type your own message.']);
});

test.each([
	['an id that is none', {...environment, id: 'x'}, [/^Can't show its log: /]],
	['no end', {...environment, expires_at: null}, []],
	['an end that is over', {...environment, expires_at: '2020-01-01T00:00:00Z'}, []],
])('a response with %s is still shown', async (_, answer, words) => {
	const {result, said, sandboxes} = await create(answer);
	expect(dataOf(result)).toMatchObject({task_ref: 'acme/web-shop@2'});
	expect(said).toEqual(words.map(word => expect.stringMatching(word)));
	expect(sandboxes.filter(({environment: made}) => made === id)).toEqual([]);
});

test('a response without an id is an error that says the sandbox may exist', async () => {
	await expect(create({...environment, id: undefined})).rejects.toMatchObject({
		code: 'network',
		message: expect.stringMatching(/ returned a response without id\.$/),
		hint: expect.stringMatching(/^It may have been done\. /),
	});
});

test('a shell only shows the response', async () => {
	const {env} = await api({[`POST ${inWorkspace}/environments`]: {json: environment}});
	const here = testContext({env});
	await here.run('env', 'create', 'web-shop');
	const {composer, sandboxes} = here.store.getState();
	expect([here.followed, here.said, sandboxes, composer.text]).toEqual([[], [], [], '']);
});
