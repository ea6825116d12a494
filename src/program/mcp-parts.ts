import {join} from 'node:path';
import type {ServerPrompt} from '../agent/mcp/prompts.ts';
import type {createMcpServers, McpServers} from '../agent/mcp/servers.ts';
import type {ToolSet} from '../agent/mcp/tool-set.ts';
import type {MentionSource} from '../agent/mentions/read-mentions.ts';
import {ownMcpFile} from '../agent/project/mcp-files.ts';
import type {StartGate} from '../agent/unseen/start-gate.ts';
import type {McpAccess} from '../command/mcp/mcp-access.ts';
import {once} from '../core/once.ts';
import type {Tool} from '../core/session/tool.ts';
import type {AskUser} from '../core/session/user-question.ts';
import {shellWord} from '../core/shell-word.ts';
import type {Interaction} from '../platform/interaction.ts';
import {type LocalState, learnFolder} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** The MCP servers of a program. */
export type McpParts = {
	/** What commands may do with them. */
	readonly access: McpAccess;
	/** Returns the tools that a call may name; see `McpServers`. */
	readonly tools: (
		signal?: AbortSignal,
		ask?: () => AskUser | undefined,
		onWait?: (text: string) => void,
	) => Promise<readonly Tool[]>;
	/**
	 * Returns the tools whose definitions a request to a model carries beside so many of our own, given the size of the context
	 * window in tokens.
	 */
	readonly shownTools: (
		size: () => Promise<number | undefined>,
		own: number,
		model: string | undefined,
		baseUrl: string | undefined,
	) => Promise<readonly Tool[]>;
	/** Returns the slash commands of the prompts of servers that run. Starts nothing. */
	readonly prompts: () => Promise<readonly ServerPrompt[]>;
	/** Reads mentions of resources; see `McpServers`. */
	readonly resources: MentionSource;
	/** Returns what a mention may name; see `McpServers`. */
	readonly suggestResources: McpServers['suggestResources'];
	/** Returns a warning for each server that is missing, once. */
	readonly warnings: McpServers['warnings'];
	/** Forgets which tools the model searched for. */
	readonly reset: () => void;
	/** Ends all servers. */
	readonly end: () => Promise<void>;
};

type LogIn = Parameters<typeof createMcpServers>[0]['logIn'];

/** Creates the access to MCP servers, which logs the user in with `interaction`. Nothing of it is loaded before there is one. */
export function createMcpParts(
	options: ProgramOptions,
	local: LocalState,
	interaction: () => Interaction | undefined,
): McpParts {
	const {project} = local;
	const logIn: LogIn = async (configured, signal) => {
		const interact = interaction();
		const {logInToMcp} = await import('../command/mcp/log-in-to-mcp.ts');
		const context = interact && {mcp: access, interact, env: options.env, signal};
		return context !== undefined && (await logInToMcp(configured, context, undefined)) !== 'cancelled';
	};
	const load = once(() => loadServers(options, local, {logIn, interaction}));
	let open: LoadedServers | undefined;

	const opened = async () => {
		const {files} = await project.state();
		if (!open && files.some(({mcp}) => mcp && mcp.servers.length > 0)) {
			open = await load();
		}

		return open;
	};

	const access = createAccess(opened, options, local);
	return {
		async tools(signal, ask, onWait) {
			const parts = await opened();
			if (!parts) {
				return [];
			}

			// Names and descriptions go to the model.
			await learnFolder(local);
			return parts.set.callable(await parts.servers.tools(signal, ask, onWait));
		},
		async shownTools(size, own, model = '', baseUrl) {
			const parts = await opened();
			if (parts) {
				await learnFolder(local);
			}

			const tools = (await parts?.servers.tools()) ?? [];
			return parts && tools.length > 0
				? parts.set.shown(tools, await size(), parts.toolLimitOf(model, baseUrl) - own)
				: [];
		},
		resources: {
			// No server is loaded for the mention of a file.
			read: async (name, ...more) =>
				name.includes(':') ? (await opened())?.servers.resources.read(name, ...more) : undefined,
		},
		suggestResources: async (query, signal) => (await opened())?.servers.suggestResources(query, signal) ?? [],
		prompts: async () => (await open?.servers.prompts()) ?? [],
		warnings: () => [...(open?.servers.warnings() ?? []), ...(open?.gate.takeNotes() ?? []).map(text => ({text}))],
		reset: () => open?.set.reset(),
		end: async () => open?.servers.end(),
		access,
	};
}

function createAccess(
	opened: () => Promise<LoadedServers | undefined>,
	options: ProgramOptions,
	local: LocalState,
): McpAccess {
	const {home, project} = local;
	return {
		async servers() {
			const {configuredServers} = await import('../agent/mcp/configured-servers.ts');
			return configuredServers(await project.load());
		},
		async status() {
			await project.load();
			return (await opened())?.servers.status() ?? [];
		},
		async reconnect(configured) {
			const parts = await opened();
			parts?.gate.forget();
			await parts?.servers.reconnect(configured);
		},
		async logIn(configured, login) {
			const {logIn} = await import('./mcp-logins.ts');
			return logIn(configured, login, options, local);
		},
		async logOut(configured) {
			const {logOut} = await import('./mcp-logins.ts');
			return logOut(configured, options, local);
		},
		async faults() {
			const {serverFaults} = await import('../agent/mcp/configured-servers.ts');
			const state = await project.state();
			const files = [...state.ownFaults, ...state.faults].filter(({path}) => path.endsWith(ownMcpFile));
			return [...files.map(({path, reason}) => ({name: 'The file', path, reason})), ...serverFaults(state)];
		},
		async change(change) {
			const {changeServerFile} = await import('./mcp-changes.ts');
			return changeServerFile(change, home, project);
		},
	};
}

/** The servers, with what lets them start, and the tools that the model searched for. */
type LoadedServers = {
	readonly servers: McpServers;
	readonly gate: StartGate;
	readonly set: ToolSet;
	/** Returns how many tools a model may be shown. */
	readonly toolLimitOf: (model: string, baseUrl: string | undefined) => number;
};

async function loadServers(
	options: ProgramOptions,
	local: LocalState,
	{logIn, interaction}: {readonly logIn: LogIn; readonly interaction: () => Interaction | undefined},
): Promise<LoadedServers> {
	const {env, version, insecureHttp = false} = options;
	const {home, folder, project, secrets, config} = local;
	const [
		{createMcpServers},
		{startTimeoutMs, joinTimeoutMs},
		{readEnvFile},
		{createToolSet},
		{toolLimitOf},
		{openKnownTools},
		{canOpenPages, openPage},
		{openWindow},
	] = await Promise.all([
		import('../agent/mcp/servers.ts'),
		import('../agent/mcp/server-entry.ts'),
		import('../agent/mcp/env-file.ts'),
		import('../agent/mcp/tool-set.ts'),
		import('../providers/tool-limits.ts'),
		import('../config/mcp/known-tools.ts'),
		import('../terminal/browser.ts'),
		import('../agent/unseen/change-window.ts'),
	]);
	const {openStartGate} = await import('./start-gates.ts');
	const gate = await openStartGate(options, local, interaction);
	const servers = createMcpServers({
		env,
		version,
		insecureHttp,
		startTimeoutMs,
		joinTimeoutMs,
		folder: folder.path,
		hide: secrets.hide,
		addSecret: secrets.add,
		load: project.state,
		readEnvFile: configured => readEnvFile(configured, project),
		logIn,
		config,
		openPage: canOpenPages(env) ? page => openPage(page, env) : undefined,
		known: openKnownTools(join(home.path, 'mcp-tools.json')),
		whyNot: (server, signal) =>
			gate.whyNot(
				{who: `The MCP server ${server}`, later: `start it with \`/mcp reconnect ${shellWord(server)}\``},
				signal,
			),
		async aroundCall(call) {
			const window = await openWindow({stateFolder: home.path, folder: folder.path()}, 'MCP server');
			try {
				return await call();
			} finally {
				await window.end().catch(() => undefined);
				void window.close();
			}
		},
	});
	return {servers, gate, set: createToolSet(), toolLimitOf};
}
