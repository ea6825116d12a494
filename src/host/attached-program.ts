import type {ProjectState} from '../agent/project/project.ts';
import {type Command, type Entry, isNoun} from '../command/context.ts';
import {isCommandLine} from '../command/line-kind.ts';
import type {SessionPart} from '../command/parts.ts';
import type {Program} from '../command/program.ts';
import {AppError} from '../core/error.ts';
import {indexPaths} from '../core/fuzzy-paths.ts';
import {isJsonObject} from '../core/json.ts';
import type {AskUser} from '../core/session/user-question.ts';
import type {QuestionKind} from '../link/protocol.ts';
import type {Interaction} from '../platform/interaction.ts';
import {askAs, readResult} from './received-data.ts';
import type {RemoteQuestion, RemoteSession} from './remote-session.ts';

type Decide = Parameters<SessionPart['askWith']>[0];

/** What the screen answers questions of the host with, and those that came before it could. */
export type QuestionDesk = {
	readonly put: (question: RemoteQuestion) => void;
	readonly askWith: (decide: Decide) => void;
	readonly answerWith: (ask: AskUser, interact: Interaction | undefined) => void;
};

type DeskOptions = {
	/** Returns whether a question whose answer didn't count is asked again. */
	readonly shownAgain?: (kind: QuestionKind) => boolean;
	/** Returns whether a question that can't be shown is answered with no. Otherwise it waits for another terminal. */
	readonly declines?: (kind: QuestionKind) => boolean;
};

/** Creates what passes questions of the host to the screen, once that can show them, and answers back. */
export function createQuestionDesk(
	tell: (text: string) => void,
	{declines = () => false, shownAgain = () => true}: DeskOptions = {},
): QuestionDesk {
	let decide: Decide | undefined;
	let asks: {readonly ask: AskUser; readonly interact: Interaction} | undefined;
	let early: RemoteQuestion[] = [];

	const show = async (question: RemoteQuestion) => {
		if (!decide || !asks) {
			return;
		}

		try {
			const value = await askAs(question, {decide, ...asks});
			if (!question.signal.aborted) {
				await question.answer(value);
			}
		} catch (error) {
			if (!question.signal.aborted) {
				tell(error instanceof Error ? error.message : 'The question was not answered.');
				if (error instanceof AppError && error.code === 'conflict' && shownAgain(question.kind)) {
					await show(question);
					return;
				}

				await (declines(question.kind) ? question.answer(undefined).catch(() => undefined) : undefined);
			}
		}
	};
	const release = () => {
		if (decide && asks) {
			const questions = early;
			early = [];
			for (const question of questions) {
				void show(question);
			}
		}
	};

	return {
		put(question) {
			if (decide && asks) {
				void show(question);
			} else {
				early.push(question);
			}
		},
		askWith(given) {
			decide = given;
			release();
		},
		answerWith(ask, interact) {
			asks = interact && {ask, interact};
			release();
		},
	};
}

/** Commands about the terminal itself; all others run on the host. */
const ownCommands: ReadonlySet<string> = new Set([
	'attach',
	'detach',
	'drive',
	'handoff',
	'resume',
	'rename',
	'queue',
	'pin',
	'export',
	'copy',
	'clear',
	'config',
	'theme',
	'vim',
	'keys-help',
	'help',
	'completion',
	'quit',
]);

/** Commands that need a screen beside the session, which is at this side, and data that is at the other one. */
const hostOnly: ReadonlySet<string> = new Set(['bg', 'logs', 'watch', 'replay']);

function remoteCommand(path: string, command: Command, remote: RemoteSession, name: string): Command {
	return {
		...command,
		async execute(values, context) {
			if (hostOnly.has(name)) {
				throw new AppError('usage', `\`/${path}\` doesn't work for a session of a host.`, {
					hint: "Run it in the app on the host's machine.",
				});
			}

			const sent = JSON.parse(JSON.stringify(values));
			const result = await remote.act('command', {path, values: sent, exact: context.flags.exact});
			return readResult(result);
		},
	};
}

function remoteEntry(entry: Entry, remote: RemoteSession): Entry {
	if (ownCommands.has(entry.name)) {
		return entry;
	}

	return isNoun(entry)
		? {...entry, verbs: entry.verbs.map(verb => remoteCommand(`${entry.name} ${verb.name}`, verb, remote, entry.name))}
		: remoteCommand(entry.name, entry, remote, entry.name);
}

const noFiles: ProjectState = {root: '', isProject: false, files: [], faults: [], ownFaults: []};

/** Most paths that a mention completes. */
const maxPaths = 20_000;

/**
 * Returns the program of a terminal that is attached to a session of a host: its screen, keys, theme, editor, clipboard and
 * history are those of this machine; the session, its folder and its commands are those of the host.
 */
export function attachedProgram(local: Program, remote: RemoteSession, desk: QuestionDesk, here: string): Program {
	// Its own conversation opens now: its empty transcript would take the place of the host's later.
	local.session.conversation.flush();
	const none = async () => undefined;
	let read: readonly Entry[] | undefined;
	let entries: readonly Entry[] = [];
	const all = () => {
		const now = local.commands.all();
		if (now !== read) {
			read = now;
			entries = now.map(entry => remoteEntry(entry, remote));
		}

		return entries;
	};
	const session: SessionPart = {
		conversation: remote.conversation,
		hosted: {
			drive: remote.drive,
			setMode: async mode => void (await remote.act('mode', {mode})),
			end: remote.end,
			ask: remote.ask,
			here,
		},
		background: {
			list: () => [],
			send() {
				throw new AppError('usage', 'This session runs on the host already.', {hint: 'Leave it with `/detach`'});
			},
			find: () => undefined,
			bring: async () => undefined,
			next: async () => false,
		},
		saved: local.session.saved,
		agents: local.session.agents,
		jobs: () => [],
		moveToBackground: () => void remote.act('background', {}).catch(() => undefined),
		// They are on this machine, and the session is on that of the host.
		listForeign: async () => ({sessions: [], notes: []}),
		async importFrom() {
			throw new AppError('usage', 'Sessions are imported in a shell of the host.');
		},
		resume: wanted => remote.open(wanted),
		askWith: desk.askWith,
		answerWith: desk.answerWith,
		onRecord: remote.onRecord,
	};
	const project: Program['project'] = {
		...local.project,
		// The files of the session's folder are read on the host, which tells whoever begins it.
		files: {
			...local.project.files,
			load: async () => noFiles,
			loadAll: async () => noFiles,
			readNested: async () => [],
			state: async () => noFiles,
			judge: () => [],
			unreadable: () => undefined,
		},
		folder: {
			...local.project.folder,
			path: remote.folder,
			// The host asked, or was told by whoever began the session.
			unasked: () => undefined,
			wide: () => undefined,
			isOpen: () => true,
			mayRunAll: () => true,
			allowAll: none,
		},
	};
	const parts = {
		session,
		project,
		model: {
			...local.model,
			choose: none,
			remember: () => undefined,
			isDemo: () => false,
			lacksKey: () => false,
		},
		prompts: {
			...local.prompts,
			async prepare(line: string) {
				if (!isCommandLine(line)) {
					await remote.act('prepare', {});
				}
			},
			checkMedia: none,
			async listPaths() {
				const found = await remote.act('paths', {query: '', limit: maxPaths});
				const paths = isJsonObject(found) && Array.isArray(found['paths']) ? found['paths'] : [];
				return indexPaths(paths.filter(path => typeof path === 'string'));
			},
			async keepImage(): Promise<never> {
				throw new AppError('usage', "Images can't be pasted into a session of a host.", {
					hint: 'Copy the file to its folder, then mention it with @.',
				});
			},
		},
		commands: {...local.commands, all},
	};
	return {
		...local,
		...parts,
		forCommand(request) {
			const context = local.forCommand(request);
			return {...context, program: {...context.program, ...parts}};
		},
		warnings: () => [],
		async close() {
			await remote.close();
			await local.close();
		},
	};
}
