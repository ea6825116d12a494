import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {text} from 'node:stream/consumers';
import {pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {reportError} from '../../../src/core/error.ts';
import {startEmbedded} from '../../../src/server/run/embedded.ts';
import {program} from '../../e2e/program.ts';

let folder = '';
const script = (name: string) => pathToFileURL(join(folder, name));

beforeAll(async () => {
	// Below the packages, which a bundle looks up from its own folder.
	folder = await mkdtemp(resolve('node_modules/.service-worker-'));
	const entryPoints = [new URL('../../../src/server/run/worker.ts', import.meta.url).pathname];
	await build({
		entryPoints,
		outfile: join(folder, 'worker.mjs'),
		bundle: true,
		format: 'esm',
		platform: 'node',
		target: 'node20.18',
		external: ['@photostructure/sqlite', 'pg-native'],
		banner: {js: "import {createRequire as load} from 'node:module';const require=load(import.meta.url);"},
	});
	const starter = [new URL('../../../src/server/run/embedded.ts', import.meta.url).pathname];
	await build({
		entryPoints: starter,
		outfile: join(folder, 'embedded.mjs'),
		bundle: true,
		format: 'esm',
		platform: 'node',
	});
	await writeFile(
		join(folder, 'program.mjs'),
		'import {startEmbedded} from "./embedded.mjs"; await startEmbedded({workerUrl: new URL("worker.mjs", import.meta.url)});',
	);
	await writeFile(
		join(folder, 'leaves.mjs'),
		`import {startEmbedded} from './embedded.mjs';
		const workerUrl = new URL('worker.mjs', import.meta.url);
		const signal = AbortSignal.timeout(Number(process.argv[2]));
		const why = await startEmbedded({workerUrl, signal}).then(server => server.close(), error => error.name);
		process.stdout.write(why ?? 'closed');
		process.exit();`,
	);
	await writeFile(join(folder, 'throws.mjs'), 'throw new Error("no such thing");');
	await writeFile(
		join(folder, 'dies.mjs'),
		'import {parentPort} from "node:worker_threads"; parentPort.postMessage({kind: "listening", url: "", token: "", scope: {}}); setTimeout(() => { throw new Error("out of luck"); }, 50);',
	);
	await writeFile(join(folder, 'hangs.mjs'), 'setInterval(() => {}, 1000);');
	await writeFile(join(folder, 'ends.mjs'), '');
	await writeFile(
		join(folder, 'tells.mjs'),
		'import {parentPort} from "node:worker_threads"; console.error("printed"); parentPort.postMessage({kind: "failed", message: JSON.stringify(process.env)});',
	);
});
afterAll(() => rm(folder, {recursive: true, force: true}));

test('the server runs in its own thread with its own token until it is closed', async () => {
	const [first, second] = await Promise.all([
		startEmbedded({workerUrl: script('worker.mjs')}),
		startEmbedded({workerUrl: script('worker.mjs')}),
	]);
	expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
	expect(first.url).not.toBe(second.url);
	const ask = (token: string) => fetch(`${first.url}/v1/models`, {headers: {authorization: `Bearer ${token}`}});
	expect((await ask(first.token.reveal())).status).toBe(200);
	expect((await ask(second.token.reveal())).status).toBe(401);
	expect(first.token.reveal()).toHaveLength(47);
	expect(String(first.token)).toBe('***');

	const projects = first.seen.filter(({kind}) => kind === 'project');
	expect(projects).toEqual([{kind: 'project', id: expect.stringMatching(/^[\da-f-]{36}$/)}]);
	const {org, workspace} = first.scope;
	const run = first.seen.find(({kind}) => kind === 'run')?.id;
	const items = await fetch(
		`${first.url}/api/v1/org/${org}/ws/${workspace}/workflows/runs/${run}/items?project_id=${projects[0]?.id}`,
		{headers: {authorization: `Bearer ${first.token.reveal()}`}},
	);
	expect([items.status, ((await items.json()) as unknown[]).length > 0]).toEqual([200, true]);

	await Promise.all([first.close(), second.close()]);
	await first.close();
	await expect(ask(first.token.reveal())).rejects.toThrow();
});

test('a thread that crashes later reports the reason', async () => {
	const died = await startEmbedded({workerUrl: script('dies.mjs')});
	expect(await died.ended).toBe('out of luck');
	const closed = await startEmbedded({workerUrl: script('worker.mjs')});
	await closed.close();
	expect(await closed.ended).toBe('status 0');
});

test('the server does not keep the program alive', async () => {
	const child = spawn(process.execPath, [join(folder, 'program.mjs')], {stdio: 'inherit'});
	const [status] = await once(child, 'exit');
	expect(status).toBe(0);
});

test.each([0, 150, 250, 400])('closed %i ms after its start began, the program ends cleanly', async wait => {
	const child = spawn(process.execPath, [join(folder, 'leaves.mjs'), String(wait)]);
	const [said, complaints, [status, signal]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, 'exit'),
	]);
	expect(said).toMatch(/^(TimeoutError|closed)$/);
	expect([complaints, status, signal]).toEqual(['', 0, null]);
});

test.each([
	['throws.mjs', 'no such thing'],
	['ends.mjs', 'its thread ended with status 0.'],
	['hangs.mjs', 'it did not respond for 0.3 s.'],
	['missing.mjs', 'Cannot find module'],
])('%s is a readable error', async (name, message) => {
	await expect(
		startEmbedded({workerUrl: script(name), startTimeoutMs: name === 'hangs.mjs' ? 300 : 600_000}),
	).rejects.toMatchObject({
		code: 'failed',
		message: expect.stringContaining(message),
	});
});

test('a worker of another build does not start: the user reads that the program was replaced', async () => {
	const workerUrl = new URL('server-worker.js#server-00000000/server-worker', pathToFileURL(program));
	const failed = await startEmbedded({workerUrl}).catch((error: unknown) => error);
	expect(reportError(failed)).toEqual({
		code: 'failed',
		message: 'service was changed on disk while it was running, for example by an update.',
		hint: 'Your session is saved. Quit, then continue it with `$ --continue`.',
	});
});

test('[8] no key in the environment reaches the thread', async () => {
	await expect(startEmbedded({workerUrl: script('tells.mjs')})).rejects.toMatchObject({
		message: 'The embedded server could not start: {}',
	});
});
