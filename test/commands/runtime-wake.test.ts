import {expect, onTestFinished, test} from 'vitest';
import {unchanged} from '../../src/command/result.ts';
import {grantCredits} from '../../src/server/credits/account.ts';
import {listen} from '../../src/server/http/listen.ts';
import {createRuntime} from '../../src/server/sandboxes/create-runtime.ts';
import {updateSandboxes} from '../../src/server/sandboxes/sandbox-monitor.ts';
import {completeAnswer} from '../contract/complete.ts';
import {createTestServer, scope} from '../server/harness.ts';
import {addTask, listener} from '../server/sandboxes/task-folder.ts';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const path = (runtime: string) => `POST ${inWorkspace}/runtimes/${runtime}/resume`;
const paused = {
	id: '1b9f3a52-1c7e-4f6e-9a55-0123456789ab',
	key: 'dev-box',
	name: 'Dev\u001B[2Jbox',
	status: 'paused',
	project_id: null,
	instance: {state: 'paused', pause_reason: 'timeout', supports_pause: false, billed_credits: 2},
};

test('the app asks before it resumes a runtime, and No changes nothing', async () => {
	const {env, seen} = await api({[path('dev-box')]: {json: paused}});
	const {run, runInApp, asked} = testContext({env, answers: [undefined, 'yes', undefined]});
	expect(await runInApp('runtime', 'resume', 'dev-box')).toEqual(unchanged);
	expect([asked, seen]).toEqual([['This may use credits. Resume it?'], []]);

	const woken = await runInApp('runtime', 'resume', 'dev-box');
	expect(drawn(woken, 120).split('\n').slice(0, 4)).toEqual([
		expect.stringMatching(
			/^Asked http:\/\/127\.0\.0\.1:\d+ at [\d:]{8} · (?:waited [\d.]+ m?s · )?paused at [\d:]{8}$/,
		),
		'',
		'Dev␛[2Jbox',
		'status   paused',
	]);
	expect(dataOf(woken)).toEqual(completeAnswer('POST', path('dev-box').slice('POST '.length), paused));

	await runInApp('runtime', 'resume', paused.id);
	expect(asked.at(-1)).toBe('It uses credits while it runs. Resume it?');
	expect(seen).toHaveLength(1);
	await run('runtime', 'resume', 'dev-box');
	expect([asked.length, seen.length]).toEqual([3, 2]);
});

test.each([80, 120])('--yes asks nothing and shows the plan above the steps at %d columns [1]', async width => {
	const {env} = await api({[path('dev-box')]: {json: paused}});
	const {runInApp, asked} = testContext({env});
	await runInApp('runtime', 'resume', 'dev-box', '--yes');
	const again = drawn(await runInApp('runtime', 'resume', 'dev-box', '--yes'), width).split('\n');
	expect(again.slice(0, 6)).toEqual([
		'Resume runtime Dev␛[2Jbox (seen now)',
		'state          paused',
		'paused         time limit reached (timeout)',
		'can be paused  no',
		'credits        2 billed',
		'',
	]);
	expect(asked).toEqual([]);
});

test('sightings of another server are not shown for the same key', async () => {
	const first = await api({[path('dev-box')]: {json: paused}});
	const second = await api({});
	const here = testContext({env: first.env});
	await here.run('runtime', 'resume', 'dev-box');
	await here.context.program.local.sightings.recall();
	const there = testContext({env: second.env, like: here});
	await there.runInApp('runtime', 'resume', 'dev-box');
	expect(there.asked).toEqual(['This may use credits. Resume it?']);
});

test.each([
	[409, 'usage_limit_exceeded_error', 'conflict', /^Ask an owner of acme to buy credits, .*`credits show`/],
	[409, 'member_limit_exceeded_error', 'conflict', /^Ask an owner of acme to raise or lift your monthly limit/],
	[403, 'member_limit_exceeded_error', 'auth', /^Ask an owner of acme to raise or lift your monthly limit/],
	[409, 'org_sandbox_capacity_exceeded_error', 'conflict', /^Stop another sandbox of acme first/],
	[409, 'conflict_error', 'conflict', /^It may be pausing or resuming\. Try again in a moment\.$/],
	[403, 'forbidden_error', 'auth', /^Ask its owner/],
	[404, 'not_found_error', 'not-found', /^Check the key or UUID “dev-box”/],
	[502, 'sandbox_provider_error', 'network', /^It may have been done\. Check `runtime list` before you retry\.$/],
	[429, 'usage_limit_exceeded_error', 'network', /^Try again later\.$/],
] as const)('after %d %s it says which it was and what helps', async (status, type, code, hint) => {
	const {env} = await api({[path('dev-box')]: {status, json: {code: status, type, detail: 'Not now'}}});
	await expect(testContext({env}).run('runtime', 'resume', 'dev-box')).rejects.toMatchObject({
		code,
		message: expect.stringContaining(`: Not now (${type}).`),
		hint: expect.stringMatching(hint),
	});
});

/** Starts our server with the runtime `dev` and credits for twelve minutes, and a login to it. */
async function ourServer() {
	const server = await createTestServer();
	const {app, services, database, owner} = server;
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const {id: workspaceId, organization_id: organizationId} = await database
		.selectFrom('workspaces')
		.selectAll()
		.executeTakeFirstOrThrow();
	await createRuntime(services, {
		...{organizationId, workspaceId, projectId: null, createdBy: owner.id},
		...{key: 'dev', name: 'Development', taskReference: 'listens'},
	});
	const gift = {organizationId, amount: 12, reason: 'gift', now: services.now()};
	await database.transaction().execute(transaction => grantCredits(transaction, gift));
	const listening = await listen(app);
	onTestFinished(() => listening.close());
	const names = {SERVICE_ORG: scope.org, SERVICE_WORKSPACE: scope.workspace};
	return {server, env: {...names, SERVICE_SERVER: listening.url, SERVICE_API_KEY: owner.key}};
}

test('our own server resumes a runtime, and says what to do without credits', async () => {
	const {server, env} = await ourServer();
	const {runInApp, asked} = testContext({env, answers: ['yes']});
	expect(drawn(await runInApp('runtime', 'resume', 'dev'), 120)).toMatch(/ · running as of [\d:]{8}\n/);

	server.advance(12 * 60_000);
	await updateSandboxes(server.services);
	await expect(runInApp('runtime', 'resume', 'dev', '--yes')).rejects.toMatchObject({
		code: 'conflict',
		message: expect.stringContaining('(usage_limit_exceeded_error)'),
		hint: 'Ask an owner of acme to buy credits, or wait for the next refill (`credits show`).',
	});
	expect(asked).toHaveLength(1);
});
