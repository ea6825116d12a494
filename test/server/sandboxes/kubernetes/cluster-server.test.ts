import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {initializeData, serve} from '../../../../src/server/run/serve.ts';
import {inWorkspace, scope} from '../../harness.ts';
import {eventually, temporaryFolder} from '../sandbox.ts';
import {addTask} from '../task-folder.ts';
import {clusterEnvironment} from './cluster-sandboxes.ts';
import {simulateContainers} from './simulated-container.ts';
import {stubCluster} from './stub-cluster.ts';

test('a server runs environments on a cluster, and names the context that it doesn’t find', async () => {
	const {startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer, hasSandboxes: true});
	const home = await temporaryFolder();
	const env = {...(await clusterEnvironment(cluster)), SERVICE_HOME: home, PATH: process.env['PATH']};
	const place = {env, data: join(home, 'data')};
	const {apiKey} = await initializeData(place, {
		organization: scope.org,
		workspace: scope.workspace,
		project: scope.project,
		email: 'ada@acme.example',
	});
	const stopping = new AbortController();
	const options = {
		...place,
		host: undefined,
		port: 0,
		artifacts: undefined,
		storageLimit: 1e9,
		publicUrl: undefined,
		image: 'node:22',
		unsafeSandboxes: false,
		demo: false,
		logLevel: 'error',
		writeLog: () => undefined,
		signal: stopping.signal,
	} as const;
	await expect(serve({...options, engine: 'kubernetes=nowhere/tasks'})).rejects.toThrow('no context “nowhere”');
	const server = await serve({...options, engine: 'kubernetes=stub'});
	onTestFinished(async () => {
		stopping.abort();
		await server.ended;
	});
	expect(server.sandboxes).toMatch(
		/^Kubernetes v1\.33\.1 at 127\.0\.0\.1:\d+, namespace sandboxes, Sandbox objects, node:22$/,
	);
	await addTask({folder: place.data}, 'waits', {});
	const send = async (method: string, path: string, body?: object) => {
		const headers = {authorization: `Bearer ${apiKey.reveal()}`, 'content-type': 'application/json'};
		const response = await fetch(`${server.url}${inWorkspace}${path}`, {
			method,
			headers,
			...(body && {body: JSON.stringify(body)}),
		});
		return (await response.json()) as Record<string, string>;
	};
	const {id = ''} = await send('POST', '/environments', {task_ref: 'waits'});
	await eventually(async () => (await send('GET', `/environments/${id}`))['state'] === 'ready');
	await eventually(async () => (await send('GET', `/environments/${id}/logs`))['logs'] === '[sandbox] begun\n');
	await send('POST', `/environments/${id}/stop`);
	expect((await send('GET', `/environments/${id}`))['state']).toBe('torn_down');
	expect(cluster.violations).toEqual([]);
});
