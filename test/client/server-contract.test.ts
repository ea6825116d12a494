import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {Secret, TOTP} from 'otpauth';
import {expect, onTestFinished, test} from 'vitest';
import {createClient} from '../../src/client/client.ts';
import {violations} from '../../src/contract/check.ts';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {initialize} from '../../src/server/accounts/initialize.ts';
import {issueTokens} from '../../src/server/accounts/oauth/tokens.ts';
import {startEnrollment} from '../../src/server/accounts/second-factor.ts';
import {startServer} from '../../src/server/run/start.ts';
import {createRuntime} from '../../src/server/sandboxes/create-runtime.ts';
import {endSandboxes} from '../../src/server/sandboxes/sandbox-monitor.ts';
import {emptyPlace, engine} from '../server/database/engine.ts';
import {toRequest} from '../server/ingest/push.ts';
import {actionId, pendingRun, provenance, spansOf} from '../server/populated.ts';
import {findProjectOf} from '../server/rows.ts';
import {transportTo} from './server.ts';

/** How the client proves who calls, where the contract asks for a bearer. */
type Proof = 'API key' | 'access token' | 'X-API-Key';

const scope = {org: 'acme', workspace: 'main'};
const things = {
	assessmentId: '33333333-3333-4333-8333-333333333333',
	evaluationId: 'support-quality',
	itemId: '11111111-1111-4111-8111-111111111111',
	oid: 'sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
	pendingId: '55555555-5555-4555-8555-555555555555',
	runId: '44444444-4444-4444-8444-444444444444',
	sessionId: '22222222-2222-4222-8222-222222222222',
	traceId: '0af7651916cd43dd8448eb211c80319c',
};

/** The server as `serve` starts it, with a client of it that remembers every answer. */
async function meet(proof: Proof) {
	const folder = await mkdtemp(join(tmpdir(), 'service-contract-'));
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const {url, services, close} = await startServer({
		location: await emptyPlace(),
		folder,
		environment: {},
		// Also where bubblewrap is not installed.
		unsafeSandboxes: true,
	});
	onTestFinished(async () => {
		await endSandboxes(services);
		await close();
	});
	const beginning = {organization: 'acme', workspace: 'main', project: 'web', email: 'owner@acme.example'};
	const {apiKey, userId} = await initialize(services, beginning);
	const key = apiKey.reveal();
	const family = {id: userId, userId, clientId: 'service-cli', program: null, apiKeyId: null, providerSession: null};
	const tokens = await issueTokens(services.database, new Date(), family);
	const byKey = transportTo(url, 'x-api-key', key);
	const answers = new Map<OperationId, unknown>();
	const client = createClient({
		server: url,
		transports: {
			bearer:
				proof === 'X-API-Key' ? byKey : transportTo(url, 'bearer', proof === 'API key' ? key : tokens.access_token),
			apiKey: byKey,
		},
		onAnswer: (operation, _, answer) => answers.set(operation, originalOf(answer)),
	});
	return {url, services, key, userId, client, answers};
}

type Meeting = Awaited<ReturnType<typeof meet>>;

/** What a server has that no operation makes: an artifact's bytes, a runtime, and a second factor that waits. */
async function prepare({url, services, key, userId}: Meeting) {
	const place = await findProjectOf(services.database);
	await createRuntime(services, {
		...place,
		createdBy: userId,
		key: 'laptop',
		name: 'Laptop',
		taskReference: 'web-shop',
	});
	const {status} = await fetch(`${url}/api/v1/org/acme/ws/main/artifacts/${things.oid}`, {
		method: 'PUT',
		body: 'foo',
		headers: {authorization: `Bearer ${key}`},
	});
	const secret = Secret.fromBase32(await startEnrollment(services, userId));
	return {projectId: place.projectId, status, code: new TOTP({secret}).generate()};
}

/** Everything that the specification lacks. */
async function askExtensions({client, services}: Meeting, environmentId: string) {
	const first = {query: {page_size: 1}};
	expect(await client.listOrganizations()).toMatchObject({items: [{slug: 'acme', role: 'owner'}], total: 1});
	expect(await client.listWorkspaces({params: {org: 'acme'}})).toMatchObject({items: [{slug: 'main'}]});
	expect(await client.listProjects({params: scope})).toMatchObject({items: [{slug: 'web'}], page: 1});
	const environment = {id: environmentId, state: 'ready', task_ref: 'web-shop'};
	expect(await client.listEnvironments({params: scope, ...first})).toMatchObject({items: [environment], total: 1});
	expect(await client.getEnvironment({params: {...scope, environmentId}})).toMatchObject(environment);
	const stopped = await client.stopEnvironment({params: {...scope, environmentId}});
	expect(stopped).toMatchObject({state: 'torn_down', execute_token: null});
	const body = {key: 'nightly', task_ref: 'nightly-import', project_id: 'web', timeout_sec: 600};
	const idle = {key: 'nightly', name: 'nightly', status: 'idle', task_ref: 'nightly-import', instance: null};
	expect(await client.createRuntime({params: scope, body})).toMatchObject(idle);
	expect(await client.getRuntime({params: {...scope, runtimeId: 'nightly'}})).toMatchObject(idle);
	expect(await client.listRuntimes({params: scope, ...first})).toMatchObject({items: [idle], total: 2, page_size: 1});
	const sessions = await client.listSessions({params: scope, query: {project: 'web'}});
	expect(sessions).toMatchObject({items: [{id: things.sessionId, message_count: 1, project_name: 'web'}]});
	const created = {act: 'organization.create', actor: 'operator', subject: 'acme', organization: 'acme'};
	expect(await client.listAuditLog({params: {org: 'acme'}})).toMatchObject({items: [created], next_cursor: null});
	const org = {params: {org: 'acme'}};
	const lab = {slug: 'lab', name: 'Lab'};
	expect(await client.createWorkspace({...org, body: lab})).toMatchObject(lab);
	const inLab = {org: 'acme', workspace: 'lab'};
	expect(await client.updateWorkspace({params: inLab, body: {name: 'Big lab'}})).toMatchObject({name: 'Big lab'});
	expect(await client.getWorkspace({params: inLab})).toMatchObject({slug: 'lab', name: 'Big lab'});
	expect(await client.createProject({params: inLab, body: {slug: 'app'}})).toMatchObject({slug: 'app', name: 'app'});
	const app = {...inLab, project: 'app'};
	expect(await client.updateProject({params: app, body: {name: 'The app'}})).toMatchObject({name: 'The app'});
	expect(await client.getProject({params: app})).toMatchObject({slug: 'app', name: 'The app'});
	const added = await client.addMember({...org, body: {email: 'grace@acme.example'}});
	expect(added).toMatchObject({role: 'member', is_new: true, password_code: expect.stringMatching(/^svp_/)});
	const grace = {org: 'acme', userId: added.user_id ?? ''};
	expect(await client.updateMember({params: grace, body: {role: 'admin'}})).toMatchObject({role: 'admin'});
	expect(await client.listMembers({...org, query: {email: 'grace@acme.example'}})).toMatchObject({total: 1});
	const invited = await client.createInvitation({...org, body: {email: 'ida@acme.example'}});
	expect(invited).toMatchObject({state: 'pending', url: expect.stringMatching(/\/invite\/svi_[\w-]{43}$/)});
	expect(await client.listInvitations({...org, query: {email: 'ida@acme.example'}})).toMatchObject({total: 1});
	const invitation = {params: {org: 'acme', invitationId: invited.id ?? ''}};
	expect(await client.revokeInvitation(invitation)).toMatchObject({state: 'revoked'});
	const user = {params: {userId: grace.userId}};
	expect(await client.suspendUser({...user, body: {}})).toMatchObject({suspended_at: expect.any(String)});
	expect(await client.reinstateUser(user)).toMatchObject({suspended_at: null, organizations: 1});
	expect(await client.listUsers({query: {email: 'grace@acme.example'}})).toMatchObject({total: 1});
	await initialize(services, {organization: 'rival', workspace: 'main', project: 'web', email: 'r@rival.example'});
	const rival = {params: {organization: 'rival'}};
	expect(await client.suspendOrganization({...rival, body: {}})).toMatchObject({slug: 'rival', members: 1});
	expect(await client.reinstateOrganization(rival)).toMatchObject({suspended_at: null});
	expect(await client.listServerOrganizations()).toMatchObject({total: 2});
	expect(await client.removeMember({params: grace})).toMatchObject({removed: true, sandboxes: 0});
	expect((await client.listServerAuditLog({query: {limit: 200}})).items?.at(-1)).toMatchObject(created);
	const runs = await client.listRuns({params: scope});
	expect(runs.items?.map(({id}) => id).toSorted()).toEqual([things.runId, things.pendingId]);
}

/** Which proof is sent is nothing to the database. */
const proofs: readonly Proof[] = engine === 'sqlite' ? ['API key', 'access token', 'X-API-Key'] : ['API key'];

test.each(proofs)('by %s, the client reads of every operation what the contract promises', async proof => {
	const meeting = await meet(proof);
	const {client, answers, userId} = meeting;
	const {projectId, status, code} = await prepare(meeting);
	expect(status).toBe(201);
	const project = {...scope, project: 'web'};

	const body = gzipSync(JSON.stringify(toRequest([...spansOf(things), pendingRun(things.pendingId)])));
	const json = {body, contentType: 'application/json', contentEncoding: 'gzip'} as const;
	expect(await client.pushTraces({params: {org: 'acme'}, ...json})).toEqual({});
	await client.pushTraces({params: {org: 'acme'}, body: new Uint8Array(), contentType: 'application/x-protobuf'});

	const session = await client.unarchiveSession({params: {...scope, sessionId: things.sessionId.slice(0, 8)}});
	expect(session).toMatchObject({id: things.sessionId, title: 'Refund of an order', archived_at: null});
	expect(session.usage).toMatchObject({total_input_tokens: 1200, total_output_tokens: 340, total_cost_usd: 0.0064});

	const {items = []} = await client.listAssessments({params: scope, query: {page_size: 10}});
	expect(items).toEqual([expect.objectContaining({name: 'Spring review', status: 'completed'})]);
	const {assessmentId} = things;
	const attacks = await client.getAttackSpans({params: {...scope, assessmentId}});
	expect(attacks).toEqual([expect.objectContaining({attack_name: 'crescendo', best_score: 0.9, is_jailbreak: true})]);
	const {findings = []} = await client.listFindings({params: project, query: {sort_by: 'severity', sort_dir: 'asc'}});
	const finding = await client.getFinding({params: {...scope, findingId: findings[0]?.id ?? ''}});
	expect(finding).toMatchObject({assessment_id: assessmentId, severity: 'high', top_trials: [{rank: 1, score: 0.9}]});

	const {pendingId, runId, itemId, oid, traceId, evaluationId} = things;
	const claim = {execution_id: actionId};
	expect(await client.claimRun({params: {...scope, runId: pendingId}, body: claim})).toEqual({
		...claim,
		run_id: pendingId,
		status: 'running',
	});
	const note = {item_type: 'notes', data: {text: 'Look at charge.ts again.'}, run_title: 'Nightly audit'};
	expect(await client.listRunItems({params: {...scope, runId}, query: {project_id: projectId}})).toMatchObject([note]);
	expect((await client.getItemSchemas({params: project})).schemas).toMatchObject([{item_type: 'notes'}]);
	const stage = await client.createSubmissionStage({
		params: {...project, itemId},
		body: {action_id: actionId, provenance},
	});
	expect(stage).toMatchObject({item_id: itemId, status: 'staged', provenance});
	const stats = await client.getEvaluationTraceStats({params: {...scope, evaluationId}});
	expect(stats).toMatchObject({evaluation_id: evaluationId, total_spans: 1, traced_items: 1});

	const artifact = await client.resolveTraceArtifact({params: {...scope, traceId, oid}, query: {download: true}});
	expect(artifact).toMatchObject({oid, filename: 'log.txt', mime_type: 'text/plain', size_bytes: 3});
	expect(await (await fetch(artifact.url ?? '')).text()).toBe('foo');

	const environment = await client.createEnvironment({
		params: scope,
		body: {task_ref: 'web-shop', inputs: {shop_name: 'Tea'}, project_id: 'web', timeout_sec: 900},
	});
	expect(environment).toMatchObject({instruction: expect.stringContaining('Tea')});
	// The answer waits for its service, but not for ever: a busy machine may take longer.
	const stateOf = async () =>
		(await client.getEnvironment({params: {...scope, environmentId: environment.id ?? ''}})).state;
	await expect.poll(stateOf).toBe('ready');
	const {logs} = await client.getEnvironmentLogs({params: {...scope, environmentId: environment.id ?? ''}});
	expect(logs).toContain('[sandbox]');
	const runtime = await client.resumeRuntime({params: {...scope, runtimeId: 'laptop'}});
	expect(runtime).toMatchObject({key: 'laptop', status: 'running', owned_by_me: true, instance: {state: 'running'}});
	const halted = await client.stopRuntime({params: {...scope, runtimeId: 'laptop'}});
	expect(halted).toMatchObject({key: 'laptop', status: 'idle'});

	await askExtensions(meeting, environment.id ?? '');

	const enabled = {enabled_model_ids: ['custom/demo']};
	expect(await client.updateUserPreferences({body: enabled})).toMatchObject(enabled);
	expect(await client.getUserPreferences({query: {org: 'acme'}})).toMatchObject(enabled);
	expect(await client.getAutoRefill({params: {org: 'acme'}})).toMatchObject({enabled: false});
	expect(await client.removeMemberLimit({params: {org: 'acme', userId}})).toBeUndefined();
	const organization = await client.updateOrganization({
		params: {org: 'acme'},
		body: {description: 'Makes everything.'},
	});
	expect(organization).toMatchObject({member_count: 1, can_manage_members: true});
	expect((await client.verifyMfaEnrollment({body: {code}})).recovery_codes).toHaveLength(10);
	const made = await client.createApiKey({body: {name: 'CI'}});
	expect(await client.listApiKeys()).toMatchObject([{name: 'serve init'}, {id: made['id'], name: 'CI'}]);
	const limit = {requests_per_minute: 60};
	const keyId = String(made['id']);
	expect(await client.updateApiKey({params: {keyId}, body: limit})).toMatchObject(limit);
	expect(await client.revokeApiKey({params: {keyId: String(made['id'])}})).toBeUndefined();

	const {items: spans, next} = await client.exportSpans({params: scope, query: {project: 'web', limit: 1}});
	expect(spans).toHaveLength(1);
	expect((await client.exportSpans({params: scope, query: {after: next}})).next).toBe(null);
	const environmentId = environment.id ?? '';
	expect(await client.deleteEnvironment({params: {...scope, environmentId}})).toBeUndefined();
	expect(await client.deleteSession({params: {...scope, sessionId: things.sessionId}})).toBeUndefined();
	expect(await client.deleteProject({params: project})).toBeUndefined();
	expect(await client.deleteServerOrganization({params: {organization: 'rival'}})).toBeUndefined();
	expect(await client.deleteOrganization({params: {org: 'acme'}})).toBeUndefined();

	const rows = Object.entries<Endpoint>(operations);
	expect([...answers.keys()].sort()).toEqual(rows.map(([id]) => id).sort());
	const wrong = rows.flatMap(([id, {result}]) =>
		result ? violations(result, answers.get(id as OperationId)).map(violation => ({id, ...violation})) : [],
	);
	expect(wrong).toEqual([]);
});
