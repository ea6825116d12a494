import {setTimeout as sleep} from 'node:timers/promises';
import type * as z from 'zod/mini';
import {AppError, messageOf} from '../../../core/error.ts';
import {once} from '../../../core/once.ts';
import {isUuid} from '../../../core/uuid.ts';
import {relayCommand} from '../../egress/relay-script.ts';
import {linesOf} from '../docker/container-log.ts';
import {firstBytes} from '../docker/container-paths.ts';
import {relayScript} from '../docker/entry-script.ts';
import {createTunnels} from '../docker/service-tunnel.ts';
import {allowIn, createEgressLinks} from '../egress-links.ts';
import {lineOf} from '../engine-message.ts';
import {hasListener} from '../ports.ts';
import type {ListedSandbox, SandboxNeeds, SandboxProvider, SandboxSpec, SandboxState} from '../provider.ts';
import {type BeginCommand, fillCommand, resumeCommand} from './begin-script.ts';
import type {ClusterClient, ClusterRequest, ResourceName} from './cluster-client.ts';
import {
	type ClusterObject,
	objectSchema,
	type Pod,
	podSchema,
	type SandboxObject,
	sandboxSchema,
} from './cluster-objects.ts';
import {networkPolicy, networkRefusal} from './network-policy.ts';
import {listObjects} from './object-list.ts';
import {
	annotations,
	containerName,
	objectName,
	organizationLabel,
	sandboxLabel,
	workspaceName,
} from './object-names.ts';
import {type ObjectWatch, watchObjects} from './object-watch.ts';
import {claimBody, type PodOptions, podBody, sandboxBody, shutdownTime} from './pod-body.ts';
import {createPodLog, type LogPosition, type PodLog, parsePosition} from './pod-log.ts';
import {startProgram} from './pod-program.ts';
import {endedState, endNote, hasBegun, hasEnded, isPaused, isUp, liveState, startProblem} from './pod-state.ts';

type Options = PodOptions & {
	readonly client: ClusterClient;
	readonly times?: Partial<Times>;
};

/** How long things may take, in milliseconds. */
type Times = {
	/** An image is pulled. */
	readonly startMs: number;
	/** A pod ends, beyond the time that it has to shut down. */
	readonly endMs: number;
	/** How often what should change is looked at, while the cluster doesn't tell. */
	readonly lookMs: number;
	readonly silenceMs: number;
	readonly maxDelayMs: number;
};

const usualTimes: Times = {startMs: 300_000, endMs: 60_000, lookMs: 2000, silenceMs: 150_000, maxDelayMs: 30_000};

/** The first of the ports that services get; each sandbox has its own. */
const firstPort = 8080;

/** How many lines at the end of a log tell how a sandbox ended. */
const endLines = 20;

/** How much a short program inside may say, and all lines of the server for a sandbox. */
const maxSaidBytes = 1024 * 1024;
const maxNotesBytes = 64 * 1024;

/** How often a change is tried that others change at the same time, and the start of a program whose connection breaks. */
const maxTries = 5;

/** Seconds after which the cluster ends a pod: it takes no zero. */
const endNow = {spec: {activeDeadlineSeconds: 1}};

/** Unknown fields are refused, so that no limit is left out unseen by a cluster that doesn't know it. */
const strictly = {fieldValidation: 'Strict'};

/**
 * Creates a provider that runs sandboxes as pods of a cluster: as Sandbox objects (agents.x-k8s.io) where it has those, which
 * can be paused, and as plain pods otherwise. Names are made of ids, so that any server finds them. Deadlines are kept by
 * the server, not here.
 */
export function createKubernetesProvider({client, times: given, ...options}: Options): SandboxProvider {
	const times = {...usualTimes, ...given};
	const watching = {client, silenceMs: times.silenceMs, maxDelayMs: times.maxDelayMs};
	const pods = watchObjects<Pod>({...watching, resource: 'pods', schema: podSchema});
	let sandboxes: ObjectWatch<SandboxObject> | undefined;
	let hasSandboxes = false;
	const discover = once(async () => {
		hasSandboxes = await client.serves('sandboxes');
		sandboxes = hasSandboxes ? watchObjects({...watching, resource: 'sandboxes', schema: sandboxSchema}) : undefined;
	});
	const version = once(() => client.version());

	/** Asks the cluster for an object. Only its own word for a missing one counts. */
	const find = async <Item extends ClusterObject>(
		resource: ResourceName,
		name: string,
		schema: z.ZodMiniType<Item>,
	): Promise<Item | undefined> => {
		const request: ClusterRequest = {method: 'GET', resource, name};
		const answer = await client.ask(request);
		if (answer.status === 404 && answer.reason === 'NotFound') {
			return undefined;
		}

		if (answer.status !== 200) {
			throw client.refusal('look at a sandbox', request, answer);
		}

		return await answer.read(schema);
	};
	const askForPod = async (id: string): Promise<Pod | undefined> => {
		const name = objectName(id);
		const pod = await find('pods', name, podSchema);
		if (!pod) {
			pods.forget(name, pods.known(name)?.metadata.uid);
		}

		return pod && isOurs(pod, id) ? pod : undefined;
	};
	const findPod = async (id: string): Promise<Pod | undefined> => {
		const known = pods.known(objectName(id));
		return known && isOurs(known, id) ? known : await askForPod(id);
	};
	const askForSandbox = async (id: string): Promise<SandboxObject | undefined> => {
		await discover();
		const found = sandboxes && (await find('sandboxes', objectName(id), sandboxSchema));
		return found && isOurs(found, id) ? found : undefined;
	};
	const findSandbox = async (id: string): Promise<SandboxObject | undefined> => {
		await discover();
		const known = sandboxes?.known(objectName(id));
		return known && isOurs(known, id) ? known : await askForSandbox(id);
	};
	/** Looks at a pod at each change, and now and then, until `isSo` returns something, or the time is over. */
	const untilPod = async <Result>(
		id: string,
		isSo: (pod: Pod | undefined) => Result | undefined,
		timeoutMs: number,
	): Promise<Result | undefined> => {
		const endsAt = performance.now() + timeoutMs;
		for (let isTold = true; ; ) {
			const changed = pods.changed().then(() => true);
			// What the cluster has told may be about an earlier pod.
			const seems = isTold ? isSo(await findPod(id)) !== undefined : true;
			const result = seems ? isSo(await askForPod(id)) : undefined;
			if (result !== undefined || performance.now() > endsAt) {
				return result;
			}

			const ending = new AbortController();
			const waited = sleep(times.lookMs, false, {signal: ending.signal, ref: false});
			isTold = await Promise.race([changed, waited]).finally(() => ending.abort());
		}
	};
	/** Creates an object, which an earlier call may have done. Returns whether it is new. */
	const create = async (resource: ResourceName, verb: string, body: {readonly metadata: {readonly name: string}}) => {
		const request: ClusterRequest = {method: 'POST', resource, body, query: strictly};
		const answer = await client.ask(request);
		if (answer.status === 409 && answer.reason === 'AlreadyExists') {
			return false;
		}

		if (answer.status !== 201 && answer.status !== 200 && answer.status !== 202) {
			throw client.refusal(verb, request, answer);
		}

		return true;
	};
	/** Changes an object. Returns the status: 404 for one that is gone, 409 for one that others change at the same time. */
	const patchOnce = async (resource: ResourceName, id: string, body: object): Promise<number> => {
		const request: ClusterRequest = {method: 'PATCH', resource, name: objectName(id), body, query: strictly};
		const answer = await client.ask(request);
		if (![200, 404, 409].includes(answer.status)) {
			throw client.refusal('change a sandbox', request, answer);
		}

		return answer.status;
	};
	/** Changes an object, if it is there, whatever others change of it at the same time. */
	const patch = async (resource: ResourceName, id: string, body: object): Promise<void> => {
		for (let tries = 1; (await patchOnce(resource, id, body)) === 409; tries += 1) {
			if (tries === maxTries) {
				throw new AppError('network', 'Kubernetes didn’t change the sandbox, which others change at the same time.');
			}
		}
	};
	const drop = async (resource: ResourceName, name: string): Promise<void> => {
		const body = {apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background'};
		const request: ClusterRequest = {method: 'DELETE', resource, name, body};
		const answer = await client.ask(request);
		if (![200, 202, 404, 409].includes(answer.status)) {
			throw client.refusal('remove a sandbox', request, answer);
		}
	};
	/** Removes all objects of a sandbox, and waits until it has no processes. */
	const removeAll = async (id: string): Promise<void> => {
		egress.close(id);
		logs.get(id)?.close();
		logs.delete(id);
		const name = objectName(id);
		if (await askForSandbox(id)) {
			await drop('sandboxes', name);
		}

		if (await askForPod(id)) {
			await drop('pods', name);
			const isGone = await untilPod(
				id,
				pod => pod === undefined || undefined,
				options.graceSeconds * 1000 + times.endMs,
			);
			if (isGone === undefined) {
				throw new AppError('network', 'Kubernetes hasn’t removed the sandbox yet; its node may be lost.');
			}
		}

		await drop('networkpolicies', name);
	};
	const program = (id: string, command: readonly string[], hasInput = false) =>
		startProgram(client, objectName(id), {container: containerName, command, hasInput});
	const egress = createEgressLinks({
		openRanges: options.openRanges,
		async findAllow(id) {
			const pod = await findPod(id);
			return pod && allowIn(pod.metadata.annotations?.[annotations.allow]);
		},
		async openRelay(id) {
			const pod = await findPod(id);
			return pod && isUp(pod) && !hasEnded(pod) ? (await program(id, relayCommand(), true)).stream : undefined;
		},
		decode: stream => stream,
	});
	/** Returns what a program in a container writes; nothing if the container doesn't run. */
	const outputOf = async (id: string, command: readonly string[]): Promise<string> => {
		const pod = await findPod(id);
		if (!pod || !isUp(pod)) {
			return '';
		}

		const {stream} = await program(id, command);
		stream.end();
		try {
			return (await firstBytes(stream, maxSaidBytes)).toString('utf8');
		} finally {
			stream.destroy();
		}
	};
	/** Runs what lets a pod begin. May be done again: what has begun stays as it is. */
	const tellToBegin = async (id: string, {words, input}: BeginCommand): Promise<void> => {
		for (let tries = 1; ; tries += 1) {
			const {status, said} = await runToEnd(id, words, input).catch(error => {
				if (error instanceof AppError && error.code === 'network' && tries < maxTries) {
					return {status: null, said: ''};
				}

				throw error;
			});
			// What began may end at once, and end the program that let it begin.
			const pod = status === 0 ? undefined : await askForPod(id);
			if (status === 0 || (pod && (hasBegun(pod) || hasEnded(pod)))) {
				return;
			}

			if (said !== '' || tries === maxTries) {
				const why = said || (status === null ? 'the connection broke' : `status ${status}`);
				throw new AppError(status === null ? 'network' : 'failed', `The sandbox couldn’t begin: ${why}.`);
			}

			await sleep(times.lookMs / maxTries);
		}
	};
	/** Runs a program with an input, and returns its status and the last line that it wrote. */
	const runToEnd = async (id: string, words: readonly string[], input: Buffer | undefined) => {
		const {stream, ended} = await program(id, words, input !== undefined);
		// Its status says whether it has read all.
		stream.on('error', () => undefined);
		stream.end(input);
		const said = await firstBytes(stream, maxSaidBytes).catch(() => Buffer.alloc(0));
		const status = await Promise.race([ended, sleep(times.endMs, null, {ref: false})]);
		stream.destroy();
		return {status, said: lineOf(linesOf(said).at(-1) ?? '')};
	};
	const untilUp = async (id: string): Promise<Pod> => {
		let problem = '';
		const pod = await untilPod(
			id,
			found => {
				const wrong = found && startProblem(found);
				problem = wrong?.why ?? problem;
				if (wrong?.isFinal) {
					throw new AppError('failed', `Kubernetes couldn’t start the sandbox: ${wrong.why}.`);
				}

				return found && !found.metadata.deletionTimestamp && isUp(found) ? found : undefined;
			},
			times.startMs,
		);
		if (!pod) {
			throw new AppError('failed', `Kubernetes hasn’t started the sandbox${problem && `: ${problem}`}.`);
		}

		return pod;
	};
	const begin = async (id: string, command: BeginCommand): Promise<void> => {
		const pod = await untilUp(id);
		if (!hasBegun(pod)) {
			await tellToBegin(id, command);
		}

		const begun = await untilPod(id, found => !found || hasEnded(found) || hasBegun(found) || undefined, times.endMs);
		if (begun === undefined) {
			throw new AppError('network', 'Kubernetes doesn’t say that the sandbox has begun.');
		}

		egress.keepOpen(id);
	};
	const refusalOf = (needs: SandboxNeeds): string | undefined =>
		needs.image === undefined && options.image === undefined
			? 'The task names no image, and this server has none. Add `image` to its task.yaml, or start with --image.'
			: networkRefusal(needs, options.openRanges);
	const start = async (spec: SandboxSpec): Promise<void> => {
		const refusal = refusalOf(spec);
		if (refusal !== undefined) {
			throw new AppError('failed', refusal);
		}

		const command = fillCommand(spec);
		await discover();
		const resource = hasSandboxes ? 'sandboxes' : 'pods';
		const {workspace, id} = spec;
		const isNewClaim =
			workspace !== undefined &&
			(await create('persistentvolumeclaims', 'create a workspace', claimBody(spec, workspace)));
		let isOwn = true;
		try {
			// Nothing runs before its network is closed.
			await create('networkpolicies', 'limit the network of a sandbox', networkPolicy(spec, options.openRanges));
			const cluster = `Kubernetes ${await version()}`;
			const body = hasSandboxes ? sandboxBody(spec, options, cluster, Date.now()) : podBody(spec, options, cluster);
			if (!(await create(resource, 'create the sandbox', body))) {
				const found = await find(resource, objectName(id), objectSchema);
				isOwn = found === undefined || isOurs(found, id);
				if (!isOwn) {
					throw new AppError('failed', `Kubernetes has another object with the name ${objectName(id)}.`);
				}
			}

			await begin(id, command);
		} catch (error) {
			if (isOwn) {
				// If the cluster doesn't answer, the next sweep removes it.
				await removeAll(id).catch(() => undefined);
			}

			if (isNewClaim) {
				await drop('persistentvolumeclaims', workspaceName(workspace)).catch(() => undefined);
			}

			throw error;
		}
	};

	const ownerOf = async (id: string): Promise<readonly [ResourceName, ClusterObject] | undefined> => {
		const sandbox = await askForSandbox(id);
		const pod = sandbox ? undefined : await askForPod(id);
		return sandbox ? ['sandboxes', sandbox] : pod && ['pods', pod];
	};
	const annotate = async (id: string, name: string, changeOf: (before: string | undefined) => string | undefined) => {
		for (let tries = 0; tries < maxTries; tries += 1) {
			const [resource, owner] = (await ownerOf(id)) ?? [];
			const value = owner && changeOf(owner.metadata.annotations?.[name]);
			if (resource === undefined || value === undefined) {
				return;
			}

			const {resourceVersion} = owner?.metadata ?? {};
			// 409: somebody else has changed it in the meantime.
			if ((await patchOnce(resource, id, {metadata: {resourceVersion, annotations: {[name]: value}}})) !== 409) {
				return;
			}
		}
	};
	const logs = new Map<string, PodLog>();
	const logOf = (id: string): PodLog => {
		for (const [key, log] of logs) {
			// What it has read is read again, if somebody asks.
			if (key !== id && log.isIdle()) {
				log.close();
				logs.delete(key);
			}
		}

		const log =
			logs.get(id) ??
			createPodLog(client, objectName(id), {
				findPod: async () => {
					const pod = await askForPod(id);
					return pod && {uid: pod.metadata.uid ?? '', hasEnded: hasEnded(pod)};
				},
				findPosition: async () =>
					parsePosition((await ownerOf(id))?.[1].metadata.annotations?.[annotations.logPosition]),
				keepPosition: (position: LogPosition) => annotate(id, annotations.logPosition, () => JSON.stringify(position)),
				async findNotes() {
					const [sandbox, pod] = [await askForSandbox(id), await askForPod(id)];
					if (isPaused(sandbox) || (pod && !hasEnded(pod))) {
						return '';
					}

					return `${pod ? endNote(pod) : ''}${(sandbox ?? pod)?.metadata.annotations?.[annotations.notes] ?? ''}`;
				},
				onFull: () => void end(id).catch(() => undefined),
			});
		logs.set(id, log);
		return log;
	};
	const tunnels = createTunnels(
		async (id, port) => {
			const {stream} = await program(id, ['/bin/sh', '-c', relayScript, 'relay', String(port)], true);
			return stream;
		},
		stream => stream,
	);
	const end = async (id: string): Promise<void> => {
		tunnels.close(id);
		egress.close(id);
		const [sandbox, pod] = [await askForSandbox(id), await askForPod(id)];
		if (pod && hasEnded(pod)) {
			return;
		}

		if (!pod || !hasBegun(pod)) {
			// Nothing runs, and nothing may begin later.
			await (sandbox && isPaused(sandbox) ? keepOnlyLog(id) : removeAll(id));
			return;
		}

		await patch('pods', id, endNow);
		const hasGone = await untilPod(
			id,
			found => !found || hasEnded(found) || undefined,
			options.graceSeconds * 1000 + times.endMs,
		);
		if (hasGone === undefined) {
			throw new AppError('network', 'Kubernetes hasn’t ended the sandbox yet; its node may be lost.');
		}
	};
	/** Ends a paused sandbox: its log was read before its pod went. */
	const keepOnlyLog = async (id: string): Promise<void> => {
		await logs
			.get(id)
			?.read({hasEnded: true})
			.catch(() => undefined);
		await removeAll(id);
	};
	const lastLines = async (id: string): Promise<readonly string[]> => {
		const query = {container: containerName, tailLines: String(endLines), limitBytes: String(maxSaidBytes)};
		const request: ClusterRequest = {method: 'GET', resource: 'pods', name: objectName(id), part: 'log', query};
		const ending = new AbortController();
		const {status, body} = await client.follow(request, ending.signal);
		const timer = setTimeout(() => ending.abort(), times.endMs);
		try {
			return status === 200 ? linesOf(await firstBytes(body, maxSaidBytes)).slice(-endLines) : [];
		} finally {
			clearTimeout(timer);
		}
	};
	const inspect = async (id: string): Promise<SandboxState> => {
		if (isPaused(await findSandbox(id))) {
			return {kind: 'paused'};
		}

		const pod = await findPod(id);
		if (pod && hasEnded(pod)) {
			return endedState(pod, await lastLines(id));
		}

		const kind = pod && (liveState(pod) ?? liveState((await askForPod(id)) ?? pod));
		return {kind: kind ?? 'gone'};
	};
	const assertPausable = async (id: string): Promise<SandboxObject> => {
		const sandbox = await askForSandbox(id);
		if (!sandbox) {
			throw new AppError(
				'failed',
				'Kubernetes can pause only sandboxes that it has as Sandbox objects (agents.x-k8s.io).',
			);
		}

		return sandbox;
	};

	return {
		name: 'kubernetes',
		get supportsPause() {
			return hasSandboxes;
		},
		isShared: true,
		machine: once(async () => {
			// The id of the namespace is a UUID that the cluster gave it once.
			const request: ClusterRequest = {method: 'GET', resource: 'namespaces', name: client.namespace};
			const answer = await client.ask(request);
			const uid = answer.status === 200 ? (await answer.read(objectSchema)).metadata.uid : undefined;
			if (uid === undefined || !isUuid(uid)) {
				throw client.refusal(`look at the namespace ${client.namespace}`, request, answer);
			}

			return uid;
		}),
		refusalOf,
		choosePort: async index => firstPort + index,
		async unavailableReason() {
			try {
				await discover();
				const request: ClusterRequest = {
					method: 'GET',
					resource: 'pods',
					query: {limit: '1', labelSelector: sandboxLabel},
				};
				const answer = await client.ask(request);
				const refusal = answer.status === 200 ? undefined : client.refusal('list pods', request, answer);
				return refusal && [refusal.message, refusal.hint].filter(part => part !== undefined).join(' ');
			} catch (error) {
				return messageOf(error);
			}
		},
		async summary() {
			try {
				await discover();
				const kind = hasSandboxes ? 'Sandbox objects' : 'pods, which can’t be paused';
				const {image = 'no default image', runtime} = options;
				const place = `Kubernetes ${await version()} at ${client.address}, namespace ${client.namespace}`;
				return `${place}, ${kind}, ${image}${runtime === undefined ? '' : `, ${runtime}`}`;
			} catch (error) {
				return `off: ${messageOf(error)}`;
			}
		},
		start,
		inspect,
		async pause(id) {
			const sandbox = await assertPausable(id);
			if (sandbox.spec.operatingMode !== 'Suspended') {
				const pod = await askForPod(id);
				const log = logOf(id);
				await patch('sandboxes', id, {
					metadata: {annotations: {[annotations.paused]: 'yes'}},
					spec: {operatingMode: 'Suspended', shutdownTime: null},
				});
				tunnels.close(id);
				egress.close(id);
				if (pod) {
					await log.finish();
				}
			}

			const isGone = await untilPod(
				id,
				found => !found || hasEnded(found) || undefined,
				options.graceSeconds * 1000 + times.endMs,
			);
			if (isGone === undefined) {
				throw new AppError('network', 'Kubernetes hasn’t paused the sandbox yet.');
			}
		},
		async resume(id, deadline) {
			const sandbox = await assertPausable(id);
			const time = {shutdownTime: shutdownTime(deadline, Date.now())};
			await patch('sandboxes', id, {spec: {operatingMode: 'Running', ...time}});
			if (isPaused(sandbox)) {
				await begin(id, resumeCommand);
				await patch('sandboxes', id, {metadata: {annotations: {[annotations.paused]: null}}});
			}
		},
		isListening: async (id, port) => hasListener(await outputOf(id, ['cat', '/proc/net/tcp', '/proc/net/tcp6']), port),
		async serviceAddress(id, port) {
			const pod = tunnels.has(id, port) ? undefined : await findPod(id);
			return tunnels.has(id, port) || (pod && hasBegun(pod)) ? await tunnels.addressOf(id, port) : undefined;
		},
		end,
		async remove(id) {
			tunnels.close(id);
			await removeAll(id);
		},
		async note(id, line) {
			const added = `[server] ${line.replaceAll('\n', ' ')}\n`;
			await annotate(id, annotations.notes, (before = '') =>
				before.length + added.length <= maxNotesBytes ? `${before}${added}` : undefined,
			);
		},
		async list() {
			await discover();
			const [sandboxList, podList, policies] = await Promise.all([
				hasSandboxes ? listObjects<ClusterObject>(client, 'sandboxes', objectSchema) : {items: []},
				listObjects<Pod>(client, 'pods', podSchema),
				listObjects<ClusterObject>(client, 'networkpolicies', objectSchema),
			]);
			const listed = new Map<string, ListedSandbox>();
			const add = ({metadata: {labels}}: ClusterObject, ended: boolean) => {
				const [id = '', organization = ''] = [labels?.[sandboxLabel], labels?.[organizationLabel]];
				if (isUuid(id)) {
					// The cluster itself ends pods whose files take more than they may.
					listed.set(id, {id, organization, hasEnded: ended, isFull: false});
				}
			};
			for (const object of [...policies.items, ...sandboxList.items]) {
				add(object, false);
			}

			for (const pod of podList.items) {
				add(pod, hasEnded(pod));
			}

			return [...listed.values()];
		},
		readLog(id, {after, hasEnded: isLast}) {
			if (!isLast) {
				// Whoever started it may be gone.
				egress.keepOpen(id);
			}

			return logOf(id).read({...(after !== undefined && {after}), ...(isLast && {hasEnded: true})});
		},
		async close() {
			tunnels.close();
			egress.close();
			for (const log of logs.values()) {
				log.close();
			}

			await client.close();
			await Promise.all([pods.close(), sandboxes?.close()]);
		},
	};
}

/** Returns whether an object is that of a sandbox, whatever its name. */
const isOurs = ({metadata: {labels}}: ClusterObject, id: string) => labels?.[sandboxLabel] === id;
