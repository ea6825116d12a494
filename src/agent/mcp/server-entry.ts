import {createHash} from 'node:crypto';
import type {Config} from '../../config/config.ts';
import type {KnownTools} from '../../config/mcp/known-tools.ts';
import {entryOf} from '../../config/mcp/mcp-file.ts';
import {wantScopes} from '../../config/mcp/mcp-logins.ts';
import {cutLine} from '../../core/cut-text.ts';
import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {type Secret, secret} from '../../core/secrets/secret.ts';
import type {AskUser} from '../../core/session/user-question.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {serverCommand} from '../project/mcp-files.ts';
import type {ProjectState} from '../project/project.ts';
import {type ConfiguredServer, expanded} from './configured-servers.ts';
import type {ConnectOptions, Era} from './connect.ts';
import {toolsOf} from './definition.ts';
import {credentialsIn} from './entry-credentials.ts';
import type {FileVariables} from './env-file.ts';
import {createMcpTool} from './mcp-tool.ts';
import {createServer, type Open, type Server} from './server.ts';
import {createStepUp, type StepUp} from './step-up.ts';

/** What servers need from the program. */
export type Dependencies = {
	/** Reads the files that name servers. */
	readonly load: () => Promise<ProjectState>;
	/** Returns why a command may not be started now, as a sentence; asks the user first. Throws the signal's reason. */
	readonly whyNot: (server: string, signal: AbortSignal) => Promise<string | undefined>;
	/** Runs a call of a server on this machine, which may change files. */
	readonly aroundCall: <Result>(call: () => Promise<Result>) => Promise<Result>;
	readonly folder: () => string;
	readonly env: Environment;
	/** Reads the file of variables of a server. Throws AppError("usage") for one that can't be used. */
	readonly readEnvFile: (configured: ConfiguredServer) => Promise<FileVariables>;
	readonly version: string;
	readonly insecureHttp: boolean;
	/** How long a server may take to start. */
	readonly startTimeoutMs: number;
	/** How long a run waits for a server that is starting, counted from its start, where its tools can join later. */
	readonly joinTimeoutMs: number;
	/** Returns a time in milliseconds that only grows; that of the machine by default. */
	readonly now?: () => number;
	readonly known: KnownTools;
	readonly hide: (text: string) => string;
	readonly config: Config;
	/** Logs the user in to a server again. Returns false if they cancel. */
	readonly logIn: (configured: ConfiguredServer, signal: AbortSignal) => Promise<boolean>;
	/** Opens a page in a browser; undefined where there is none. */
	readonly openPage: ((url: string) => Promise<boolean>) | undefined;
	/** Gets the credentials that a server gets, so that they are masked. */
	readonly addSecret: (value: Secret) => void;
};

/** How long a server may take to start. */
export const startTimeoutMs = 60_000;
/** How long a run waits for a server that is starting, where its tools can join later. */
export const joinTimeoutMs = 5000;
/** How long a call may take without progress. */
const defaultCallMs = 120_000;
/** Most characters of a sentence about a tool. */
const maxFault = 300;

/** A server that is used. `key` changes whenever it has to be started again. */
export type ServerEntry = {
	readonly configured: ConfiguredServer;
	readonly key: string;
	readonly server: Server;
	readonly stepUp: StepUp;
};

const nobody = () => undefined;

/** Changes whenever the server has to be started again: its entry, its file, or the folder that it runs in. */
export function keyOf({server, scope, path}: ConfiguredServer, {folder}: Dependencies): string {
	return JSON.stringify([scope, path, entryOf(server), folder()]);
}

/** Returns the tools of a server, whose calls ask the user with `ask`, and a sentence for each that is left out. */
export function toolsOfEntry(
	{configured, server, stepUp}: ServerEntry,
	{known, hide, aroundCall}: Dependencies,
	ask: () => AskUser | undefined = nobody,
) {
	const {server: entry, id, scope, path} = configured;
	const isStopped = server.state().state === 'stopped';
	const {tools, faults} = toolsOf(configured, isStopped ? [] : server.tools(), hide);
	const said = createHash('sha256')
		.update(JSON.stringify(entryOf(entry)))
		.digest('hex')
		.slice(0, 16);
	return {
		faults: [...(isStopped ? [] : server.faults().map(each => cutLine(safeLine(hide(each)), maxFault))), ...faults],
		tools: tools.map(definition =>
			createMcpTool(definition, {
				serverId: id,
				server,
				stepUp,
				known,
				hide,
				ask,
				serverKey: `${scope === 'user' ? 'user' : path}\n${entry.name}\n${said}`,
				target: entry.type === 'http' ? entry.url : (serverCommand(entry) ?? ''),
				...(entry.type === 'stdio' ? {isLocal: true, aroundCall} : {isLocal: false}),
				timeoutMs: entry.timeoutMs ?? defaultCallMs,
			}),
		),
	};
}

/** Creates what a server needs that is used. Nothing is started. */
export function createEntry(configured: ConfiguredServer, dependencies: Dependencies): ServerEntry {
	const {server} = configured;
	const {config, env, logIn, readEnvFile} = dependencies;
	return {
		configured,
		key: keyOf(configured, dependencies),
		server: createServer({
			name: server.name,
			open: opener(configured, dependencies),
			hide: dependencies.hide,
			isRemote: server.type === 'http',
			...(dependencies.now && {now: dependencies.now}),
		}),
		stepUp: createStepUp({
			name: server.name,
			async want(scopes) {
				const {variables} = await readEnvFile(configured);
				const found = expanded(server, env, variables);
				if ('server' in found && found.server.type === 'http') {
					await wantScopes(config, new URL(found.server.url).href, scopes);
				}
			},
			logIn: signal => logIn(configured, signal),
		}),
	};
}

/** Returns what opens the connection to a server. */
function opener(configured: ConfiguredServer, dependencies: Dependencies): Open {
	let era: Era | undefined;
	return async (events, signal) => {
		const {folder, env, version, insecureHttp, addSecret} = dependencies;
		const {variables, hidden} = await dependencies.readEnvFile(configured);
		const found = expanded(configured.server, env, variables);
		if ('fault' in found) {
			throw new AppError('usage', found.fault);
		}

		for (const value of [...hidden, ...found.values, ...credentialsIn(found.server)]) {
			addSecret(secret(value));
		}

		const [{connect}, {createElicitor}] = await Promise.all([
			import('./connect.ts'),
			import('./elicitation/elicitor.ts'),
		]);
		const {openPage, config, hide} = dependencies;
		// What it printed last is the reason for its end, too.
		const masked = {
			...events,
			onLog: (line: string) => events.onLog(hide(line)),
			onNote: (line: string) => events.onNote(hide(line)),
			onEnd: (reason: string) => events.onEnd(hide(reason)),
		};
		const options: ConnectOptions = {
			...masked,
			server: found.server,
			folder: folder(),
			root: (await dependencies.load()).root,
			env,
			version,
			insecureHttp,
			signal,
			config,
			addSecret,
			timeoutMs: dependencies.startTimeoutMs,
			now: dependencies.now,
			elicitor: createElicitor({server: configured.server.name, openPage, onLog: masked.onNote}),
		};
		const reason = found.server.type === 'stdio' && (await dependencies.whyNot(found.server.name, signal));
		if (reason) {
			throw new AppError('failed', reason.replace(/\.$/, ''));
		}

		const {connection, era: begun} = await connect(options, era);
		era = begun;
		return connection;
	};
}
