import {unlink} from 'node:fs/promises';
import {isAbsolute} from 'node:path';
import type {ComposeOptions, Program} from '../command/program.ts';
import type {McpFault} from '../config/mcp/mcp-file.ts';
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
import {type AuthMethod, type ResponseTo, unknownSession} from './protocol.ts';
import {type EditorPlace, type SessionKeeper, shortened} from './session-keeper.ts';

type Options = {
	readonly compose: (options: ComposeOptions) => Promise<Program>;
	/** What the command line says for all sessions. */
	readonly flags: ComposeOptions;
	readonly env: Environment;
	/** Logs out of the server. Throws AppError("auth") if nobody is logged in. */
	readonly logOut: () => Promise<void>;
};

/** Adds a key in the terminal that the editor opens: it appends these words to its command for the agent. */
const terminalLogin: AuthMethod = {
	type: 'terminal',
	id: 'terminal',
	name: 'Add an API key in the terminal',
	description: 'Asks for a provider of models and its key, which stays on this machine.',
	args: ['--login'],
};

/** Keeps the sessions of an editor in this process, each with a program of its own. */
export function keepOwnSessions({compose, flags, env, logOut}: Options): SessionKeeper {
	const openIn = async ({editor, capabilities, cwd, mcp}: EditorPlace, resume?: string): Promise<EditorSession> =>
		openEditorSession({
			editor,
			capabilities,
			compose,
			flags: {...flags, notices: [...(flags.notices ?? []), ...mcp.faults.map(unusedServer)]},
			folder: folderOf(cwd),
			mcpServers: mcp.servers,
			...(resume !== undefined && {resume}),
		});

	const fileOf = async (sessionId: string): Promise<SessionFile | undefined> =>
		isUuid(sessionId) ? (await sessionFiles(openHome(env))).find(({id}) => id === sessionId) : undefined;

	return {
		capabilities: {
			loadSession: true,
			promptCapabilities: {image: true, audio: false, embeddedContext: true},
			mcpCapabilities: {http: true, sse: false},
			sessionCapabilities: {list: {}, delete: {}, resume: {}, close: {}},
			auth: {logout: {}},
		},
		logins: ({auth}) => (auth?.terminal ? [terminalLogin] : []),
		begin: async place => openIn(place),
		check: ({cwd}) => void folderOf(cwd),
		async continue(sessionId, place) {
			if (!(await fileOf(sessionId))) {
				throw unknownSession(sessionId, `Session not found: “${shortened(sessionId)}”.`);
			}

			return openIn(place, sessionId);
		},
		list: async ({cwd, cursor}) => listPage(env, cwd ?? undefined, cursor ?? undefined),
		async delete(sessionId) {
			const file = await fileOf(sessionId);
			await (file && deleteSession(file));
		},
		async logOut() {
			await logOut().catch((error: unknown) => {
				// Nobody is logged in, as wanted.
				if (!(error instanceof AppError && error.code === 'auth')) {
					throw error;
				}
			});
		},
		close: () => undefined,
	};
}

/** Returns the sentence about a server that is left out, without its values. */
const unusedServer = ({name, reason}: McpFault): string =>
	`The editor's MCP server “${shortened(name)}” is left out: ${reason}.`;

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
