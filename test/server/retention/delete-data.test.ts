import {sql} from 'kysely';
import {expect, test} from 'vitest';
import {objectName} from '../../../src/server/artifacts/object-name.ts';
import {deleteProject, deleteSession, deleteSpans} from '../../../src/server/retention/delete-data.ts';
import {oidOf, upload} from '../artifacts/artifacts.ts';
import {contentsOf} from '../contents.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {type Given, push} from '../ingest/push.ts';
import {findProjectOf} from '../rows.ts';

const spansOf = (conversation: string, trace: string, count: number, attributes: Given['attributes'] = {}): Given[] =>
	Array.from({length: count}, (_, index) => ({
		id: `${trace}${index}`,
		trace,
		attributes: {
			'gen_ai.operation.name': 'chat',
			'gen_ai.conversation.id': conversation,
			'service.evaluation.id': 'nightly',
			...attributes,
		},
	}));

const withArtifact = (oid: string) => ({'dreadnode.artifacts': [{oid}]});

/** Returns the bytes that are counted, and those that are there. */
async function bytesOf({database}: TestServer): Promise<readonly [counted: number, spans: number]> {
	const {rows} = await sql<{
		counted: number;
		spans: number | null;
	}>`select (select coalesce(sum(bytes), 0) from stored_bytes) as counted,
		(select sum(octet_length(attributes) + octet_length(resource) + octet_length(events) + octet_length(name)
			+ coalesce(octet_length(status_message), 0) + 200) from spans) as spans`.execute(database);
	return [Number(rows[0]?.counted), Number(rows[0]?.spans ?? 0)];
}

async function placeOf(server: TestServer) {
	const {organizationId, workspaceId, projectId} = await findProjectOf(server.database);
	return {place: {organizationId, workspaceId}, projectId};
}

const sessionOf = async ({database}: TestServer, conversation: string) =>
	(await database.selectFrom('sessions').select('id').where('conversation_id', '=', conversation).executeTakeFirst())
		?.id ?? '';

test('a session is deleted with its spans and artifacts, whose bytes the organization has again; others stay whole', async () => {
	const server = await createTestServer();
	const {place} = await placeOf(server);
	await push(server, spansOf('kept', 'aa', 3, withArtifact(oidOf('shared'))));
	await upload(server, oidOf('shared'), 'shared');
	const before = [await contentsOf(server.database), await bytesOf(server)];
	await push(server, spansOf('gone', 'bb', 1500, withArtifact(oidOf('shared'))));
	await push(server, spansOf('gone', 'cc', 3, withArtifact(oidOf('alone'))));
	await upload(server, oidOf('alone'), 'alone');
	const id = await sessionOf(server, 'gone');
	await deleteSession(server.services, place, id);
	expect([await contentsOf(server.database), await bytesOf(server)]).toEqual(before);
	const {blobs} = server.services.artifacts;
	expect(await blobs.size(objectName(place.workspaceId, oidOf('alone')))).toBe(undefined);
	expect(await blobs.size(objectName(place.workspaceId, oidOf('shared')))).toBe(6);
	// Nothing is left to delete.
	await deleteSession(server.services, place, id);
	expect([await contentsOf(server.database), await bytesOf(server)]).toEqual(before);
});

test('a deletion while spans arrive leaves all or nothing of each, and the bytes that are counted are there', async () => {
	const server = await createTestServer();
	const {place} = await placeOf(server);
	await push(server, spansOf('busy', 'dd', 50));
	const id = await sessionOf(server, 'busy');
	const pushes = Array.from({length: 8}, (_, index) => push(server, spansOf('busy', `e${index}`, 40)));
	const deletions = [1, 2].map(() => deleteSession(server.services, place, id));
	const results = await Promise.all([...pushes, ...deletions]);
	expect(results.length).toBe(10);
	const [counted, spans] = await bytesOf(server);
	expect(counted).toBe(spans);
	await deleteSession(server.services, place, await sessionOf(server, 'busy'));
	expect(await bytesOf(server)).toEqual([0, 0]);
	for (const table of ['spans', 'sessions', 'session_messages', 'session_counts', 'evaluation_types'] as const) {
		expect(await server.database.selectFrom(table).selectAll().execute()).toEqual([]);
	}
});

test('a deletion that was interrupted goes on with what is left', async () => {
	const server = await createTestServer();
	const {place} = await placeOf(server);
	await push(server, spansOf('long', 'ab', 1200));
	const ending = new AbortController();
	const {blobs} = server.services.artifacts;
	const interrupted = deleteSpans(
		{...server.services, artifacts: {...server.services.artifacts, blobs}},
		place,
		({eb}) => {
			queueMicrotask(() => ending.abort());
			return eb('trace_id', '=', 'ab'.padStart(32, '0'));
		},
		ending.signal,
	);
	await expect(interrupted).rejects.toThrow('aborted');
	const left = await server.database.selectFrom('spans').select('span_id').execute();
	expect(left.length).toBe(200);
	const [counted, spans] = await bytesOf(server);
	expect(counted).toBe(spans);
	expect(await deleteSpans(server.services, place, ({eb}) => eb('trace_id', '=', 'ab'.padStart(32, '0')))).toBe(200);
	expect(await bytesOf(server)).toEqual([0, 0]);
});

test('a project is deleted with all that belongs to it, but not with what it cost', async () => {
	const server = await createTestServer();
	const {place, projectId} = await placeOf(server);
	await server.database
		.insertInto('credit_entries')
		.values({
			id: 'entry',
			organization_id: place.organizationId,
			user_id: server.owner.id,
			amount: -5,
			reason: 'sandbox',
			created_at: '2026-03-01T12:00:00.000Z',
		})
		.execute();
	await push(server, [
		...spansOf('one', 'aa', 5),
		{
			id: '9',
			attributes: {'service.span.type': 'assessment', 'service.airt.assessment.id': 'first'},
		},
		{id: '8', parent: '9', attributes: {'service.span.type': 'attack', 'service.airt.attack.attack_name': 'x'}},
		{id: '7', attributes: {'service.workflow.run.id': 'run'}},
	]);
	expect((await server.database.selectFrom('findings').selectAll().execute()).length).toBe(1);
	await deleteProject(server.services, place, projectId);
	const contents = await contentsOf(server.database);
	for (const table of ['spans', 'sessions', 'assessments', 'findings', 'workflow_runs', 'projects', 'items']) {
		expect(contents[table]).toBe(undefined);
	}

	expect(contents['credit_entries']?.length).toBe(1);
	expect(await bytesOf(server)).toEqual([0, 0]);
});

test('of many who delete one thing at once nobody fails, and it is gone', async () => {
	const server = await createTestServer();
	await push(server, spansOf('many', 'aa', 20));
	const path = `${inWorkspace}/sessions/${await sessionOf(server, 'many')}`;
	const answers = await Promise.all(Array.from({length: 150}, () => server.send(path, {method: 'DELETE'})));
	const statuses = new Set(answers.map(({status}) => status));
	expect([...statuses].filter(status => ![204, 404, 429].includes(status))).toEqual([]);
	expect(statuses.has(204)).toBe(true);
	expect((await server.send(path, {method: 'DELETE'})).status).toBe(404);
	expect(await bytesOf(server)).toEqual([0, 0]);
});

test('[26] nobody deletes or exports a private session of another member', async () => {
	const server = await createTestServer();
	const member = await server.join('member');
	const admin = await server.join('admin');
	await push(server, spansOf('mine', 'aa', 2));
	await push(server, spansOf('ours', 'bb', 2, {'service.session.visibility': 'workspace'}));
	const mine = `${inWorkspace}/sessions/${await sessionOf(server, 'mine')}`;
	const ours = `${inWorkspace}/sessions/${await sessionOf(server, 'ours')}`;
	const remove = async (path: string, key: string) => (await server.send(path, {method: 'DELETE', key})).status;
	const exported = async (key: string) => (await server.send(`${inWorkspace}/spans`, {key})).json.items.length;
	expect([await remove(mine, member.key), await remove(ours, member.key), await remove(mine, admin.key)]).toEqual([
		404, 403, 404,
	]);
	expect([await exported(server.owner.key), await exported(member.key)]).toEqual([4, 2]);
	const ofMine = `${inWorkspace}/spans?session=${await sessionOf(server, 'mine')}`;
	expect((await server.send(ofMine)).json.items.length).toBe(2);
	expect((await server.send(ofMine, {key: member.key})).status).toBe(404);
	expect([await remove(ours, admin.key), await remove(mine, server.owner.key)]).toEqual([204, 204]);
	expect(await exported(server.owner.key)).toBe(0);
});

test('an export has each span once, in pages that are limited by rows and by bytes', async () => {
	const server = await createTestServer();
	await push(server, [...spansOf('one', 'aa', 30), ...spansOf('two', 'bb', 5, {text: 'x'.repeat(1_500_000)})]);
	const ids: string[] = [];
	let pages = 0;
	for (let after: string | null = ''; after !== null; pages++) {
		const query = new URLSearchParams({limit: '20', ...(after && {after})});
		const {json, text} = await server.send(`${inWorkspace}/spans?${query}`);
		expect(text.length).toBeLessThan(8_000_000);
		ids.push(...json.items.map(({trace_id, span_id}: {trace_id: string; span_id: string}) => trace_id + span_id));
		after = json.next;
	}

	expect([ids.length, new Set(ids).size]).toEqual([35, 35]);
	expect(pages).toBeGreaterThanOrEqual(4);
	expect((await server.send(`${inWorkspace}/spans?after=${Buffer.from('[1]').toString('base64url')}`)).status).toBe(
		422,
	);
});
