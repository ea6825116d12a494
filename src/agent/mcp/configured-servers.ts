import {createHash} from 'node:crypto';
import {type ExpandedServer, expandServer} from '../../config/mcp/expand-server.ts';
import type {McpServer} from '../../config/mcp/mcp-file.ts';
import type {McpScope} from '../../config/mcp/mcp-scope.ts';
import type {Environment} from '../../core/environment.ts';
import {messageOf} from '../../core/error.ts';
import type {JudgedFile, ProjectState, Standing} from '../project/project.ts';

/** A server in a file, and whether it is used. */
export type ConfiguredServer = {
	readonly server: McpServer;
	/** Its name in the names of tools and in rules. */
	readonly id: string;
	readonly scope: McpScope;
	/** The file, as `ProjectFile.path`. */
	readonly path: string;
	readonly standing: Standing;
	/** Why it isn't used, as a clause. */
	readonly unused?: string;
};

/** A server that can't be used, and why. */
export type ServerFault = {readonly name: string; readonly path: string; readonly reason: string};

/** Longest name of a server in names of tools, which have at most 64 characters. */
const maxId = 30;

/** Returns a name as tools and rules spell it. One that is too long ends in a hash. */
export function idOf(name: string): string {
	const plain = name.replace(/[^A-Za-z0-9_-]/g, '_');
	const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
	return plain.length <= maxId ? plain : `${plain.slice(0, maxId - hash.length - 1)}_${hash}`;
}

/**
 * Returns the servers of the user and of the project. Of several with one name, the user's own is used, first the one for
 * this project, so that no project gets what the user allowed for theirs; else that of the deepest folder.
 */
export function configuredServers({files}: ProjectState): readonly ConfiguredServer[] {
	const isOwn = ({standing}: JudgedFile) => standing === 'user';
	const ordered = [...files.filter(isOwn), ...files.filter(file => !isOwn(file)).toReversed()];
	const taken = new Set<string>();
	return ordered.flatMap(file =>
		(file.mcp?.servers ?? []).map((server): ConfiguredServer => {
			const {path, standing} = file;
			const id = idOf(server.name);
			const isTrusted = standing === 'user' || standing === 'trusted';
			const unused = server.disabled
				? 'it is disabled'
				: !isTrusted
					? 'the file is not trusted'
					: taken.has(id)
						? 'another one has its name'
						: undefined;
			if (unused === undefined) {
				taken.add(id);
			}

			const scope = !isOwn(file) ? 'project' : file.isLocal ? 'local' : 'user';
			return {server, id, scope, path, standing, ...(unused !== undefined && {unused})};
		}),
	);
}

/** Returns the servers that files name but that can't be used. */
export function serverFaults({files}: ProjectState): readonly ServerFault[] {
	return files.flatMap(({path, mcp}) => (mcp?.faults ?? []).map(fault => ({...fault, path})));
}

/** Returns a server with its variables replaced, or why that is impossible. Those of its `envFile` win over the user's. */
export function expanded(
	server: McpServer,
	env: Environment,
	ofFile: Readonly<Record<string, string>>,
): ExpandedServer | {readonly fault: string} {
	try {
		const {server: found, values} = expandServer(server, {...env, ...ofFile});
		return {server: found.type === 'stdio' ? {...found, env: {...ofFile, ...found.env}} : found, values};
	} catch (error) {
		return {fault: messageOf(error)};
	}
}
