import {AppError} from '../../../core/error.ts';
import type {SandboxNeeds, SandboxSpec} from '../provider.ts';
import {type ContainerOptions, containerBody, labels, userFor} from './container-body.ts';
import {containerPath, filledPath, putFiles, volumeName} from './container-paths.ts';
import {createdSchema, type InspectedContainer, volumeSchema} from './engine-answers.ts';
import type {EngineClient} from './engine-client.ts';
import {type ArchiveEntry, entriesFor} from './tar-archive.ts';

/** Returns why tasks with these needs aren't run, in a sentence; undefined if they are. */
export function refusalOf(
	{image, network}: SandboxNeeds,
	{image: usual, openNetwork}: Pick<ContainerOptions, 'image' | 'openNetwork'>,
): string | undefined {
	if (image === undefined && usual === undefined) {
		return 'The task names no image, and this server has none. Add `image` to its task.yaml, or start with --image.';
	}

	return network === 'open' && openNetwork === undefined
		? 'The task asks for an open network, and this server has none. Start it with --open-network.'
		: undefined;
}

/** Returns why an engine doesn't run containers with a runtime, in a sentence. Podman's API leaves out the runtime of a container. */
export function ignoredRuntime(engine: string, runtime: string | undefined): string | undefined {
	return engine.startsWith('Podman') && runtime !== undefined
		? `Podman’s API ignores --runtime. Start it with \`podman --runtime ${runtime} system service\`, and leave out --runtime here.`
		: undefined;
}

type Parts = {
	readonly options: ContainerOptions;
	readonly findContainer: (id: string) => Promise<InspectedContainer | undefined>;
	readonly removeContainer: (id: string) => Promise<void>;
};

/**
 * Creates a container, fills its workspace unless that is an earlier one, and starts it; any of that may have been done by an
 * earlier call. Removes what it created if that fails. Throws AppError.
 */
export async function startContainer(client: EngineClient, spec: SandboxSpec, parts: Parts): Promise<void> {
	const {options, findContainer} = parts;
	const refusal = refusalOf(spec, options);
	if (refusal !== undefined) {
		throw new AppError('failed', refusal);
	}

	const archive = filesOf(spec);
	const volume = volumeName(spec);
	const isNewVolume = await createVolume(client, volume, spec);
	try {
		await createContainer(client, spec, {options, findContainer});
		await fill(client, spec.id, archive);
		await begin(client, spec.id);
	} catch (error) {
		// If the engine doesn't answer, the next sweep removes it.
		await removeOwn(spec.id, parts).catch(() => undefined);
		if (isNewVolume) {
			await client.ask({method: 'DELETE', path: `/volumes/${volume}`}).catch(() => undefined);
		}

		throw error;
	}
}

/** Removes a container unless it belongs to something else, whatever its name. */
async function removeOwn(id: string, {findContainer, removeContainer}: Parts): Promise<void> {
	if (isSandbox(await findContainer(id), id)) {
		await removeContainer(id);
	}
}

const isSandbox = (container: InspectedContainer | undefined, id: string) =>
	container?.Config.Labels?.[labels.sandbox] === id;

/** Creates the volume of a sandbox. Returns whether it is new. */
async function createVolume(
	client: EngineClient,
	name: string,
	{organization}: Pick<SandboxSpec, 'organization'>,
): Promise<boolean> {
	const exists = async () => (await client.ask({method: 'GET', path: `/volumes/${name}`})).status === 200;
	if (await exists()) {
		return false;
	}

	const body = {Name: name, Labels: {[labels.organization]: organization}};
	const answer = await client.ask({method: 'POST', path: '/volumes/create', body});
	if (answer.status !== 201 && answer.status !== 200) {
		// 500 from Podman: another start has created it meanwhile.
		if (await exists()) {
			return false;
		}

		throw client.refusal('create a workspace', answer);
	}

	await answer.read(volumeSchema);
	return true;
}

async function createContainer(
	client: EngineClient,
	spec: SandboxSpec,
	{options, findContainer}: Omit<Parts, 'removeContainer'>,
): Promise<void> {
	const {name, version} = await client.version();
	const ignored = ignoredRuntime(name, options.runtime);
	if (ignored !== undefined) {
		throw new AppError('failed', ignored);
	}

	const body = containerBody(spec, options, `${name} ${version}`);
	const path = `/containers/create?name=${encodeURIComponent(containerPath(spec.id).slice('/containers/'.length))}`;
	const answer = await client.ask({method: 'POST', path, body, isLong: true});
	if (answer.status === 201) {
		await answer.read(createdSchema);
		return;
	}

	if (answer.status === 404) {
		throw new AppError('failed', `Docker has no image “${body.Image}”. Pull it there, or name another one.`);
	}

	// 409, and 500 from Podman: an earlier call may have created it.
	if (!isSandbox(await findContainer(spec.id), spec.id)) {
		throw client.refusal('create the sandbox', answer);
	}
}

/** Returns the files of a new workspace, and the one that says that they are all there. */
function filesOf(spec: SandboxSpec): readonly ArchiveEntry[] {
	const owner = userFor(spec);
	return [
		...entriesFor(spec.files, {folder: 'workspace', owner}),
		{path: 'state', mode: 0o700, owner},
		{path: 'filled', mode: 0o400, owner: 0, content: Buffer.alloc(0)},
	];
}

/** Writes the files of a task into a workspace that is new, or was filled in part. */
async function fill(client: EngineClient, id: string, files: readonly ArchiveEntry[]): Promise<void> {
	const path = `${containerPath(id)}/archive?path=${encodeURIComponent(filledPath)}`;
	if ((await client.ask({method: 'HEAD', path})).status !== 200) {
		await putFiles(client, id, files);
	}
}

async function begin(client: EngineClient, id: string): Promise<void> {
	const answer = await client.ask({method: 'POST', path: `${containerPath(id)}/start`, isLong: true});
	// 304: it runs.
	if (answer.status !== 204 && answer.status !== 304) {
		throw client.refusal('start the sandbox', answer);
	}
}
