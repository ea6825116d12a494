import {AppError} from '../core/error.ts';
import {readEditorServers} from './editor-servers.ts';
import type {EditorSession} from './editor-session.ts';
import {type AgentHandlers, type ClientCapabilities, type Editor, protocolVersion, unknownSession} from './protocol.ts';
import {type EditorPlace, type SessionKeeper, shortened} from './session-keeper.ts';

type Options = {
	readonly editor: Editor;
	readonly version: string;
	readonly keeper: SessionKeeper;
};

/** The agent of an editor: what answers its requests, and what ends all of its sessions. */
export type EditorAgent = {readonly handlers: AgentHandlers; readonly close: () => Promise<void>};

/** Most sessions that are open at the same time: each has its transcript, commands and MCP servers. */
const maxOpen = 64;

/** Creates the agent of an editor. Nothing is opened before its first session. */
export function createEditorAgent({editor, version, keeper}: Options): EditorAgent {
	const open = new Map<string, EditorSession>();
	/** Sessions that are being continued, by their ids. */
	const opening = new Map<string, Promise<EditorSession>>();
	let capabilities: ClientCapabilities = {};
	let editorName = '';

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

	const placeOf = (cwd: string, mcpServers: unknown): EditorPlace => ({
		editor,
		capabilities,
		editorName,
		cwd,
		mcp: readEditorServers(mcpServers),
		onEnded: id => void open.delete(id),
	});

	const opened = async (openIt: () => Promise<EditorSession>): Promise<EditorSession> => {
		if (open.size >= maxOpen) {
			throw new AppError('conflict', `${maxOpen} sessions are open already.`, {hint: 'Close one of them first.'});
		}

		const session = await openIt();
		open.set(session.id, session);
		return session;
	};

	/** Continues a session. One that is open here stays as it is, with its servers. */
	const continued = async (sessionId: string, cwd: string, mcpServers: unknown): Promise<EditorSession> => {
		const place = placeOf(cwd, mcpServers);
		const known = open.get(sessionId);
		if (known) {
			keeper.check(place);
			return known;
		}

		const begun =
			opening.get(sessionId) ??
			opened(() => keeper.continue(sessionId, place)).finally(() => opening.delete(sessionId));
		opening.set(sessionId, begun);
		return begun;
	};

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
		initialize({clientCapabilities = {}, clientInfo}) {
			capabilities = clientCapabilities;
			editorName = clientInfo?.title || clientInfo?.name || '';
			return {
				protocolVersion,
				agentInfo: {name: 'service', title: 'service', version},
				authMethods: keeper.logins(clientCapabilities),
				agentCapabilities: keeper.capabilities,
			};
		},
		authenticate({methodId}) {
			throw new AppError('usage', `Can't log in by “${shortened(methodId)}” here.`, {
				hint: 'Add a key in a terminal: `$ keys set <provider>`',
			});
		},
		async logout() {
			await keeper.logOut();
			return {};
		},
		async 'session/new'({cwd, mcpServers}) {
			const session = await opened(() => keeper.begin(placeOf(cwd, mcpServers)));
			return beginning(session, {sessionId: session.id, ...(await session.state())});
		},
		async 'session/load'({sessionId, cwd, mcpServers}) {
			const session = await continued(sessionId, cwd, mcpServers);
			session.replay();
			return beginning(session, await session.state());
		},
		async 'session/resume'({sessionId, cwd, mcpServers}) {
			const session = await continued(sessionId, cwd, mcpServers);
			return beginning(session, await session.state());
		},
		'session/list': async wanted => keeper.list(wanted),
		async 'session/delete'({sessionId}) {
			await closed(sessionId);
			await keeper.delete(sessionId);
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
			keeper.close();
		},
	};
}
