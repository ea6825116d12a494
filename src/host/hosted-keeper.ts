import {randomUUID} from 'node:crypto';
import {type EditorSession, openEditorSession} from '../acp/editor-session.ts';
import {type ResponseTo, unknownSession} from '../acp/protocol.ts';
import {type EditorPlace, type SessionKeeper, shortened} from '../acp/session-keeper.ts';
import type {Surroundings} from '../command/program.ts';
import {AppError} from '../core/error.ts';
import {isUuid} from '../core/uuid.ts';
import {findHost, listHosted} from '../link/find-host.ts';
import type {HostClient} from '../link/host-client.ts';
import {connectionsTo} from '../link/places.ts';
import type {QuestionKind} from '../link/protocol.ts';
import {openHome} from '../storage/home.ts';
import {makePrivateFolder} from '../storage/private-folder.ts';
import {attachedProgram, createQuestionDesk} from './attached-program.ts';
import {createRemoteSession} from './remote-session.ts';

type Options = Pick<Surroundings, 'compose' | 'env' | 'version'> & {
	/** Undefined for the host of this machine. */
	readonly at: string | undefined;
	/** True to watch only. */
	readonly observes: boolean;
	/** The model of new sessions; that of the host without it. */
	readonly model: string | undefined;
};

/** What commands alone ask: without an answer, they would wait for ever. */
const ofCommands: ReadonlySet<QuestionKind> = new Set(['confirm', 'choose', 'field']);

/** An open session, which ends with its connection. */
type Open = {readonly end: (why: string) => void};

/**
 * Keeps the sessions of an editor on a host, with the rights of a terminal that is attached there. The connection is opened for
 * the first session, and again after a host that is gone. Throws AppError("usage") for an invalid place.
 */
export function keepHostedSessions({compose, env, version, at, observes, model}: Options): SessionKeeper {
	connectionsTo(at, env);
	let connecting: Promise<HostClient> | undefined;
	const open = new Set<Open>();

	const connect = async (editorName: string): Promise<HostClient> => {
		const client = await findHost({
			at,
			env,
			version,
			isDrawn: true,
			client: editorName || 'an ACP client',
			...(observes && {rank: 'observer'}),
		});
		client.onState((state, why) => {
			if (state === 'closed') {
				connecting = undefined;
				for (const {end} of open) {
					end(why?.message ?? 'The connection to the host was closed.');
				}
			}
		});
		return client;
	};
	const connected = async (editorName: string): Promise<HostClient> => {
		const current = connecting ?? connect(editorName);
		connecting = current;
		current.catch(() => {
			connecting = connecting === current ? undefined : connecting;
		});
		return current;
	};

	const attach = async (
		client: HostClient,
		id: string,
		{editor, capabilities, mcp, onEnded}: EditorPlace,
		notices: readonly string[],
	): Promise<EditorSession> => {
		const untold: string[] = [];
		let tell = (text: string): void => void untold.push(text);
		let session: EditorSession | undefined;
		const each: Open = {
			end(why) {
				open.delete(each);
				tell(`The session ended: ${why}`);
				onEnded(session?.id ?? id);
				void session?.close();
			},
		};
		const names = [...mcp.servers, ...mcp.faults].map(({name}) => name).join(', ');
		session = await openEditorSession({
			editor,
			capabilities,
			flags: {},
			folder: openHome(env).host,
			mcpServers: [],
			resume: id,
			async compose(options) {
				const folder = openHome(env).host;
				makePrivateFolder(folder, {hint: 'Replace it with a folder of your own.'});
				const local = await compose({...options, connect: false, folder});
				const desk = createQuestionDesk(text => tell(text), {
					declines: kind => ofCommands.has(kind),
					// An editor would be asked without an end: its rules may answer.
					shownAgain: () => false,
				});
				const remote = createRemoteSession({
					client: {...client, close: () => undefined},
					store: local.store,
					role: observes ? 'observer' : 'driver',
					onQuestion: desk.put,
					onTold: text => tell(text),
					onEnded: why => each.end(why),
				});
				const program = attachedProgram(local, remote, desk, folder);
				return {
					...program,
					async close() {
						open.delete(each);
						await program.close();
					},
				};
			},
			hosted: {
				notices: [...notices, ...(names ? [`A host starts no MCP servers of editors, so ${names} is left out.`] : [])],
				onTold(listener) {
					tell = listener;
					untold.splice(0).forEach(listener);
				},
			},
		});
		open.add(each);
		return session;
	};

	return {
		capabilities: {
			loadSession: true,
			promptCapabilities: {image: false, audio: false, embeddedContext: true},
			mcpCapabilities: {http: false, sse: false},
			sessionCapabilities: {list: {}, resume: {}, close: {}},
		},
		logins: () => [],
		async begin(place) {
			const client = await connected(place.editorName);
			const wanted = {key: randomUUID(), folder: place.cwd, ...(model !== undefined && {model})};
			const {session, notices} = await client.request('_service/begin', wanted);
			return attach(client, session, place, notices);
		},
		check: () => undefined,
		async continue(sessionId, place) {
			const missing = () => unknownSession(sessionId, `The host has no session “${shortened(sessionId)}”.`);
			if (!isUuid(sessionId)) {
				throw missing();
			}

			try {
				return await attach(await connected(place.editorName), sessionId, place, []);
			} catch (error) {
				throw error instanceof AppError && error.code === 'not-found' && connecting ? missing() : error;
			}
		},
		async list({cwd}): Promise<ResponseTo<'session/list'>> {
			const sessions = await listHosted(await connected(''));
			return {
				sessions: sessions
					.filter(({state, folder}) => state !== 'ended' && (!cwd || folder === cwd))
					.map(({id, folder, about, began_at: updatedAt}) => ({
						sessionId: id,
						cwd: folder,
						updatedAt,
						...(about && {title: about}),
					})),
			};
		},
		async delete() {
			throw new AppError('usage', 'A session of a host is not deleted here.', {
				hint: 'End it there: `$ host end <session>`',
			});
		},
		async logOut() {
			throw new AppError('usage', 'The login of a host is not changed here.', {hint: 'Log out there: `$ logout`'});
		},
		close: () => void connecting?.then(client => client.close()).catch(() => undefined),
	};
}
