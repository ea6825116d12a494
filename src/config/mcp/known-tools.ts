import * as z from 'zod/mini';
import {entryOf} from '../../core/entry-of.ts';
import {parseJson} from '../../core/json.ts';
import {openKeptFile, withNewest} from '../../storage/kept-file.ts';

/** Remembers what a tool of a server was when the user last allowed it. */
export type KnownTools = {
	/** Returns the hash of a tool's definition; undefined if it was never allowed. Throws AppError("failed") for the disk. */
	readonly recall: (server: string, tool: string) => string | undefined;
	/** Throws what `updateSmallFile` throws. */
	readonly remember: (server: string, tool: string, hash: string) => Promise<void>;
};

/** Most servers that are remembered; the oldest ones are forgotten. */
const maxServers = 300;
const stored = z.object({servers: z.record(z.string(), z.record(z.string(), z.string()))});

type Servers = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 18). */
export function openKnownTools(path: string): KnownTools {
	const file = openKeptFile<Servers>(path, {parse, print});
	return {
		recall: (server, tool) => entryOf(file.read().get(server) ?? {}, tool),
		remember: (server, tool, hash) =>
			file.update(servers => withNewest(servers, server, {...servers.get(server), [tool]: hash}, maxServers)),
	};
}

/** From an unreadable file nothing is known, so that every changed tool counts as new. */
function parse(text: string | undefined): Servers {
	return new Map(Object.entries(stored.safeParse(parseJson(text ?? '')).data?.servers ?? {}));
}

function print(servers: Servers): string {
	return `${JSON.stringify({servers: Object.fromEntries(servers)}, undefined, '\t')}\n`;
}
