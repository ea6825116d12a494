import {isUuid} from '../../../core/uuid.ts';
import type {SandboxSpec} from '../provider.ts';
import type {EngineClient} from './engine-client.ts';
import {volumePath} from './entry-script.ts';
import {type ArchiveEntry, createArchive, readArchive} from './tar-archive.ts';

/** A file that is the last one of an archive. Where it is, all others are. */
export const filledPath = `${volumePath}/filled`;

/** The file with lines of the server, in the volume of a sandbox, where the sandbox can't write. */
const notesName = 'notes';

/** Lines of the server for one sandbox, in bytes. */
const maxNotesBytes = 64 * 1024;

/** Returns the path of a container in the API. Throws a plain error for an id that is not a UUID, because that becomes part of it. */
export function containerPath(id: string): string {
	return `/containers/service-${checkId(id)}`;
}

/** Returns the name of the volume of a sandbox, or of a workspace that outlives it. Throws as `containerPath` does. */
export function volumeName({id, workspace}: Pick<SandboxSpec, 'id' | 'workspace'>): string {
	return workspace === undefined ? `service-${checkId(id)}` : `service-workspace-${checkId(workspace)}`;
}

function checkId(id: string): string {
	if (!isUuid(id)) {
		throw new Error('The id of a sandbox is not a UUID.');
	}

	return id;
}

/** Writes files into the volume of a container. */
export async function putFiles(client: EngineClient, id: string, entries: readonly ArchiveEntry[]): Promise<void> {
	const path = `${containerPath(id)}/archive?path=${encodeURIComponent(volumePath)}`;
	const answer = await client.ask({method: 'PUT', path, body: createArchive(entries)});
	if (answer.status !== 200) {
		throw client.refusal('write the files of the task', answer);
	}
}

/** Returns the lines that the server added to the log of a container that doesn't run any more. */
export async function readNotes(client: EngineClient, id: string): Promise<Buffer> {
	const path = `${containerPath(id)}/archive?path=${encodeURIComponent(`${volumePath}/${notesName}`)}`;
	const stream = await client.stream({method: 'GET', path});
	return stream === undefined ? Buffer.alloc(0) : readArchive(await firstBytes(stream, 2 * maxNotesBytes));
}

/** Adds a line to the log of a container that doesn't run any more. */
export async function addNote(client: EngineClient, id: string, line: string): Promise<void> {
	const before = await readNotes(client, id);
	const content = Buffer.concat([before, Buffer.from(`[server] ${line.replaceAll('\n', ' ')}\n`)]);
	if (content.length <= maxNotesBytes) {
		await putFiles(client, id, [{path: notesName, mode: 0o400, owner: 0, content}]);
	}
}

/** Returns the beginning of a stream. */
export async function firstBytes(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
	const parts: Buffer[] = [];
	let bytes = 0;
	for await (const part of stream) {
		parts.push(part);
		bytes += part.length;
		if (bytes >= maxBytes) {
			break;
		}
	}

	return Buffer.concat(parts).subarray(0, maxBytes);
}
