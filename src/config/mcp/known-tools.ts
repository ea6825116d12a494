import * as z from 'zod/mini';
import {parseJson} from '../../core/json.ts';
import {readSmallFile, updateSmallFile} from '../../storage/small-file.ts';

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

type Servers = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 18). */
export function openKnownTools(path: string): KnownTools {
	return {
		recall(server, tool) {
			const servers = parse(readSmallFile(path));
			const tools = Object.hasOwn(servers, server) ? (servers[server] ?? {}) : {};
			return Object.hasOwn(tools, tool) ? tools[tool] : undefined;
		},
		async remember(server, tool, hash) {
			await updateSmallFile(path, text => {
				const servers = parse(text);
				const tools = Object.hasOwn(servers, server) ? servers[server] : {};
				const others = Object.entries(servers).filter(([name]) => name !== server);
				const kept = [...others.slice(1 - maxServers), [server, {...tools, [tool]: hash}] as const];
				return `${JSON.stringify({servers: Object.fromEntries(kept)}, undefined, '\t')}\n`;
			});
		},
	};
}

/** From an unreadable file nothing is known, so that every changed tool counts as new. */
function parse(text: string | undefined): Servers {
	return stored.safeParse(parseJson(text ?? '')).data?.servers ?? {};
}
