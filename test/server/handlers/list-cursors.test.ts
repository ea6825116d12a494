import {randomBytes, randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {createRandom, drawnSeed} from '../../faults/fault.ts';
import {createTestServer, inWorkspace, scope as names, type TestServer} from '../harness.ts';
import {findProjectOf} from '../rows.ts';

/** Adds findings whose sort keys are often equal or missing, at random ids. */
async function addFindings({database}: TestServer, count: number, draw: (below: number) => number): Promise<void> {
	const {organizationId, workspaceId, projectId} = await findProjectOf(database);
	const place = {organization_id: organizationId, workspace_id: workspaceId, project_id: projectId};
	const at = () => new Date(1.77e12 + draw(4) * 1000).toISOString();
	const assessment = {id: randomUUID(), ...place, name: 'a', status: 'completed', detail: '{}', completed_at: null};
	await database
		.insertInto('assessments')
		.values({...assessment, created_at: at(), updated_at: at()})
		.execute();
	for (let number = 0; number < count; number += 1) {
		const id = randomUUID();
		const severity = draw(3);
		await database
			.insertInto('findings')
			.values({
				id,
				...place,
				assessment_id: assessment.id,
				trace_id: id,
				span_id: id,
				attack_name: `attack ${draw(3)}`,
				category: draw(3) === 0 ? null : `category ${draw(3)}`,
				severity: ['low', 'medium', 'high'][severity] ?? '',
				severity_rank: severity,
				best_score: draw(3) === 0 ? null : draw(5) / 7,
				detail: JSON.stringify({id}),
				attack: '{}',
				created_at: at(),
				updated_at: at(),
			})
			.execute();
	}
}

const findings = `${inWorkspace}/airt/projects/${names.project}/findings`;

type Page = {readonly ids: readonly string[]; readonly next: string | null; readonly previous: string | null};

async function readPage(server: TestServer, path: string): Promise<Page> {
	const {status, json, text} = await server.send(path);
	expect(status, text).toBe(200);
	const rows: readonly {readonly id: string}[] = json.findings ?? json.items;
	return {ids: rows.map(({id}) => id), next: json.next_cursor, previous: json.previous_cursor};
}

/** Returns the pages from one on, in the direction of a cursor, until there is none. */
async function walk(server: TestServer, path: string, from: string, name: 'next' | 'previous'): Promise<Page[]> {
	const pages = [await readPage(server, `${path}${from}`)];
	for (let cursor = pages[0]?.[name]; cursor && pages.length < 100; cursor = pages.at(-1)?.[name]) {
		pages.push(await readPage(server, `${path}&cursor=${cursor}`));
	}

	return pages;
}

test(`cursors lead through each order of a list in both directions, and show each row once (seed ${drawnSeed})`, async () => {
	const {below: draw} = createRandom(drawnSeed);
	const server = await createTestServer();
	await addFindings(server, 60, draw);
	const orders = ['score', 'created_at', 'updated_at', 'severity', 'attack_name', 'category', 'date'].flatMap(sort =>
		['asc', 'desc'].map(direction => `sort_by=${sort}&sort_dir=${direction}`),
	);
	for (const order of [
		...orders,
		'severity=high',
		'severity=high&sort_by=severity',
		'category=category%201&sort_by=score',
	]) {
		const size = 1 + draw(25);
		const context = `${order}, pages of ${size}`;
		const all = (await readPage(server, `${findings}?${order}&page_size=200`)).ids;
		const path = `${findings}?${order}&page_size=${size}`;
		const forward = await walk(server, path, '', 'next');
		expect(
			forward.flatMap(({ids}) => ids),
			context,
		).toEqual(all);
		expect(forward[0]?.previous, context).toBeNull();
		const backward = await walk(server, path, `&page=${Math.max(1, Math.ceil(all.length / size))}`, 'previous');
		expect(
			backward.toReversed().flatMap(({ids}) => ids),
			context,
		).toEqual(all);
		expect(backward[0]?.next, context).toBeNull();
	}
});

test('a cursor goes on behind its row, although rows were added before it and removed', async () => {
	const server = await createTestServer();
	const {below: draw} = createRandom(7);
	await addFindings(server, 20, draw);
	const path = `${findings}?sort_by=severity&sort_dir=desc&page_size=5`;
	const before = await walk(server, path, '', 'next');
	const first = before[0];
	await addFindings(server, 20, draw);
	await server.database
		.deleteFrom('findings')
		.where('id', 'in', first?.ids ?? [])
		.execute();
	const after = await walk(server, path, `&cursor=${first?.next}`, 'next');
	const rest = before.slice(1).flatMap(({ids}) => ids);
	const seen = after.flatMap(({ids}) => ids);
	expect(seen.filter(id => rest.includes(id))).toEqual(rest);
	expect(new Set(seen).size).toBe(seen.length);
});

test('[26] a cursor that this list has not given is 400, whatever it is', async () => {
	const server = await createTestServer();
	await addFindings(server, 10, createRandom(3).below);
	const path = `${findings}?sort_by=score&page_size=2`;
	const {next} = await readPage(server, path);
	const bytes = Buffer.from(next ?? '', 'base64url');
	const changed = Buffer.from(bytes);
	changed[20] = (changed[20] ?? 0) ^ 1;
	const wrong = [
		'x',
		'%00',
		`${next}AAAA`,
		bytes.subarray(0, 15).toString('base64url'),
		bytes.subarray(0, 16).toString('base64url'),
		changed.toString('base64url'),
		Buffer.from(JSON.stringify([1, false, 1, 'x', 'y'])).toString('base64url'),
		randomBytes(4000).toString('base64url'),
	];
	for (const cursor of wrong) {
		const {status, json} = await server.send(`${path}&cursor=${cursor}`);
		expect([status, json.type], cursor).toEqual([400, 'invalid_error']);
	}

	// A cursor of another order, filter or list is none of this one.
	for (const other of [
		`${findings}?sort_by=severity`,
		`${findings}?sort_by=score&severity=high`,
		`${inWorkspace}/sessions?`,
		'/api/v1/org?',
	]) {
		expect((await server.send(`${other}&cursor=${next}`)).status, other).toBe(400);
	}

	expect((await server.send(`${path}&cursor=${next}`)).status).toBe(200);
	expect((await server.send(`${findings}?page_size=3&sort_by=score&cursor=${next}`)).status).toBe(200);
});

test('a list without a page for each of its rows names cursors, too', async () => {
	const server = await createTestServer();
	for (let count = 0; count < 4; count += 1) {
		await server.join('member');
	}

	const path = '/api/v1/org/acme/members?page_size=2';
	const {json: all} = await server.send('/api/v1/org/acme/members');
	const emails: string[] = [];
	for (let cursor: string | null = ''; cursor !== null; ) {
		const {json} = await server.send(`${path}${cursor && `&cursor=${cursor}`}`);
		expect([json.total, json.page]).toEqual([5, 1 + emails.length / 2]);
		emails.push(...json.items.map(({email}: {email: string}) => email));
		cursor = json.next_cursor;
	}

	expect(emails).toEqual(all.items.map(({email}: {email: string}) => email));
});
