import {createHash, randomUUID} from 'node:crypto';
import type {IncomingMessage, ServerResponse} from 'node:http';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import type {Duplex} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {setTimeout as sleep} from 'node:timers/promises';
import {TLSSocket} from 'node:tls';
import {onTestFinished} from 'vitest';
import {selfSigned} from '../../../net/certificate.ts';
import {answerFault, type EngineFault} from '../providers/engine-fault.ts';
import {temporaryFolder} from '../sandbox.ts';
import {bodySchemas, deleteSchema, patchSchemas} from './published-schemas.ts';
import {type Container, type ContainerSpec, claimFolder, createVolume, removeVolume} from './stub-container.ts';

type Metadata = {
	name: string;
	uid: string;
	resourceVersion?: string;
	deletionTimestamp?: string;
	labels?: Record<string, string>;
	annotations?: Record<string, string | null>;
	ownerReferences?: {kind: string; name: string; uid: string}[];
};

type PodSpec = {
	containers: {
		name: string;
		image: string;
		command: string[];
		env: {name: string; value: string}[];
		startupProbe?: {exec: {command: string[]}};
		readinessProbe?: {exec: {command: string[]}};
	}[];
	volumes: {name: string; persistentVolumeClaim?: {claimName: string}}[];
	terminationGracePeriodSeconds: number;
	activeDeadlineSeconds?: number;
};

type SandboxSpec = {
	operatingMode?: string;
	podTemplate?: {metadata: Pick<Metadata, 'labels' | 'annotations'>; spec: PodSpec};
	volumeClaimTemplates?: {metadata: {name: string}}[];
};

/** An object of any kind, with what is asked of it here. */
type Stored = {metadata: Metadata; spec: PodSpec & SandboxSpec; status?: Record<string, unknown>};

type Body = {metadata?: Partial<Metadata>; spec?: Partial<PodSpec & SandboxSpec>};

type Resource = keyof typeof bodySchemas;

export type ClusterOptions = {
	/** Whether it has Sandbox objects, with their controller. */
	readonly hasSandboxes?: boolean;
	readonly startContainer: (spec: ContainerSpec) => Promise<Container>;
	/** `who` is what the address of the kubeconfig calls its reader. */
	readonly fault?: (method: string, path: string, url: URL, who?: string) => EngineFault | undefined;
	readonly protocol?: 'v4.channel.k8s.io' | 'v5.channel.k8s.io';
	/** Images that can't be pulled. */
	readonly missingImages?: readonly string[];
	/** What isn't allowed, as `verb resource`. */
	readonly forbidden?: readonly string[];
	/** The most objects of one answer. */
	readonly pageSize?: number;
};

const groups: Readonly<Record<Resource, string>> = {
	pods: '/api/v1',
	persistentvolumeclaims: '/api/v1',
	networkpolicies: '/apis/networking.k8s.io/v1',
	sandboxes: '/apis/agents.x-k8s.io/v1beta1',
};

const kinds: Readonly<Record<Resource, string>> = {
	pods: 'Pod',
	persistentvolumeclaims: 'PersistentVolumeClaim',
	networkpolicies: 'NetworkPolicy',
	sandboxes: 'Sandbox',
};

type Event = {readonly version: number; readonly resource: Resource; readonly type: string; readonly object: Stored};

/** What a pod runs, and what it has written, with the time of each line. */
type Running = {
	container?: Container;
	log: {time: bigint; text: string}[];
	isOver: boolean;
	wake: Set<() => void>;
	partial: string;
};

export const namespace = 'sandboxes';

/**
 * Starts an API server with TLS that keeps the rules of Kubernetes: versions that only grow, conflicts, watches with
 * bookmarks that expire, logs with times, programs over WebSocket; a kubelet that runs pods, and a controller of Sandbox
 * objects. Every body is checked against the published schemas.
 */
export async function stubCluster({hasSandboxes = false, protocol = 'v5.channel.k8s.io', ...options}: ClusterOptions) {
	const root = await temporaryFolder();
	const tls = selfSigned('stub.test');
	const client = selfSigned('client');
	const namespaceId = randomUUID();
	const objects = new Map<Resource, Map<string, Stored>>(
		(Object.keys(groups) as Resource[]).map(resource => [resource, new Map()]),
	);
	const running = new Map<string, Running>();
	/** All that were started, also those whose pods were deleted meanwhile. */
	const containers: Promise<Container>[] = [];
	const volumes: string[] = [];
	const asked: string[] = [];
	const watchers = new Set<{readonly send: (event: Event | 'bookmark') => void; readonly end: () => void}>();
	const sockets = new Set<Duplex>();
	let events: Event[] = [];
	let version = 1000;
	let oldest = 1000;
	const clockSkewNs = 0n;
	/** Bodies that the published schemas refuse. */
	const violations: string[] = [];
	const tokens = new Set<string>();
	const isClosed = {now: false};

	const nowNs = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6)) + clockSkewNs;
	const storeOf = (resource: Resource) => objects.get(resource) ?? new Map<string, Stored>();
	const record = (resource: Resource, type: string, object: Stored) => {
		version += 1;
		object.metadata.resourceVersion = String(version);
		const event = {version, resource, type, object: structuredClone(object)};
		events.push(event);
		for (const {send} of watchers) {
			send(event);
		}
	};
	const put = (resource: Resource, object: Stored) => {
		const store = storeOf(resource);
		const {name} = object.metadata;
		const type = store.has(name) ? 'MODIFIED' : 'ADDED';
		store.set(name, object);
		record(resource, type, object);
	};
	const change = (resource: Resource, name: string, uid: string, work: (object: Stored) => void) => {
		const object = storeOf(resource).get(name);
		if (object && object.metadata.uid === uid) {
			work(object);
			put(resource, object);
		}
	};
	const erase = (resource: Resource, name: string, uid: string) => {
		const object = storeOf(resource).get(name);
		if (object && object.metadata.uid === uid) {
			storeOf(resource).delete(name);
			record(resource, 'DELETED', object);
		}
	};

	// The kubelet.
	const volumeOf = (pod: Stored): string => {
		const claim = pod.spec.volumes.find(each => each.name === 'sandbox')?.persistentVolumeClaim?.claimName;
		if (claim !== undefined) {
			return claimFolder(root, claim);
		}

		const folder = createVolume();
		volumes.push(folder);
		return folder;
	};
	const take = (pod: Running, part: Buffer) => {
		const lines = `${pod.partial}${part.toString('utf8')}`.split(/(?<=\n)/);
		pod.partial = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
		for (const text of lines) {
			pod.log.push({time: nowNs(), text});
		}

		for (const wake of pod.wake) {
			wake();
		}
	};
	const runPod = async (pod: Stored): Promise<void> => {
		const {name, uid} = pod.metadata;
		const [spec] = pod.spec.containers;
		if (!spec) {
			return;
		}

		const set = (status: Record<string, unknown>) =>
			change('pods', name, uid, object => Object.assign(object, {status}));
		const containerStatus = (more: object) => [
			{name: spec.name, ready: false, started: false, restartCount: 0, ...more},
		];
		await sleep(5);
		if (options.missingImages?.includes(spec.image)) {
			const waiting = {reason: 'ImagePullBackOff', message: `Back-off pulling image "${spec.image}": not found`};
			set({phase: 'Pending', containerStatuses: containerStatus({state: {waiting}})});
			return;
		}

		set({phase: 'Pending', containerStatuses: containerStatus({state: {waiting: {reason: 'ContainerCreating'}}})});
		const state: Running = {log: [], isOver: false, wake: new Set(), partial: ''};
		running.set(uid, state);
		const env = Object.fromEntries(spec.env.map(each => [each.name, each.value]));
		const starting = options.startContainer({command: spec.command, env, volume: volumeOf(pod)});
		containers.push(starting);
		const container = await starting;
		state.container = container;
		container.output(part => take(state, part));
		const startedAt = new Date().toISOString();
		const up = {state: {running: {startedAt}}};
		set({phase: 'Running', podIP: '10.0.0.7', containerStatuses: containerStatus(up)});
		void container.ended.then(async code => {
			await sleep(5);
			if (state.partial !== '') {
				take(state, Buffer.from('\n'));
			}

			state.isOver = true;
			const reason =
				storeOf('pods').get(name)?.spec.activeDeadlineSeconds === undefined ? undefined : 'DeadlineExceeded';
			const terminated = {exitCode: code, reason: code === 0 ? 'Completed' : 'Error'};
			set({
				phase: code === 0 && !reason ? 'Succeeded' : 'Failed',
				...(reason && {reason, message: 'Pod was active on the node longer than the specified deadline'}),
				containerStatuses: containerStatus({state: {terminated}}),
			});
			for (const wake of state.wake) {
				wake();
			}
		});
		const probe = async (command: readonly string[] | undefined, done: () => void) => {
			while (command && !state.isOver && !isClosed.now) {
				if (await container.test(command)) {
					if (!state.isOver) {
						done();
					}

					return;
				}

				await sleep(20);
			}
		};
		const isReady = spec.readinessProbe === undefined;
		void probe(spec.startupProbe?.exec.command, () => {
			set({phase: 'Running', containerStatuses: containerStatus({...up, started: true, ready: isReady})});
			void probe(spec.readinessProbe?.exec.command, () =>
				set({phase: 'Running', containerStatuses: containerStatus({...up, started: true, ready: true})}),
			);
		});
	};
	const stopPod = async ({metadata: {uid}, spec}: Stored): Promise<void> => {
		const state = running.get(uid);
		if (!state?.container || state.isOver) {
			return;
		}

		const {container} = state;
		container.signal('SIGTERM');
		const grace = sleep(spec.terminationGracePeriodSeconds * 1000, 'late', {ref: false});
		if ((await Promise.race([container.ended, grace])) === 'late') {
			container.signal('SIGKILL');
		}

		await container.ended;
	};
	const deletePod = async (pod: Stored): Promise<void> => {
		const {name, uid, deletionTimestamp} = pod.metadata;
		if (deletionTimestamp) {
			return;
		}

		change('pods', name, uid, object => {
			object.metadata.deletionTimestamp = new Date().toISOString();
		});
		await stopPod(pod);
		await sleep(20);
		erase('pods', name, uid);
		reconcileAll();
	};

	// The controller of Sandbox objects.
	const reconcile = (sandbox: Stored): void => {
		const {name, uid} = sandbox.metadata;
		const {operatingMode, podTemplate, volumeClaimTemplates = []} = sandbox.spec;
		const pod = storeOf('pods').get(name);
		if (operatingMode === 'Suspended') {
			if (pod) {
				void deletePod(pod);
			}

			return;
		}

		if (!pod && podTemplate) {
			const claims = volumeClaimTemplates.map(each => ({
				name: each.metadata.name,
				persistentVolumeClaim: {claimName: `${each.metadata.name}-${name}`},
			}));
			const spec = structuredClone(podTemplate.spec);
			spec.volumes = [...spec.volumes, ...claims];
			createPod({...podTemplate.metadata, name, ownerReferences: [{kind: 'Sandbox', name, uid}]}, spec);
		}
	};
	const reconcileAll = () => {
		if (!isClosed.now) {
			for (const sandbox of storeOf('sandboxes').values()) {
				reconcile(sandbox);
			}
		}
	};
	const createPod = (metadata: Omit<Metadata, 'uid'>, spec: PodSpec) => {
		const pod = {
			apiVersion: 'v1',
			kind: 'Pod',
			metadata: {...metadata, namespace, uid: randomUUID(), creationTimestamp: new Date().toISOString()},
			spec,
			status: {phase: 'Pending'},
		};
		put('pods', pod);
		void runPod(pod);
		return pod;
	};

	// The API.
	const answer = (response: ServerResponse, status: number, json: unknown, headers = {}) => {
		response.writeHead(status, {'content-type': 'application/json', ...headers});
		response.end(JSON.stringify(json));
	};
	const refuse = (response: ServerResponse, code: number, reason: string, message: string, headers = {}) =>
		answer(
			response,
			code,
			{kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code},
			headers,
		);
	const watch = (response: ServerResponse, resource: Resource, url: URL) => {
		const from = Number(url.searchParams.get('resourceVersion'));
		if (from < oldest) {
			refuse(response, 410, 'Expired', `too old resource version: ${from} (${oldest})`);
			return;
		}

		response.writeHead(200, {'content-type': 'application/json', 'transfer-encoding': 'chunked'});
		const write = (type: string, object: object) => response.write(`${JSON.stringify({type, object})}\n`);
		const watcher = {
			send(event: Event | 'bookmark') {
				if (event === 'bookmark') {
					write('BOOKMARK', {kind: kinds[resource], metadata: {resourceVersion: String(version)}});
				} else if (event.resource === resource && event.object.metadata.labels?.['service.sandbox']) {
					write(event.type, event.object);
				}
			},
			end: () => void response.destroy(),
		};
		for (const event of events) {
			if (event.version > from) {
				watcher.send(event);
			}
		}

		watchers.add(watcher);
		response.on('close', () => watchers.delete(watcher));
		// Headers go at once.
		response.flushHeaders();
	};
	const list = (response: ServerResponse, resource: Resource, url: URL) => {
		const all = [...storeOf(resource).values()].filter(({metadata}) => metadata.labels?.['service.sandbox']);
		const [at = '0', since = String(version)] = (url.searchParams.get('continue') ?? '').split(':').filter(Boolean);
		if (Number(since) < oldest) {
			refuse(response, 410, 'Expired', 'The provided continue parameter is too old');
			return;
		}

		const limit = Math.min(Number(url.searchParams.get('limit') ?? all.length), options.pageSize ?? 2);
		const items = all.slice(Number(at), Number(at) + limit);
		const rest = Number(at) + limit < all.length ? {continue: `${Number(at) + limit}:${since}`} : {};
		answer(response, 200, {kind: `${kinds[resource]}List`, metadata: {resourceVersion: since, ...rest}, items});
	};
	const create = (response: ServerResponse, resource: Resource, body: Stored) => {
		const checked = bodySchemas[resource].safeParse(body);
		if (!checked.success) {
			violations.push(`${resource}: ${checked.error.message}`);
			refuse(response, 422, 'Invalid', `${kinds[resource]} is invalid: ${checked.error.issues[0]?.path.join('.')}`);
			return;
		}

		const {name} = body.metadata;
		if (storeOf(resource).has(name)) {
			refuse(response, 409, 'AlreadyExists', `${resource} "${name}" already exists`);
			return;
		}

		if (resource === 'pods') {
			answer(response, 201, createPod(body.metadata, body.spec));
			return;
		}

		const object = {...body, metadata: {...body.metadata, namespace, uid: randomUUID()}};
		put(resource, object);
		answer(response, 201, object);
		if (resource === 'sandboxes') {
			reconcile(object);
		}
	};
	const patch = (response: ServerResponse, resource: Resource, name: string, body: Body) => {
		const object = storeOf(resource).get(name);
		const checked =
			resource === 'pods' || resource === 'sandboxes' ? patchSchemas[resource].safeParse(body) : undefined;
		if (!checked?.success) {
			violations.push(`patch of ${resource}: ${checked?.error?.message}`);
			refuse(response, 422, 'Invalid', 'the patch is invalid');
		} else if (!object) {
			refuse(response, 404, 'NotFound', `${resource} "${name}" not found`);
		} else if (body.metadata?.resourceVersion && body.metadata.resourceVersion !== object.metadata.resourceVersion) {
			refuse(
				response,
				409,
				'Conflict',
				`Operation cannot be fulfilled on ${resource} "${name}": the object has been modified`,
			);
		} else {
			const {annotations: changes = {}} = body.metadata ?? {};
			const merged = {...object.metadata.annotations, ...changes};
			object.metadata.annotations = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
			Object.assign(object.spec, body.spec);
			put(resource, object);
			answer(response, 200, object);
			if (resource === 'sandboxes') {
				reconcile(object);
			} else if (body.spec?.activeDeadlineSeconds !== undefined) {
				void stopPod(object);
			}
		}
	};
	const remove = (response: ServerResponse, resource: Resource, name: string, body: Body) => {
		const object = storeOf(resource).get(name);
		if (!deleteSchema.safeParse(body).success) {
			violations.push(`delete of ${resource}`);
		}

		if (!object) {
			refuse(response, 404, 'NotFound', `${resource} "${name}" not found`);
			return;
		}

		answer(response, 200, object);
		if (resource === 'pods') {
			void deletePod(object);
			return;
		}

		erase(resource, name, object.metadata.uid);
		const pod = resource === 'sandboxes' ? storeOf('pods').get(name) : undefined;
		if (pod) {
			void deletePod(pod);
		}
	};
	const stamp = (time: bigint) => {
		const [seconds, rest] = [time / 1_000_000_000n, time % 1_000_000_000n];
		return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(rest).padStart(9, '0')}Z`;
	};
	const readLog = async (response: ServerResponse, pod: Stored, url: URL) => {
		const state = running.get(pod.metadata.uid);
		if (!state?.container) {
			refuse(response, 400, 'BadRequest', 'container "sandbox" in pod is waiting to start: ContainerCreating');
			return;
		}

		const {searchParams} = url;
		const since = searchParams.get('sinceTime');
		// The API server passes whole seconds on.
		const from = since === null ? 0n : BigInt(Math.floor(Date.parse(since) / 1000)) * 1_000_000_000n;
		const tail = Number(searchParams.get('tailLines') ?? Number.POSITIVE_INFINITY);
		const first = Math.max(0, state.log.length - tail);
		const isFollowed = searchParams.get('follow') === 'true';
		response.writeHead(200, {'content-type': 'text/plain'});
		response.flushHeaders();
		const closed = new Promise<void>(resolve => response.once('close', resolve));
		let at = first;
		let last = state.log[at];
		for (;;) {
			// What was rotated away doesn't move what comes next.
			at = last && state.log[at - 1] !== last && at > first ? state.log.indexOf(last) + 1 : at;
			while (at < state.log.length && !response.destroyed) {
				last = state.log[at];
				at += 1;
				if (last && last.time >= from) {
					const text = searchParams.get('timestamps') === 'true' ? `${stamp(last.time)} ${last.text}` : last.text;
					if (!response.write(text)) {
						await Promise.race([closed, new Promise<void>(resolve => response.once('drain', resolve))]);
					}
				}
			}

			if (!isFollowed || state.isOver || response.destroyed) {
				break;
			}

			let wake = () => {};
			const woken = new Promise<void>(resolve => {
				wake = resolve;
			});
			state.wake.add(wake);
			await Promise.race([closed, woken]);
			// Others that follow it wait for what comes next already.
			state.wake.delete(wake);
		}

		response.end();
	};
	const handle = async (request: IncomingMessage, response: ServerResponse) => {
		const {who, url} = addressOf(request);
		const method = request.method ?? '';
		const {resource, name, part, path} = placeOf(url.pathname);
		asked.push(`${method} ${path}${url.searchParams.has('watch') ? '?watch' : ''}`);
		const body = await buffer(request);
		const fault = options.fault?.(method, path, url, who);
		if (answerFault(fault, request, response)) {
			return;
		}

		if (fault?.status !== undefined) {
			refuse(response, fault.status, 'InternalError', 'etcdserver: request timed out', fault.headers);
			return;
		}

		if (fault?.break === 'after') {
			response.end = response.write = (() => {
				request.socket.destroy();
				return false;
			}) as never;
		}

		const {authorization = ''} = request.headers;
		const isKnown = tokens.has(authorization.replace('Bearer ', '')) || isAuthorized(request);
		const json = body.length > 0 ? JSON.parse(body.toString()) : {};
		const isWatch = url.searchParams.has('watch');
		const verb = {
			GET: name === undefined ? (isWatch ? 'watch' : 'list') : 'get',
			...{POST: 'create', PATCH: 'patch', DELETE: 'delete'},
		}[method];
		if (!isKnown) {
			refuse(response, 401, 'Unauthorized', 'Unauthorized');
		} else if (path === '/version') {
			answer(response, 200, {major: '1', minor: '33', gitVersion: 'v1.33.1'});
		} else if (path === `/api/v1/namespaces/${namespace}`) {
			answer(response, 200, {kind: 'Namespace', metadata: {name: namespace, uid: namespaceId}});
		} else if (path === groups.sandboxes && hasSandboxes) {
			answer(response, 200, {kind: 'APIResourceList', resources: [{name: 'sandboxes'}, {name: 'sandboxes/status'}]});
		} else if (!resource || (resource === 'sandboxes' && !hasSandboxes)) {
			response.writeHead(404, {'content-type': 'text/plain'}).end('404 page not found\n');
		} else if (options.forbidden?.includes(`${verb} ${resource}${part ? `/${part}` : ''}`)) {
			const message = `${resource} is forbidden: User "ada" cannot ${verb} resource "${resource}" in API group "" in the namespace "${namespace}"`;
			refuse(response, 403, 'Forbidden', message);
		} else if (name === undefined) {
			if (method === 'POST') {
				create(response, resource, json);
			} else if (isWatch) {
				watch(response, resource, url);
			} else {
				list(response, resource, url);
			}
		} else {
			const object = storeOf(resource).get(name);
			if (part === 'log' && object) {
				await readLog(response, object, url);
			} else if (method === 'PATCH') {
				patch(response, resource, name, json);
			} else if (method === 'DELETE') {
				remove(response, resource, name, json);
			} else if (object && part === undefined) {
				answer(response, 200, object);
			} else if (object) {
				refuse(response, 400, 'BadRequest', 'Upgrade request required');
			} else {
				refuse(response, 404, 'NotFound', `${resource} "${name}" not found`);
			}
		}
	};
	// A resumed session counts as authorized although its client has no certificate.
	const isAuthorized = ({socket}: IncomingMessage) =>
		socket instanceof TLSSocket && socket.authorized && socket.getPeerCertificate().raw !== undefined;

	const server = createServer(
		{key: tls.key, cert: tls.cert, ca: client.cert, requestCert: true, rejectUnauthorized: false},
		(request, response) => void handle(request, response).catch(error => response.destroy(error)),
	);
	server.on('secureConnection', socket => {
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	server.on('upgrade', (request, socket) => {
		const {who, url} = addressOf(request);
		const {name = '', path} = placeOf(url.pathname);
		asked.push(`UPGRADE ${path}`);
		const fault = options.fault?.('UPGRADE', path, url, who);
		const pod = storeOf('pods').get(name);
		const container = running.get(pod?.metadata.uid ?? '')?.container;
		const offered = String(request.headers['sec-websocket-protocol']).split(', ');
		const isRefused = options.forbidden?.includes('get pods/exec') ?? false;
		if (fault?.answer === 'nothing') {
			return;
		}

		if (fault || !container || isRefused || !offered.includes(protocol)) {
			socket.end(`HTTP/1.1 ${isRefused ? '403 Forbidden' : '404 Not Found'}\r\ncontent-length: 0\r\n\r\n`);
			return;
		}

		const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
		const accept = createHash('sha1').update(key).digest('base64');
		socket.write(
			`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
		);
		relayProgram(socket, container, url);
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	const {port} = server.address() as AddressInfo;
	let isListening = true;
	const stop = async () => {
		if (isListening) {
			isListening = false;
			const closed = new Promise(resolve => server.close(resolve));
			for (const socket of sockets) {
				socket.destroy();
			}

			await closed;
		}
	};
	onTestFinished(async () => {
		isClosed.now = true;
		for (const container of await Promise.all(containers)) {
			container.signal('SIGKILL');
			await container.ended;
		}

		await stop();
		for (const volume of volumes) {
			removeVolume(volume);
		}
	});
	return {
		port,
		tls,
		client,
		asked,
		violations,
		tokens,
		namespaceId,
		storeOf,
		/** Ends all watches. */
		cutWatches() {
			for (const {end} of watchers) {
				end();
			}
		},
		bookmark() {
			for (const {send} of watchers) {
				send('bookmark');
			}
		},
		/** Forgets what has happened, so that watches from earlier versions are too old. */
		compact() {
			events = [];
			version += 1;
			oldest = version;
		},
		/** Ends all connections, as when the API server is replaced. */
		cutConnections() {
			for (const socket of sockets) {
				socket.destroy();
			}
		},
		stop,
		async begin() {
			isListening = true;
			await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
		},
		/** Removes the beginning of the log of a pod, as a kubelet does. */
		rotate(name: string, keep: number) {
			const log = running.get(storeOf('pods').get(name)?.metadata.uid ?? '')?.log;
			log?.splice(0, log.length - keep);
		},
		write(name: string, text: string) {
			const state = running.get(storeOf('pods').get(name)?.metadata.uid ?? '');
			if (state) {
				take(state, Buffer.from(text));
			}
		},
		/** Removes a pod as when its node is lost. */
		async losePod(name: string) {
			const pod = storeOf('pods').get(name);
			if (pod) {
				await deletePod(pod);
			}
		},
		/** Sets the state of a pod, as a kubelet that evicts it. */
		setStatus(name: string, status: Record<string, unknown>) {
			const pod = storeOf('pods').get(name);
			if (pod) {
				change('pods', name, pod.metadata.uid, object => Object.assign(object.status ?? {}, status));
			}
		},
		/** The containers that were started for a name, and what runs. */
		running,
	};
}

export type Cluster = Awaited<ReturnType<typeof stubCluster>>;

/** Returns where a request goes, behind the name of whoever asks. */
function addressOf({url = ''}: IncomingMessage) {
	const [, who, path = url] = /^\/as\/(\w+)(\/.*)$/.exec(url) ?? [];
	return {who, url: new URL(path, 'https://stub.test')};
}

function placeOf(path: string) {
	for (const [resource, group] of Object.entries(groups)) {
		const start = `${group}/namespaces/${namespace}/${resource}`;
		if (path === start || path.startsWith(`${start}/`)) {
			const [name, part] = path.slice(start.length + 1).split('/');
			const shown = `/${resource}${name ? '/*' : ''}${part ? `/${part}` : ''}`;
			return {resource: resource as Resource, name: name || undefined, part, path: shown};
		}
	}

	return {resource: undefined, name: undefined, part: undefined, path};
}

/** Returns a frame of a server, which isn't masked (RFC 6455). */
function frame(channel: number, payload: Buffer): Buffer {
	const length = payload.length + 1;
	const head = length < 126 ? Buffer.of(0x82, length) : Buffer.of(0x82, 126, length >> 8, length & 0xff);
	return Buffer.concat([head, Buffer.of(channel), payload]);
}

/** Connects a WebSocket with a program in a container, as a kubelet does. */
function relayProgram(socket: Duplex, container: Container, url: URL): void {
	const program = container.run(url.searchParams.getAll('command'));
	program.output.on('data', (part: Buffer) => {
		for (let at = 0; at < part.length; at += 30_000) {
			socket.write(frame(1, part.subarray(at, at + 30_000)));
		}
	});
	if (url.searchParams.get('stdin') !== 'true') {
		program.input.end();
	}

	let rest = Buffer.alloc(0);
	socket.on('data', (part: Buffer) => {
		rest = Buffer.concat([rest, part]);
		for (;;) {
			const short = (rest[1] ?? 0) & 0x7f;
			const head = short < 126 ? 2 : 4;
			const length = short < 126 ? short : rest.length >= 4 ? rest.readUInt16BE(2) : 0;
			if (rest.length < head + 4 + length || rest.length < 2) {
				return;
			}

			const mask = rest.subarray(head, head + 4);
			const payload = Buffer.from(rest.subarray(head + 4, head + 4 + length)).map(
				(byte, at) => byte ^ (mask[at % 4] ?? 0),
			);
			rest = rest.subarray(head + 4 + length);
			if (payload[0] === 0) {
				program.input.write(payload.subarray(1));
			} else if (payload[0] === 255) {
				program.input.end();
			}
		}
	});
	socket.on('error', () => program.kill());
	socket.on('close', () => program.kill());
	void program.ended.then(code => {
		const status =
			code === 0
				? {metadata: {}, status: 'Success'}
				: {
						metadata: {},
						status: 'Failure',
						reason: 'NonZeroExitCode',
						message: `command terminated with non-zero exit code: exit status ${code}`,
						details: {causes: [{reason: 'ExitCode', message: String(code)}]},
					};
		socket.write(frame(3, Buffer.from(JSON.stringify(status))));
		socket.end(Buffer.of(0x88, 0));
	});
}

/** Returns the path of a kubeconfig for a cluster. */
export function kubeconfigFor({port, tls, client}: Cluster, folder: string, who?: string) {
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const config = {
		apiVersion: 'v1',
		kind: 'Config',
		'current-context': 'stub',
		clusters: [
			{
				name: 'stub',
				cluster: {
					server: `https://127.0.0.1:${port}${who ? `/as/${who}` : ''}`,
					'certificate-authority-data': base64(tls.cert),
					'tls-server-name': 'stub.test',
				},
			},
		],
		users: [
			{name: 'ada', user: {'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key)}},
		],
		contexts: [{name: 'stub', context: {cluster: 'stub', user: 'ada', namespace}}],
	};
	return {path: join(folder, 'config'), config};
}
