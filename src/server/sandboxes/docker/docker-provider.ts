import {randomUUID} from 'node:crypto';
import {AppError, messageOf} from '../../../core/error.ts';
import {once} from '../../../core/once.ts';
import {isUuid} from '../../../core/uuid.ts';
import {relayCommand} from '../../egress/relay-script.ts';
import {allowIn, createEgressLinks} from '../egress-links.ts';
import {defaultLimits} from '../local-launch.ts';
import {hasListener} from '../ports.ts';
import type {SandboxProvider, SandboxState} from '../provider.ts';
import {type ContainerOptions, labels} from './container-body.ts';
import {linesOf} from './container-log.ts';
import {addNote, containerPath, firstBytes, readNotes, volumeName} from './container-paths.ts';
import {
	containerSchema,
	containersSchema,
	createdSchema,
	type InspectedContainer,
	type Labels,
	usageSchema,
	volumeSchema,
} from './engine-answers.ts';
import type {EngineClient} from './engine-client.ts';
import {builtPath, relayScript, statePath, stepEndPattern, stoppedLine} from './entry-script.ts';
import {createLogReader} from './log-reader.ts';
import {readFrames, readMessages} from './output-frames.ts';
import {createTunnels} from './service-tunnel.ts';
import {ignoredRuntime, refusalOf, startContainer} from './start-container.ts';

type Options = ContainerOptions & {
	readonly client: EngineClient;
	/** Bytes of the files of a sandbox. */
	readonly diskBytes?: number;
};

/** The first of the ports that services get; each sandbox has its own. */
const firstPort = 8080;

/** The volume whose label identifies the engine, for all servers that use it. */
const engineVolume = 'service-engine';
const engineLabel = 'service.engine';

/** How many lines at the end of a log tell how a sandbox ended. */
const endLines = 20;

/** How much a short program inside may say. */
const maxSaidBytes = 1024 * 1024;

/** What the engine says of containers without processes: before their start, and after their end. */
const unstartedStatuses: readonly string[] = ['created', 'configured', 'initialized', 'removing'];
const endedStatuses: readonly string[] = ['exited', 'dead', 'stopped'];

/**
 * Creates a provider that runs sandboxes as containers of an engine with Docker's API. The names of containers and volumes
 * are made of ids, so that any server finds them. Deadlines are kept by the server, not here.
 */
export function createDockerProvider({
	client,
	diskBytes = defaultLimits.diskBytes,
	...options
}: Options): SandboxProvider {
	const findContainer = async (id: string): Promise<InspectedContainer | undefined> => {
		const answer = await client.ask({method: 'GET', path: `${containerPath(id)}/json`});
		// A proxy in between may say 404, too, but not in the words of an engine.
		if (answer.status === 404 && answer.reason !== '') {
			return undefined;
		}

		if (answer.status !== 200) {
			throw client.refusal('look at a sandbox', answer);
		}

		return await answer.read(containerSchema);
	};
	/** Starts a program in a container, and returns the id of its run; undefined if the container doesn't run. */
	const prepareProgram = async (id: string, command: readonly string[], hasInput: boolean) => {
		const body = {Cmd: command, AttachStdin: hasInput, AttachStdout: true, AttachStderr: false, Tty: false};
		const answer = await client.ask({method: 'POST', path: `${containerPath(id)}/exec`, body});
		return answer.status === 201 ? (await answer.read(createdSchema)).Id : undefined;
	};
	const runProgram = {Detach: false, Tty: false};
	const tunnels = createTunnels(async (id, port) => {
		const program = await prepareProgram(id, ['/bin/sh', '-c', relayScript, 'relay', String(port)], true);
		if (program === undefined) {
			throw new AppError('failed', 'The sandbox does not run.');
		}

		return await client.upgrade({method: 'POST', path: `/exec/${encodeURIComponent(program)}/start`, body: runProgram});
	});
	const egress = createEgressLinks({
		openRanges: options.openRanges ?? [],
		async findAllow(id) {
			const container = await findContainer(id);
			return container && allowIn(container.Config.Labels?.[labels.allow]);
		},
		async openRelay(id) {
			const program = await prepareProgram(id, relayCommand(), true);
			const path = `/exec/${encodeURIComponent(program ?? '')}/start`;
			return program === undefined ? undefined : await client.upgrade({method: 'POST', path, body: runProgram});
		},
		decode: readFrames,
	});
	/** Returns what a program in a container writes; nothing if the container doesn't run. */
	const outputOf = async (id: string, command: readonly string[]): Promise<string> => {
		const program = await prepareProgram(id, command, false);
		const path = `/exec/${encodeURIComponent(program ?? '')}/start`;
		const stream = program === undefined ? undefined : await client.stream({method: 'POST', path, body: runProgram});
		return stream === undefined ? '' : (await firstBytes(readFrames(stream), maxSaidBytes)).toString('utf8');
	};
	const removeContainer = async (id: string): Promise<void> => {
		const remove = () => client.ask({method: 'DELETE', path: `${containerPath(id)}?force=1&v=1`, isLong: true});
		let answer = await remove();
		if (answer.status === 500) {
			// Podman refuses to end one that is ending at that moment.
			answer = await remove();
		}

		// 409: another server removes it.
		if (![204, 200, 404, 409].includes(answer.status)) {
			throw client.refusal('remove a sandbox', answer);
		}

		await client.ask({method: 'DELETE', path: `/volumes/${volumeName({id})}`});
	};
	/** Returns the bytes of each volume; nothing if the engine doesn't count them now. */
	const measureVolumes = async (): Promise<ReadonlyMap<string, number>> => {
		const answer = await client.ask({method: 'GET', path: '/system/df?type=volume', isLong: true});
		const {Volumes = []} = answer.status === 200 ? await answer.read(usageSchema) : {};
		return new Map(Volumes?.map(({Name, UsageData}) => [Name, UsageData?.Size ?? 0]));
	};
	const change = async (id: string, verb: 'pause' | 'unpause'): Promise<void> => {
		const answer = await client.ask({method: 'POST', path: `${containerPath(id)}/${verb}`});
		if (answer.status !== 204 && answer.status !== 404) {
			const status = (await findContainer(id))?.State.Status;
			const isDone = verb === 'pause' ? status !== 'running' : status !== 'paused';
			if (!isDone) {
				throw client.refusal(`${verb} a sandbox`, answer);
			}
		}
	};
	const end = async (id: string): Promise<void> => {
		tunnels.close(id);
		egress.close(id);
		const status = (await findContainer(id))?.State.Status;
		if (status === undefined || endedStatuses.includes(status)) {
			return;
		}

		if (unstartedStatuses.includes(status)) {
			await removeContainer(id);
			return;
		}

		if (status === 'paused') {
			// Processes that are frozen can't shut down.
			await change(id, 'unpause');
		}

		const seconds = options.graceSeconds + 2;
		const path = `${containerPath(id)}/stop?t=${seconds}`;
		const answer = await client.ask({method: 'POST', path, isLong: true, extraMs: seconds * 1000});
		if (![204, 304, 404].includes(answer.status)) {
			const kind = (await findContainer(id))?.State.Status;
			if (kind !== undefined && !endedStatuses.includes(kind)) {
				throw client.refusal('stop a sandbox', answer);
			}
		}
	};
	const lastLines = async (id: string): Promise<readonly string[]> => {
		const stream = await client.stream({method: 'GET', path: `${logPath(id)}&tail=${endLines}`});
		return stream === undefined ? [] : linesOf(await firstBytes(readFrames(stream), maxSaidBytes)).slice(-endLines);
	};
	const hasFile = async (id: string, path: string): Promise<boolean> => {
		const archive = `${containerPath(id)}/archive?path=${encodeURIComponent(path)}`;
		return (await client.ask({method: 'HEAD', path: archive})).status === 200;
	};
	/** Podman looks for files in the processes of a container, where gVisor shows none; then a program in it looks. */
	const wasBuilt = async (id: string): Promise<boolean> =>
		(await hasFile(id, builtPath)) ||
		(!(await hasFile(id, statePath)) &&
			(await outputOf(id, ['/bin/sh', '-c', `[ -e ${builtPath} ] && echo built`])) !== '');

	const logs = createLogReader({
		async open(id, since) {
			const from = since === undefined ? '' : `&since=${since}`;
			const stream = await client.stream({method: 'GET', path: `${logPath(id)}&timestamps=1${from}`});
			return stream && readMessages(stream);
		},
		// The lines of the server.
		async readEnd(id) {
			const hasEnded = endedStatuses.includes((await findContainer(id))?.State.Status ?? '');
			return hasEnded ? await readNotes(client, id) : Buffer.alloc(0);
		},
	});
	/** Containers whose build steps have ended. */
	const built = new Set<string>();
	const isBuilt = async (id: string): Promise<boolean> => {
		const isSo = built.has(id) || (await wasBuilt(id));
		if (isSo) {
			built.add(id);
		}

		return isSo;
	};
	const hasBuildSteps = (given: Labels): boolean => Number(given?.[labels.builds] ?? 0) > 0;
	/** Returns our containers in these states of the engine, or all. */
	const listContainers = async (status?: readonly string[]) => {
		const filters = encodeURIComponent(JSON.stringify({label: [labels.sandbox], ...(status && {status})}));
		const answer = await client.ask({method: 'GET', path: `/containers/json?all=1&filters=${filters}`});
		if (answer.status !== 200) {
			throw client.refusal('list sandboxes', answer);
		}

		return await answer.read(containersSchema);
	};

	return {
		name: 'docker',
		supportsPause: true,
		isShared: true,
		machine: once(() => findEngine(client)),
		refusalOf: needs => refusalOf(needs, options),
		choosePort: async index => firstPort + index,
		async unavailableReason() {
			try {
				const {name} = await client.version();
				// Whoever answered once may be gone by now.
				const answer = await client.ask({method: 'GET', path: '/_ping'});
				const refusal = answer.status < 500 ? undefined : client.refusal('answer', answer).message;
				return refusal ?? ignoredRuntime(name, options.runtime);
			} catch (error) {
				return messageOf(error);
			}
		},
		async summary() {
			try {
				const {name, version} = await client.version();
				const {image = 'no default image', runtime} = options;
				return `${name} ${version} at ${client.address}, ${image}${runtime === undefined ? '' : `, ${runtime}`}`;
			} catch (error) {
				return `off: ${messageOf(error)}`;
			}
		},
		async start(spec) {
			await startContainer(client, spec, {options, findContainer, removeContainer});
			egress.keepOpen(spec.id);
		},
		async inspect(id) {
			const container = await findContainer(id);
			if (!container) {
				return {kind: 'gone'};
			}

			const {Status, ExitCode = 0} = container.State;
			if (unstartedStatuses.includes(Status)) {
				return {kind: 'gone'};
			}

			if (Status === 'paused') {
				return {kind: 'paused'};
			}

			if (endedStatuses.includes(Status)) {
				return endedState(ExitCode, await lastLines(id));
			}

			return {kind: hasBuildSteps(container.Config.Labels) && !(await isBuilt(id)) ? 'building' : 'running'};
		},
		async inspectAll(ids) {
			const live = await listContainers(['running', 'paused']);
			const containers = new Map(live.map(each => [each.Labels?.[labels.sandbox] ?? '', each]));
			for (const id of built) {
				if (!containers.has(id)) {
					built.delete(id);
				}
			}

			const kinds = ids.map(async (id): Promise<readonly [string, SandboxState['kind']]> => {
				const container = containers.get(id);
				if (!container) {
					return [id, 'gone'];
				}

				const isBuilding = hasBuildSteps(container.Labels) && !(await isBuilt(id));
				return [id, container.State === 'paused' ? 'paused' : isBuilding ? 'building' : 'running'];
			});
			return new Map(await Promise.all(kinds));
		},
		pause: id => change(id, 'pause'),
		async resume(id) {
			await change(id, 'unpause');
			egress.keepOpen(id);
		},
		isListening: async (id, port) => hasListener(await outputOf(id, ['cat', '/proc/net/tcp', '/proc/net/tcp6']), port),
		async serviceAddress(id, port) {
			const isOpen = tunnels.has(id, port) || (await findContainer(id))?.State.Status === 'running';
			return isOpen ? await tunnels.addressOf(id, port) : undefined;
		},
		end,
		async remove(id) {
			tunnels.close(id);
			egress.close(id);
			logs.forget(id);
			await removeContainer(id);
		},
		async note(id, line) {
			if (await findContainer(id)) {
				await addNote(client, id, line);
			}
		},
		async list() {
			const containers = await listContainers();
			const bytes = containers.length > 0 ? await measureVolumes() : undefined;
			return containers.flatMap(({Labels, State}) => {
				const isFull = (bytes?.get(Labels?.[labels.volume] ?? '') ?? 0) > diskBytes;
				const [id = '', organization = ''] = [Labels?.[labels.sandbox], Labels?.[labels.organization]];
				return isUuid(id) ? [{id, organization, hasEnded: endedStatuses.includes(State), isFull}] : [];
			});
		},
		async readLog(id, {after, hasEnded = false}) {
			if (!hasEnded) {
				// Whoever started it may be gone.
				egress.keepOpen(id);
			}

			const log = await logs.read(id, after);
			if (log?.isFull) {
				await end(id);
			}

			return log?.window;
		},
		async close() {
			tunnels.close();
			egress.close();
			logs.forget();
			await client.close();
		},
	};
}

/** Returns the id of the engine, which its first server gave it. */
async function findEngine(client: EngineClient): Promise<string> {
	const body = {Name: engineVolume, Labels: {[engineLabel]: randomUUID()}};
	const answer = await client.ask({method: 'POST', path: '/volumes/create', body});
	const id = answer.status < 400 ? (await answer.read(volumeSchema)).Labels?.[engineLabel] : undefined;
	if (id === undefined || !isUuid(id)) {
		throw client.refusal('say which engine it is', answer);
	}

	return id;
}

const logPath = (id: string) => `${containerPath(id)}/logs?stdout=1&stderr=1`;

/** Returns how a container ended, by its status and what its entry said at last. */
function endedState(status: number, lines: readonly string[]): SandboxState {
	const step = lines.map(line => stepEndPattern.exec(line)?.[1]).findLast(name => name !== undefined);
	return {
		kind: 'ended',
		step: step ?? 'command',
		status,
		requested: lines.some(line => line.endsWith(stoppedLine)),
	};
}
