import type {ConfiguredServer, ServerFault} from '../../agent/mcp/configured-servers.ts';
import type {LoginOptions} from '../../agent/mcp/oauth/log-in.ts';
import type {ServerStatus} from '../../agent/mcp/servers.ts';
import type {McpScope} from '../../config/mcp/mcp-scope.ts';
import type {JsonObject} from '../../core/json.ts';

/** A change of the servers in a file. */
export type McpChange = {
	readonly scope: McpScope;
	readonly name: string;
	/** The new entry; undefined removes it. */
	readonly entry: JsonObject | undefined;
};

/** The access of commands to MCP servers. */
export type McpAccess = {
	/** Reads the files again. Returns the servers of the user and of the project, whether used or not. */
	readonly servers: () => Promise<readonly ConfiguredServer[]>;
	/** Returns the servers with what is known of them now. Starts nothing. */
	readonly status: () => Promise<readonly ServerStatus[]>;
	/** Starts a server, or starts it again. Resolves when it runs or has failed. Throws AppError("conflict") for an unused one. */
	readonly reconnect: (configured: ConfiguredServer) => Promise<void>;
	/**
	 * Logs the user in to a server that is reached over HTTP. Returns a sentence about where the login was saved, if that matters.
	 * Throws as `logInToServer` does, and AppError("usage") for a server that is a command.
	 */
	readonly logIn: (configured: ConfiguredServer, options: Omit<LoginOptions, 'server'>) => Promise<string | undefined>;
	/** Removes the login to a server; `revoked` if the server ended it, too. Throws AppError("usage") as `logIn` does. */
	readonly logOut: (configured: ConfiguredServer) => Promise<'none' | 'removed' | 'revoked'>;
	/** Returns entries and files that can't be used, of the files as they were read last. */
	readonly faults: () => Promise<readonly ServerFault[]>;
	/**
	 * Changes a file. A project's file stays trusted if it was, because the user made the change. Returns its path. Throws
	 * AppError("failed") for a file that can't be read or written.
	 */
	readonly change: (change: McpChange) => Promise<string>;
};
