import {randomUUID} from 'node:crypto';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {expect, onTestFinished, test} from 'vitest';
import {secret} from '../../../../src/core/secrets/secret.ts';
import {createClusterClient} from '../../../../src/server/sandboxes/kubernetes/cluster-client.ts';
import {sandboxRules} from '../../../../src/server/sandboxes/kubernetes/cluster-role.ts';
import {selfSigned} from '../../../net/certificate.ts';
import {eventually} from '../sandbox.ts';
import {clusterSandboxes} from './cluster-sandboxes.ts';
import {simulateContainers} from './simulated-container.ts';
import {namespace, stubCluster} from './stub-cluster.ts';

test('[15] a pod has no rights, no token, a read-only root, limits and a closed network, and no variable of its task', async () => {
	const {startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer});
	const {provider, start} = await clusterSandboxes(cluster, {runtime: 'gvisor'});
	const id = await start(['node', 'main.mjs'], {
		environment: {PASSWORD: 'hunter2-hunter2'},
		files: new Map([['main.mjs', 'secret-text']]),
		limits: {memoryBytes: 512 * 1024 ** 2, diskBytes: 1024 ** 3},
	});
	const pod = cluster.storeOf('pods').get(`service-${id}`);
	expect(pod).toMatchObject({
		metadata: {labels: {'service.sandbox': id}},
		spec: {
			automountServiceAccountToken: false,
			enableServiceLinks: false,
			restartPolicy: 'Never',
			runtimeClassName: 'gvisor',
			securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: 'RuntimeDefault'}},
			containers: [
				{
					securityContext: {
						allowPrivilegeEscalation: false,
						readOnlyRootFilesystem: true,
						privileged: false,
						capabilities: {drop: ['ALL']},
					},
					resources: {limits: {cpu: '2', memory: '536870912', 'ephemeral-storage': '1140850688'}},
				},
			],
		},
	});
	expect(JSON.stringify(pod)).not.toMatch(/hostPath|hunter2|secret-text|hostNetwork|hostPID/);
	expect(cluster.storeOf('networkpolicies').get(`service-${id}`)).toMatchObject({
		spec: {
			podSelector: {matchLabels: {'service.sandbox': id}},
			policyTypes: ['Ingress', 'Egress'],
			ingress: [],
			egress: [],
		},
	});
	// The policy is there before anything can run.
	const order = cluster.asked.filter(each => each.startsWith('POST'));
	expect(order).toEqual(['POST /networkpolicies', 'POST /pods']);
	expect(cluster.violations).toEqual([]);
	await provider.remove(id);
});

test('a network is what the task asks and the operator opens, and never where clouds keep credentials', async () => {
	const {startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer});
	const closed = await clusterSandboxes(cluster);
	expect(closed.provider.refusalOf({network: 'open'})).toContain('--open-network');
	expect(closed.provider.refusalOf({network: {allow: ['a.example']}})).toBeUndefined();
	const {provider, start} = await clusterSandboxes(cluster, {
		openRanges: ['0.0.0.0/0', '10.1.0.0/16', '169.254.0.0/16'],
	});
	expect(provider.refusalOf({network: 'open'})).toBeUndefined();
	const policyOf = async (network: 'open' | {allow: string[]}) => {
		const id = await start(['sh'], {network});
		return JSON.stringify(cluster.storeOf('networkpolicies').get(`service-${id}`)?.spec);
	};
	const open = await policyOf('open');
	expect(open).toMatch(/"cidr":"0.0.0.0\/0","except":\[[^\]]*"10.0.0.0\/8"[^\]]*"169.254.0.0\/16"[^\]]*\]/);
	expect(open).toContain('{"cidr":"10.1.0.0/16","except":[]}');
	expect(open).toContain('{"cidr":"169.254.0.0/16","except":["169.254.169.254/32"]}');
	expect(open).toContain('"port":53');
	// The server’s proxy reaches them, through a program inside.
	expect(await policyOf({allow: ['a.example']})).toContain('"egress":[]');
	expect(cluster.violations).toEqual([]);
});

test('an image that can’t be pulled is named at once, and nothing is left behind', async () => {
	const {startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer, missingImages: ['nothing:1']});
	const {provider, start} = await clusterSandboxes(cluster);
	const id = randomUUID();
	await expect(start(['sh'], {id, image: 'nothing:1', workspace: randomUUID()})).rejects.toMatchObject({
		code: 'failed',
		message: 'Kubernetes couldn’t start the sandbox: ImagePullBackOff, Back-off pulling image "nothing:1": not found.',
	});
	expect(await provider.inspect(id)).toEqual({kind: 'gone'});
	const left = (['pods', 'networkpolicies', 'persistentvolumeclaims'] as const).map(each => cluster.storeOf(each).size);
	expect(left).toEqual([0, 0, 0]);
});

test('a pod that ends as soon as it may begin, and ends what told it so, has begun', async () => {
	const {startContainer, started} = simulateContainers();
	const cluster = await stubCluster({
		async startContainer(spec) {
			const container = await startContainer(spec);
			return {
				...container,
				run(words) {
					const program = container.run(words);
					program.input.once('close', () => started[0]?.end(0));
					return {...program, ended: container.ended.then(() => 137)};
				},
			};
		},
	});
	const {provider, start} = await clusterSandboxes(cluster);
	const id = await start(['true']);
	expect(await provider.inspect(id)).toMatchObject({kind: 'ended', status: 0, requested: false});
});

test('pods can’t be paused, and an object of the same name that is not ours is left alone', async () => {
	const {startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer});
	const {provider, start} = await clusterSandboxes(cluster);
	const id = await start(['sh']);
	expect(provider.supportsPause).toBe(false);
	await expect(provider.pause(id)).rejects.toMatchObject({
		code: 'failed',
		message: expect.stringContaining('can pause only'),
	});
	expect(await provider.inspect(id)).toEqual({kind: 'running'});
	const foreign = cluster.storeOf('pods').get(`service-${id}`);
	if (foreign) {
		foreign.metadata.labels = {'service.sandbox': randomUUID()};
	}

	const other = await clusterSandboxes(cluster);
	await expect(other.start(['sh'], {id})).rejects.toThrow(`Kubernetes has another object with the name service-${id}.`);
	expect(cluster.storeOf('pods').has(`service-${id}`)).toBe(true);
});

test('a missing right is named with the command that grants it', async () => {
	const {startContainer} = simulateContainers();
	const forbidden: string[] = [];
	const cluster = await stubCluster({startContainer, hasSandboxes: true, forbidden});
	const {provider, start} = await clusterSandboxes(cluster);
	forbidden.push('create sandboxes');
	await expect(start(['sh'])).rejects.toMatchObject({
		message: 'This server may not create sandboxes in the namespace sandboxes.',
		hint: 'Grant it with a role, such as: kubectl -n sandboxes create role service-sandboxes --verb=create --resource=sandboxes.agents.x-k8s.io',
	});
	forbidden.splice(0, 1, 'list pods');
	expect(await provider.unavailableReason()).toContain(
		'This server may not list pods in the namespace sandboxes. Grant it',
	);
	forbidden.splice(0, 1, 'get pods/exec');
	await expect(start(['sh'])).rejects.toThrow('This server may not get pods/exec');
});

/** Returns the rights that the requests of a cluster need, as `verb resource`. */
const rightsFor = (asked: readonly string[]) =>
	new Set(
		asked.flatMap(each => {
			const [method = '', path = ''] = each.split(' ');
			if (/^\/api\/v1\/namespaces\/\w+$/.test(path)) {
				return ['get namespaces'];
			}

			// Anyone may ask for the version and the resources of a cluster.
			const [, resource = '', name, part] = path.replace('?watch', '').split('/');
			if (['version', 'api', 'apis'].includes(resource)) {
				return [];
			}

			const get = name ? 'get' : each.endsWith('?watch') ? 'watch' : 'list';
			const verb = {POST: 'create', PATCH: 'patch', DELETE: 'delete', UPGRADE: 'get'}[method] ?? get;
			return [`${verb} ${resource}${part ? `/${part}` : ''}`];
		}),
	);

test('the role has every right that is used, and no other', async () => {
	const asked: string[] = [];
	for (const hasSandboxes of [true, false]) {
		const {startContainer} = simulateContainers();
		const cluster = await stubCluster({startContainer, hasSandboxes, missingImages: ['nothing:1']});
		const {provider, start, log} = await clusterSandboxes(cluster);
		await provider.machine();
		await provider.unavailableReason();
		await expect(start(['sh'], {image: 'nothing:1', workspace: randomUUID()})).rejects.toThrow('nothing:1');
		const id = await start(['sh'], {workspace: randomUUID()});
		await eventually(async () => (await log(id)).includes('begun'));
		await provider.note(id, 'x');
		if (hasSandboxes) {
			await provider.pause(id);
			await provider.resume(id, {after: 1000, action: 'end'});
		}

		await provider.list();
		await provider.isListening(id, 8080);
		await provider.end(id);
		await provider.inspect(id);
		await provider.remove(id);
		asked.push(...cluster.asked);
	}

	const granted = sandboxRules.flatMap(({resources, verbs}) =>
		resources.flatMap(resource => verbs.map(verb => `${verb} ${resource}`)),
	);
	// Newer clusters ask for it where others ask for `get`.
	expect([...rightsFor(asked), 'create pods/exec'].toSorted()).toEqual(granted.toSorted());
});

test('a refused token is read again once, and one that stays refused is said', async () => {
	const {startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer});
	cluster.tokens.add('good');
	const access = (token: string) => ({
		server: new URL(`https://127.0.0.1:${cluster.port}`),
		namespace,
		ca: cluster.tls.cert,
		serverName: 'stub.test',
		credentials: {token: secret(token)},
	});
	const open = (token: string) => {
		const client = createClusterClient({access: access(token), env: {}});
		onTestFinished(() => client.close());
		return client;
	};
	expect(await open('good').version()).toBe('v1.33.1');
	const client = open('bad');
	const request = {method: 'GET', resource: 'pods'} as const;
	const answer = await client.ask(request);
	expect(client.refusal('list pods', request, answer).message).toMatch(
		/doesn’t accept the credentials of this server\.$/,
	);
	expect(cluster.asked.filter(each => each === 'GET /pods')).toHaveLength(2);
	// Anyone with another certificate isn’t the cluster.
	const wrong = createClusterClient({access: {...access('good'), ca: selfSigned('stub.test').cert}, env: {}});
	onTestFinished(() => wrong.close());
	await expect(wrong.version()).rejects.toMatchObject({
		code: 'network',
		message: expect.stringContaining('certificate'),
	});
});

test('a busy cluster is asked again after the time that it says, and one that stays busy is named', async () => {
	const {startContainer} = simulateContainers();
	let busy = 2;
	const cluster = await stubCluster({
		startContainer,
		fault: (method, path) => {
			if (method === 'POST' && path === '/pods' && busy > 0) {
				busy -= 1;
				return {status: 429, headers: {'retry-after': '1'}};
			}

			return undefined;
		},
	});
	const {start} = await clusterSandboxes(cluster);
	await start(['sh']);
	expect(cluster.asked.filter(each => each === 'POST /pods')).toHaveLength(3);
	busy = 3;
	await expect(start(['sh'])).rejects.toMatchObject({code: 'network', message: expect.stringContaining('is busy')});
});

test('what the cluster itself ends says why, and an end of a log is read whole however it is cut', async () => {
	const {startContainer, started} = simulateContainers();
	const cluster = await stubCluster({startContainer});
	const {provider, start} = await clusterSandboxes(cluster);
	const id = await start(['sh']);
	const name = `service-${id}`;
	let text = '';
	let offset = 0;
	const collect = async (hasEnded: boolean) => {
		for (;;) {
			const window = await provider.readLog(id, {after: offset, hasEnded});
			if (!window || window.offset === offset) {
				return;
			}

			text += Buffer.from(window.text)
				.subarray(offset - window.start)
				.toString();
			offset = window.offset;
		}
	};
	for (let index = 0; index < 300; index += 1) {
		cluster.write(name, `line ${index} ${'ä'.repeat(index % 50)}\n`);
		if (index % 40 === 0) {
			await collect(false);
			cluster.cutConnections();
		}
	}

	started[0]?.end(137);
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	cluster.setStatus(name, {reason: 'Evicted', message: 'Usage of EmptyDir volume "sandbox" exceeds the limit "4Gi".'});
	await collect(true);
	const lines = Array.from({length: 300}, (_, index) => `line ${index} ${'ä'.repeat(index % 50)}\n`);
	expect(text).toBe(
		`[sandbox] begun\n${lines.join('')}[server] Kubernetes ended the sandbox: Evicted (Usage of EmptyDir volume "sandbox" exceeds the limit "4Gi")\n`,
	);
});

test('another server goes on with a log that the cluster has cut, at the offset that the first one kept', async () => {
	const {startContainer} = simulateContainers();
	const cluster = await stubCluster({startContainer});
	const {provider, start} = await clusterSandboxes(cluster);
	const id = await start(['sh']);
	const name = `service-${id}`;
	const line = `${'x'.repeat(999)}\n`;
	let offset = 0;
	for (let index = 0; index < 40; index += 1) {
		cluster.write(name, line.repeat(64));
		await eventually(async () => {
			const window = await provider.readLog(id, {after: offset});
			const isNew = (window?.offset ?? 0) > offset;
			offset = window?.offset ?? offset;
			return !isNew && offset >= 64_000 * (index + 1);
		});
	}

	await provider.close();
	const position = cluster.storeOf('pods').get(name)?.metadata.annotations?.['service.log-position'];
	expect(JSON.parse(position ?? '{}').offset).toBeGreaterThan(1_000_000);
	cluster.rotate(name, 1500);
	cluster.write(name, 'after the rotation\n');
	const next = await clusterSandboxes(cluster);
	let last = '';
	await eventually(async () => {
		const window = await next.provider.readLog(id, {after: offset});
		last = window?.text ?? '';
		return last !== '';
	});
	expect(last.slice(0, 40)).toBe('after the rotation\n');
});

test.each([
	['a list without an end', '{"metadata":{"resourceVersion":"1","continue":"x"},"items":[]}', 'without an end'],
	['something else than JSON', '<html>', 'gave no proper answer'],
	['JSON that is nested too deeply', `{"metadata":${'{"a":'.repeat(90)}1${'}'.repeat(90)}}`, 'gave no proper answer'],
	['gigabytes', undefined, 'its answer is longer than 16 MB'],
])('a cluster that answers with %s is bounded', async (_what, body, expected) => {
	const tls = selfSigned('stub.test');
	const server = createServer({key: tls.key, cert: tls.cert}, (_request, response) => {
		response.writeHead(200, {'content-type': 'application/json'});
		if (body !== undefined) {
			response.end(body);
			return;
		}

		const part = Buffer.alloc(1024 * 1024, 'x');
		const more = () => {
			while (!response.destroyed && response.write(part)) {
				// As fast as it is read.
			}
		};
		response.on('drain', more);
		more();
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	const client = createClusterClient({
		access: {
			server: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
			namespace,
			ca: tls.cert,
			serverName: 'stub.test',
			credentials: {},
		},
		env: {},
	});
	onTestFinished(async () => {
		await client.close();
		server.closeAllConnections();
		await new Promise(resolve => server.close(resolve));
	});
	const {listObjects} = await import('../../../../src/server/sandboxes/kubernetes/object-list.ts');
	const {podSchema} = await import('../../../../src/server/sandboxes/kubernetes/cluster-objects.ts');
	await expect(listObjects(client, 'pods', podSchema)).rejects.toMatchObject({
		code: 'network',
		message: expect.stringContaining(expected),
	});
});

test.each([0, 1, 2, 3, 4])(
	'%i conflicts of each change don’t keep a sandbox from being paused, resumed and ended',
	async count => {
		const {startContainer} = simulateContainers();
		let conflicts = 0;
		const cluster = await stubCluster({
			startContainer,
			hasSandboxes: true,
			fault: method => (method === 'PATCH' && conflicts-- > 0 ? {status: 409} : undefined),
		});
		const {provider, start} = await clusterSandboxes(cluster);
		const id = await start(['sh']);
		const kind = async () => (await provider.inspect(id)).kind;
		conflicts = count;
		await provider.pause(id);
		expect(cluster.storeOf('pods').size).toBe(0);
		conflicts = count;
		await provider.resume(id, {after: 60_000, action: 'pause'});
		await eventually(async () => (await kind()) === 'running');
		conflicts = count;
		await provider.end(id);
		await eventually(async () => (await kind()) === 'ended');
		await provider.remove(id);
	},
);

test('a change that never passes is said, and not waited for', async () => {
	const {startContainer} = simulateContainers();
	let isRefused = false;
	const cluster = await stubCluster({
		startContainer,
		hasSandboxes: true,
		fault: method => (isRefused && method === 'PATCH' ? {status: 409} : undefined),
	});
	const {provider, start} = await clusterSandboxes(cluster);
	const id = await start(['sh']);
	isRefused = true;
	await expect(provider.pause(id)).rejects.toMatchObject({
		code: 'network',
		message: expect.stringContaining('others change'),
	});
	isRefused = false;
	await provider.remove(id);
});
