import {writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {dispatch} from '../../src/command/dispatch.ts';
import {unchanged} from '../../src/command/result.ts';
import type {Choice} from '../../src/core/question.ts';
import {localConnection} from '../../src/store/connection-slice.ts';
import {said, start, used, user} from '../core/records.ts';
import {api, inWorkspace} from './api.ts';
import {drawn, saveSession, type TestContext, testContext} from './context.ts';
import {goodKey} from './platform.ts';

const hour = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * hour - 1000).toISOString();
const id = (digit: string) => `${digit.repeat(8)}-1c7e-4f6e-9a55-0123456789ab`;
const session = {id: id('5'), title: 'Old \u001B[2Jtalk', archived_at: null, usage: {total_cost_usd: 1.5}};
const runtime = {
	id: id('7'),
	key: 'dev-box',
	name: 'dev-box',
	status: 'paused',
	instance: {state: 'paused', pause_reason: 'timeout', billed_credits: 12, running_credits: 0},
};
const answers = {
	[`POST ${inWorkspace}/sessions/55555555/unarchive`]: {json: session},
	[`POST ${inWorkspace}/sessions/${session.id}/unarchive`]: {json: session},
	[`POST ${inWorkspace}/runtimes/dev-box/resume`]: {json: runtime},
	[`POST ${inWorkspace}/runtimes/${runtime.id}/resume`]: {json: runtime},
	[`GET ${inWorkspace}/environments/${id('e')}/logs`]: {json: {logs: 'listening\n'}},
};

/** Remembers an entry of each kind from a server, and saves a session. */
async function atWork() {
	const server = await api(answers);
	const here = testContext({env: server.env});
	const saved = await saveSession(
		here,
		[start, user('Read it'), said('I did.'), used('m1', 5000, 10, 'openai/gpt-4o')],
		ago(3),
	);
	await here.run('session', 'unarchive', '55555555');
	await here.run('runtime', 'resume', 'dev-box');
	await here.run('env', 'logs', id('e'));
	await here.context.program.local.sightings.recall();
	server.seen.length = 0;
	return {server, here, saved, profile: server.origin.replace('http://', '')};
}

/** Returns the choices of the last question. */
function offered({asked}: TestContext): readonly Choice[] {
	const last = asked.at(-1);
	return typeof last === 'object' && last !== null && 'choices' in last ? (last.choices as readonly Choice[]) : [];
}

test('the picker lists everything known with state, cost and age, without a request', async () => {
	const {server, here, saved, profile} = await atWork();
	const {run, asked} = testContext({like: here, env: server.env});
	expect(await run('resume')).toEqual(unchanged);
	const choices = offered({...here, asked});
	expect(choices.map(({label, detail}) => [label, detail])).toEqual([
		['Read it', `3 h ago · ${saved.slice(0, 8)} · 2 messages · $0.013`],
		['dev-box', `runtime · paused: timeout · on ${profile} · seen now · 12 credits`],
		['Old \u001B[2Jtalk', `session · 55555555 · active · on ${profile} · seen now · $1.50`],
		['eeeeeeee', `environment · on ${profile}`],
	]);
	expect(choices.map(({fields}) => fields)).toMatchObject([
		{kind: 'saved session', state: 'saved', server: 'this machine', cost: expect.closeTo(0.0126, 4)},
		{kind: 'runtime', state: 'paused: timeout', credits: 12, server: `${profile} ${server.origin}`},
		{kind: 'server session', state: 'active', cost: 1.5, id: session.id},
		{kind: 'environment', id: id('e')},
	]);
	expect(server.seen).toEqual([]);
});

test('the app asks its server once for each list with an entry of which only the id is known', async () => {
	const server = await api({
		...answers,
		[`GET ${inWorkspace}/environments/${id('f')}/logs`]: {json: {logs: 'listening\n'}},
		[`GET ${inWorkspace}/environments`]: {
			json: {items: [{id: id('e'), state: 'ready', task_ref: 'web-shop'}], total: 1},
		},
	});
	const here = testContext({env: server.env});
	await here.run('env', 'logs', id('e'));
	await here.run('env', 'logs', id('f'));
	await here.run('runtime', 'resume', 'dev-box');
	await here.context.program.local.sightings.recall();
	server.seen.length = 0;
	const profile = server.origin.replace('http://', '');
	const {runInApp, asked, store} = testContext({like: here, env: server.env});
	store.getState().setConnection({profile, server: server.origin, state: 'ready'});
	expect(await runInApp('resume')).toEqual(unchanged);
	expect(offered({...here, asked}).map(({label, detail}) => [label, detail])).toEqual([
		['web-shop', `environment · eeeeeeee · ready · on ${profile} · seen now`],
		['dev-box', `runtime · paused: timeout · on ${profile} · seen now · 12 credits`],
		['ffffffff', `environment · on ${profile}`],
	]);
	expect(server.seen.map(({method, url}) => `${method} ${url}`)).toEqual([
		`GET ${inWorkspace}/environments?page=1&page_size=30`,
	]);
});

test('what is on this machine is listed before the built-in server has started', async () => {
	const here = testContext();
	const saved = await saveSession(here, [start, user('Read it'), said('I did.')], ago(3));
	here.store.getState().setConnection({...localConnection, state: 'starting'});
	const {context} = here;
	const {servers} = context.program;
	const never = new Promise<never>(() => {});
	const platform = {...servers.platform, embedded: () => never};
	const live = {
		...context.program.session.conversation,
		send: () => undefined,
		followLog: () => undefined,
		closeLog: () => '',
	};
	const listed = new Promise<readonly Choice[]>((resolve, reject) => {
		const choose = async ({choices}: {readonly choices: readonly Choice[]}) => {
			resolve(choices);
			return undefined;
		};
		dispatch(['resume'], {
			...context,
			program: {...context.program, servers: {...servers, platform}},
			ui: {live, interact: {...context.ui.interact, choose}},
		}).catch(reject);
	});
	expect(await listed).toMatchObject([{id: saved, label: 'Read it'}]);
});

test('each entry is resumed by its own command', async () => {
	const {server, here, saved, profile} = await atWork();
	const at = (kind: string, of: string) => `${kind} ${profile} ${server.origin} acme lab ${of}`;
	const answers = [at('runtime', runtime.id), at('session', session.id), at('environment', id('e')), saved];
	const {run} = testContext({like: here, env: server.env, answers});
	expect(drawn(await run('resume'), 120)).toContain('pause reason   timeout');
	expect(drawn(await run('resume'), 120)).toContain('Old ␛[2Jtalk');
	expect(drawn(await run('resume'), 120)).toContain('listening');
	expect(await run('resume')).toEqual({kind: 'panel', panel: {show: 'session', id: saved}});
	expect(server.seen.map(({method, url}) => `${method} ${url}`)).toEqual([
		`POST ${inWorkspace}/runtimes/${runtime.id}/resume`,
		`POST ${inWorkspace}/sessions/${session.id}/unarchive`,
		`GET ${inWorkspace}/environments/${id('e')}/logs`,
	]);
});

test('a runtime selected in the app is confirmed as in runtime resume', async () => {
	const {server, here, profile} = await atWork();
	const answers = [`runtime ${profile} ${server.origin} acme lab ${runtime.id}`, undefined];
	const {runInApp, asked, store} = testContext({like: here, env: server.env, answers});
	store.getState().setConnection({profile, server: server.origin, state: 'ready'});
	expect(await runInApp('resume')).toEqual(unchanged);
	const acts = server.seen.filter(({method}) => method !== 'GET');
	expect([asked.at(-1), acts]).toEqual(['It uses credits while it runs. Resume it?', []]);
});

test('entries of another server use its login and are never sent elsewhere [6]', async () => {
	const {server, here, profile} = await atWork();
	const other = await api({});
	const env = {SERVICE_SERVER: other.origin, SERVICE_API_KEY: goodKey};
	const stranger = testContext({like: here, env});
	await stranger.run('resume');
	expect(offered(stranger).map(({fields}) => fields?.['kind'])).toEqual(['saved session']);

	const byName = {name: profile, server: server.origin, savedAt: ago(0)};
	const config = (known: object) => JSON.stringify({version: 1, profiles: {[profile]: known}});
	writeFileSync(`${here.home}/config.json`, config({...byName, apiKey: goodKey}), {mode: 0o600});
	const choice = `runtime ${profile} ${server.origin} acme lab ${runtime.id}`;
	const known = testContext({like: here, env, answers: [choice]});
	expect(drawn(await known.run('resume'), 80)).toContain('pause reason   timeout');
	expect([server.seen.length, other.seen]).toEqual([1, []]);

	writeFileSync(`${here.home}/config.json`, config({...byName, apiKey: goodKey, server: other.origin}), {mode: 0o600});
	const moved = testContext({like: here, env});
	await moved.run('resume');
	expect(offered(moved).map(({fields}) => fields?.['kind'])).toEqual(['saved session']);
});

test('--server limits the list to that server, and an unknown server hides no session', async () => {
	const {server, here} = await atWork();
	const named = testContext({like: here, flags: {profile: 'nobody'}});
	await named.run('resume');
	expect(offered(named)).toHaveLength(1);
	const elsewhere = testContext({like: here, env: server.env, flags: {server: 'https://other.test'}});
	await elsewhere.run('resume');
	expect(offered(elsewhere)).toHaveLength(1);
});
