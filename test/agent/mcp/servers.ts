import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {onTestFinished} from 'vitest';
import {readEnvFile} from '../../../src/agent/mcp/env-file.ts';
import {createMcpServers} from '../../../src/agent/mcp/servers.ts';
import {openConfig} from '../../../src/config/config.ts';
import {openKnownTools} from '../../../src/config/mcp/known-tools.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {Secret} from '../../../src/core/secrets/secret.ts';
import type {Approval} from '../../../src/core/session/approval.ts';
import type {ToolContext} from '../../../src/core/session/tool.ts';
import type {AskUser} from '../../../src/core/session/user-question.ts';
import {openHome} from '../../../src/storage/home.ts';
import {repository} from '../project/repository.ts';
import {official} from './built-official.ts';

export {official} from './built-official.ts';

export const hostile = fileURLToPath(new URL('hostile-server.mjs', import.meta.url));

/** The entry of a server that Node runs. */
export const node = (script: string, ...args: readonly string[]) => ({
	command: process.execPath,
	args: [script, ...args],
});

/** Starts the official server on a loopback port. Returns its address. */
export async function officialOverHttp(...args: readonly string[]): Promise<string> {
	const child = spawn(process.execPath, [official, 'http', ...args], {stdio: ['ignore', 'pipe', 'inherit']});
	onTestFinished(() => void child.kill('SIGKILL'));
	const [port] = await once(child.stdout, 'data');
	return `http://127.0.0.1:${String(port).trim()}/mcp`;
}

type Options = {
	readonly env?: Readonly<Record<string, string>>;
	readonly files?: Readonly<Record<string, string>>;
	/** Files of the state folder, such as one with logins. */
	readonly own?: Readonly<Record<string, string>>;
	/** The user's answers to approvals; yes by default. */
	readonly allow?: (request: Approval) => boolean;
	/** Asks the user for a server; nobody can be asked by default. */
	readonly ask?: AskUser;
	readonly openPage?: (url: string) => Promise<boolean>;
	/** How long a server may take to start; as long as it wants by default. */
	readonly startTimeoutMs?: number;
	/** How long a run waits for a server whose tools can join later; as long as it wants by default. */
	readonly joinTimeoutMs?: number;
	/** The clock of restarts. */
	readonly now?: () => number;
	/** Logs the user in again; they cancel by default. */
	readonly logIn?: Parameters<typeof createMcpServers>[0]['logIn'];
};

/** The servers of a user with these entries in their own file. */
export function openServers(
	entries: JsonObject,
	{
		env = {},
		files = {},
		own = {},
		allow = () => true,
		ask,
		openPage,
		logIn = async () => false,
		startTimeoutMs = 600_000,
		joinTimeoutMs = 600_000,
		now = performance.now.bind(performance),
	}: Options = {},
) {
	const {stateFolder, folder, project} = repository(files, {
		own: {...own, 'mcp.json': JSON.stringify({mcpServers: entries})},
	});
	const secrets: Secret[] = [];
	const config = openConfig(openHome({SERVICE_HOME: stateFolder}));
	const addSecret = (value: Secret) => void secrets.push(value);
	const asked: Approval[] = [];
	const hide = (text: string) =>
		secrets.reduce((rest, held) => rest.replaceAll(held.reveal(), '***'), redactKnown(text));
	const servers = createMcpServers({
		load: project.load,
		whyNot: async () => undefined,
		aroundCall: call => call(),
		readEnvFile: configured => readEnvFile(configured, project),
		folder: () => folder,
		...{env, version: '0.0.0', insecureHttp: false, startTimeoutMs, joinTimeoutMs, now},
		known: openKnownTools(join(stateFolder, 'mcp-tools.json')),
		hide,
		...{config, logIn},
		openPage,
		addSecret,
	});
	onTestFinished(() => servers.end());
	const outputs: string[] = [];
	const context = (more: Partial<ToolContext> = {}): ToolContext => ({
		workspace: folder,
		signal: new AbortController().signal,
		onOutput: text => outputs.push(text),
		onChange: () => undefined,
		async approve(request) {
			asked.push(request);
			return {allowed: allow(request)};
		},
		readFiles: new Map(),
		...more,
	});
	return {
		...{servers, asked, outputs, folder, stateFolder, project, hide, config, addSecret},
		/** Calls a tool by its name. */
		async call(name: string, args: JsonObject = {}, more: Partial<ToolContext> = {}) {
			const tools = await servers.tools(undefined, () => ask);
			const tool = tools.find(each => each.name === name);
			if (!tool) {
				throw new Error(`No tool ${name} among ${tools.map(each => each.name).join(', ')}.`);
			}

			return tool.run(args, context(more));
		},
		async status(name: string) {
			const found = (await servers.status()).find(({configured}) => configured.server.name === name);
			if (!found) {
				throw new Error(`No server ${name}.`);
			}

			return found;
		},
	};
}
