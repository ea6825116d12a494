import {unlink} from 'node:fs/promises';
import {isAbsolute} from 'node:path';
import type {ComposeOptions, Program} from '../command/program.ts';
import {type McpServer, readEntry} from '../config/mcp/mcp-file.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {isUuid} from '../core/uuid.ts';
import {errnoOf, explainFileError} from '../storage/file-error.ts';
import {openHome} from '../storage/home.ts';
import {tryLock} from '../storage/lock.ts';
import {realFolder} from '../storage/real-folder.ts';
import {type SessionFile, sessionFiles} from '../storage/session-folder.ts';
import {listSessions} from '../storage/sessions.ts';
import {type EditorSession, openEditorSession} from './editor-session.ts';
import {
	type AgentHandlers,
	type AuthMethod,
	type ClientCapabilities,
	type Editor,
	type EditorServer,
	protocolVersion,
	type ResponseTo,
	unknownSession,
} from './protocol.ts';

type Options = {
	readonly editor: Editor;
	readonly compose: (options: ComposeOptions) => Promise<Program>;
	/** What the command line says for all sessions. */
	readonly flags: ComposeOptions;
	readonly env: Environment;
	readonly version: string;
	/** Logs out of the server. Throws AppError("auth") if nobody is logged in. */
	readonly logOut: () => Promise<void>;
};

/** The agent of an editor: what answers its requests, and what ends all of its sessions. */
export type EditorAgent = {readonly handlers: AgentHandlers; readonly close: () => Promise<void>};

/** Adds a key in the terminal that the editor opens: it appends these words to its command for the agent. */
const terminalLogin: AuthMethod = {
	type: 'terminal',
	id: 'terminal',
	name: 'Add an API key in the terminal',
	description: 'Asks for a provider of models and its key, which stays on this machine.',
	args: ['--login'],
};

/** Most sessions that are open at the same time: each has its transcript, commands and MCP servers. */
const maxOpen = 64;

/** Creates the agent of an editor. Nothing is opened before its first session. */
export function createEditorAgent({editor, compose, flags, env, version, logOut}: Options): EditorAgent {
	const open = new Map<string, EditorSession>();
	/** Sessions that are being continued, by their ids. */
	const opening = new Map<string, Promise<EditorSession>>();
	let capabilities: ClientCapabilities = {};

	const sessionOf = (sessionId: string): EditorSession => {
		const session = open.get(sessionId);
		if (!session) {
			throw unknownSession(
				sessionId,
				`No session “${shortened(sessionId)}” is open here. Load it, or start a new one.`,
			);
		}

		return session;
	};

	const openIn = async (cwd: string, servers: readonly EditorServer[], resume?: string): Promise<EditorSession> => {
		if (open.size >= maxOpen) {
			throw new AppError('conflict', `${maxOpen} sessions are open already.`, {hint: 'Close one of them first.'});
		}

		const session = await openEditorSession({
			editor,
			capabilities,
			compose,
			flags,
			folder: folderOf(cwd),
			mcpServers: servers.map(serverOf),
			...(resume !== undefined && {resume}),
		});
		open.set(session.id, session);
		return session;
	};

	/** Continues a saved session. One that is open here stays as it is, with its servers. */
	const continued = async (
		sessionId: string,
		cwd: string,
		servers: readonly EditorServer[],
	): Promise<EditorSession> => {
		const known = open.get(sessionId);
		if (known) {
			folderOf(cwd);
			return known;
		}

		if (!(await fileOf(sessionId))) {
			throw unknownSession(sessionId, `Session not found: “${shortened(sessionId)}”.`);
		}

		const begun = opening.get(sessionId) ?? openIn(cwd, servers, sessionId).finally(() => opening.delete(sessionId));
		opening.set(sessionId, begun);
		return begun;
	};

	const fileOf = async (sessionId: string): Promise<SessionFile | undefined> =>
		isUuid(sessionId) ? (await sessionFiles(openHome(env))).find(({id}) => id === sessionId) : undefined;

	const closed = async (sessionId: string) => {
		const session = open.get(sessionId);
		open.delete(sessionId);
		await session?.close();
	};

	/** Returns the answer to a request that opens a session. What belongs to that is shown after it: the id is known then. */
	const beginning = <Answer>(session: EditorSession, answer: Answer): Answer => {
		setImmediate(session.begin);
		return answer;
	};

	const handlers: AgentHandlers = {
		initialize({clientCapabilities = {}}) {
			capabilities = clientCapabilities;
			return {
				protocolVersion,
				agentInfo: {name: 'service', title: 'service', version},
				authMethods: clientCapabilities.auth?.terminal ? [terminalLogin] : [],
				agentCapabilities: {
					loadSession: true,
					promptCapabilities: {image: true, audio: false, embeddedContext: true},
					mcpCapabilities: {http: true, sse: false},
					sessionCapabilities: {list: {}, delete: {}, resume: {}, close: {}},
					auth: {logout: {}},
				},
			};
		},
		authenticate({methodId}) {
			throw new AppError('usage', `Can't log in by “${shortened(methodId)}” here.`, {
				hint: 'Add a key in a terminal: `$ keys set <provider>`',
			});
		},
		async logout() {
			await logOut().catch((error: unknown) => {
				// Nobody is logged in, as wanted.
				if (!(error instanceof AppError && error.code === 'auth')) {
					throw error;
				}
			});
			return {};
		},
		async 'session/new'({cwd, mcpServers}) {
			const session = await openIn(cwd, mcpServers);
			return beginning(session, {sessionId: session.id, ...(await session.state())});
		},
		async 'session/load'({sessionId, cwd, mcpServers}) {
			const session = await continued(sessionId, cwd, mcpServers);
			session.replay();
			return beginning(session, await session.state());
		},
		async 'session/resume'({sessionId, cwd, mcpServers = []}) {
			const session = await continued(sessionId, cwd, mcpServers);
			return beginning(session, await session.state());
		},
		'session/list': ({cwd, cursor}) => listPage(env, cwd ?? undefined, cursor ?? undefined),
		async 'session/delete'({sessionId}) {
			await closed(sessionId);
			const file = await fileOf(sessionId);
			await (file && deleteSession(file));
			return {};
		},
		async 'session/close'({sessionId}) {
			sessionOf(sessionId);
			await closed(sessionId);
			return {};
		},
		async 'session/set_mode'({sessionId, modeId}) {
			await sessionOf(sessionId).setMode(modeId);
			return {};
		},
		'session/set_config_option': async ({sessionId, configId, value}) => ({
			configOptions: await sessionOf(sessionId).setOption(configId, value),
		}),
		'session/prompt': async ({sessionId, prompt}, signal) => ({
			stopReason: await sessionOf(sessionId).prompt(prompt, signal),
		}),
		cancel: ({sessionId}) => open.get(sessionId)?.cancel(),
	};

	return {
		handlers,
		async close() {
			await Promise.allSettled([...open.keys()].map(closed));
		},
	};
}

/** Returns an id of an editor as an error shows it. */
function shortened(id: string): string {
	return id.length > 60 ? `${id.slice(0, 59)}…` : id;
}

/** Returns the folder of a session, a real path. Throws AppError("usage") for one that isn't there, or relative. */
function folderOf(cwd: string): string {
	if (!isAbsolute(cwd)) {
		throw new AppError('usage', `The folder “${shortened(cwd)}” is not an absolute path.`, {
			hint: 'Open a folder in the editor.',
		});
	}

	const folder = realFolder(cwd);
	if (folder === undefined) {
		throw new AppError('usage', `The folder “${shortened(cwd)}” does not exist.`, {hint: 'Open another one.'});
	}

	return folder;
}

/** Returns a server as our files name it. Throws AppError("usage") for one that can't be used; its values stay unsaid. */
function serverOf(given: EditorServer): McpServer {
	const pairs = (list: readonly {readonly name: string; readonly value: string}[]) =>
		Object.fromEntries(list.map(({name, value}) => [name, value]));
	const entry =
		'command' in given
			? {command: given.command, args: given.args, env: pairs(given.env)}
			: {type: given.type, url: given.url, headers: pairs(given.headers)};
	const server = readEntry(given.name, entry);
	if ('reason' in server) {
		throw new AppError('usage', `The MCP server “${shortened(given.name)}” can't be used: ${server.reason}.`);
	}

	return server;
}

/** Sessions on a page of a list. */
const pageSize = 50;

/** Returns a page of the saved sessions, newest first. Throws AppError("usage") for a cursor that isn't one of ours. */
async function listPage(
	env: Environment,
	cwd: string | undefined,
	cursor: string | undefined,
): Promise<ResponseTo<'session/list'>> {
	const last = cursor === undefined ? undefined : readCursor(cursor);
	const folder = cwd === undefined ? {} : {folder: folderOf(cwd)};
	const all = (await listSessions(openHome(env), folder)).filter(
		session => session.messages > 0 && isAbsolute(session.folder),
	);
	const later = last ? all.filter(({id, updatedAt}) => isBehind({id, updatedAt}, last)) : all;
	const sessions = later.slice(0, pageSize);
	const end = sessions.at(-1);
	return {
		sessions: sessions.map(({id, folder: at, title, about, updatedAt}) => ({
			sessionId: id,
			cwd: at,
			updatedAt,
			...((title || about) && {title: title || about}),
		})),
		...(end && later.length > pageSize && {nextCursor: cursorOf(end)}),
	};
}

type Position = {readonly id: string; readonly updatedAt: string};

/** True for a session that a list shows below another one: the newest come first. */
function isBehind({id, updatedAt}: Position, last: Position): boolean {
	return updatedAt < last.updatedAt || (updatedAt === last.updatedAt && id > last.id);
}

function cursorOf({id, updatedAt}: Position): string {
	return Buffer.from(`${updatedAt} ${id}`).toString('base64url');
}

function readCursor(cursor: string): Position {
	const [updatedAt = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
	if (!isUuid(id) || Number.isNaN(Date.parse(updatedAt))) {
		throw new AppError('usage', 'Invalid cursor.', {hint: 'List the sessions again, from the first page.'});
	}

	return {id, updatedAt};
}

/** Deletes the file of a session. Throws AppError("conflict") if another process has it open. */
async function deleteSession({path}: SessionFile): Promise<void> {
	const lock = tryLock(`${path}.lock`);
	if (!('release' in lock)) {
		throw new AppError('conflict', `This session is open in another window (process ${lock.pid} on ${lock.host}).`, {
			hint: 'Close it there, then delete it.',
		});
	}

	try {
		await unlink(path);
	} catch (error) {
		if (errnoOf(error) !== 'ENOENT') {
			throw explainFileError(error, 'write', path);
		}
	} finally {
		lock.release();
	}
}
