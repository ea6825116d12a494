import {randomUUID} from 'node:crypto';
import {cutLine} from '../core/cut-text.ts';
import {derivedId} from '../core/derived-id.ts';
import type {Environment} from '../core/environment.ts';
import {AppError, reportError} from '../core/error.ts';
import {type ForeignSession, isLossy, remainderText} from '../core/foreign/foreign-session.ts';
import {readTranscript} from '../core/foreign/read-transcript.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {isUuid} from '../core/uuid.ts';
import {addSession, firstEvent, sessionsById} from '../storage/add-session.ts';
import {
	findTranscripts,
	type PassedOver,
	type TranscriptFiles,
	transcriptFolders,
	transcriptPath,
} from '../storage/foreign/transcript-files.ts';
import {readTranscriptLines} from '../storage/foreign/transcript-lines.ts';
import type {Home} from '../storage/home.ts';
import {realFolder} from '../storage/real-folder.ts';
import type {SessionFile} from '../storage/session-folder.ts';
import {maskEvent} from './mask-events.ts';

/** Where sessions are imported to. */
export type ImportPlace = {
	readonly home: Home;
	readonly env: Environment;
	/** The folder that the agent works in. */
	readonly folder: string;
	/** Masks the credentials of a text. */
	readonly hide: (text: string) => string;
};

/** What to import: a file or a folder, or what other clients keep of this folder. */
export type ImportWish = {
	readonly path: string | undefined;
	/** True to import what is here already, as another session. */
	readonly again: boolean;
};

/** A conversation of another client, and what became of it. */
export type ImportedSession = {
	/** Its id here. */
	readonly id: string;
	readonly path: string;
	readonly client: ForeignSession['client'];
	readonly title: string;
	/** The folder that it continues in; not its own if that isn't on this machine. */
	readonly folder: string;
	readonly at: string;
	readonly messages: number;
	readonly calls: number;
	/** What isn't in it as it was, in sentences. */
	readonly remainder: readonly string[];
	readonly isNew: boolean;
	/** How many messages it got since it was imported, which are not here. */
	readonly newMessages: number;
};

export type ImportOutcome = {
	readonly sessions: readonly ImportedSession[];
	/** Why files were not imported, with each file. */
	readonly failures: ReadonlyArray<{readonly path: string; readonly message: string}>;
	/** What was passed over, in sentences. */
	readonly passed: readonly string[];
};

/**
 * Imports the conversations of Claude Code and Codex in a file or a folder, each as a session of the folder that it worked
 * in. A file that can't be read doesn't keep the others out. Throws AppError("failed") if the path itself can't be read,
 * AppError("not-found") if there is no conversation, and the signal's reason.
 */
export async function importSessions(
	place: ImportPlace,
	{path, again}: ImportWish,
	signal: AbortSignal,
): Promise<ImportOutcome> {
	const {paths, passed} = await filesOf(place, path);
	const known = new Map(await sessionsById(place.home));
	const sessions: ImportedSession[] = [];
	const failures: {path: string; message: string}[] = [];
	let others = 0;
	for (const file of paths) {
		signal.throwIfAborted();
		try {
			const found = readTranscript(await readTranscriptLines(file), file);
			if (!found || found.messages === 0) {
				failures.push({
					path: file,
					message: found ? 'It has no messages.' : 'Not a transcript of Claude Code or Codex.',
				});
			} else if (path === undefined && !worksIn(found, place.folder)) {
				others++;
			} else {
				sessions.push(await importOne(place, found, {path: file, known, again}));
			}
		} catch (error) {
			failures.push({path: file, message: reportError(error).message});
		}
	}

	const sentences = [
		...passed,
		...(others > 0 ? [`${others} of other folders: \`import ${transcriptFolders(place.env)[0]}\``] : []),
	];
	if (sessions.length === 0) {
		throw nothingFound(place, path, failures, others);
	}

	return {sessions, failures, passed: sentences};
}

async function filesOf({env, folder: here}: ImportPlace, path: string | undefined) {
	const found =
		path === undefined
			? await Promise.all(
					transcriptFolders(env).map(folder =>
						findTranscripts(folder).catch((): TranscriptFiles => ({paths: [], passed: new Map()})),
					),
				)
			: [await findTranscripts(transcriptPath(path, env, here))];
	const count = (kind: PassedOver) => found.reduce((sum, {passed}) => sum + (passed.get(kind) ?? 0), 0);
	const sentence = (number: number, one: string, many: string) =>
		number > 0 ? [`${number} ${number === 1 ? one : many}`] : [];
	return {
		paths: found.flatMap(each => each.paths),
		passed: [
			...sentence(
				count('compressed'),
				'file is compressed: unpack it first.',
				'files are compressed: unpack them first.',
			),
			...sentence(count('link'), 'link was not followed.', 'links were not followed.'),
			...sentence(count('agent'), 'file of a sub-agent was passed over.', 'files of sub-agents were passed over.'),
			...sentence(count('more'), 'more file: import it by name.', 'more files: import a folder of fewer.'),
		],
	};
}

/** Returns true for a conversation that worked in the folder. */
export function worksIn({folder}: ForeignSession, here: string): boolean {
	return folder !== '' && (realFolder(folder) ?? folder) === (realFolder(here) ?? here);
}

/** Returns the id that a conversation has here: always the same, so that a second import finds the first. */
export function idHere({id, client}: ForeignSession, path: string): string {
	const given = id.toLowerCase();
	return isUuid(given) ? given : derivedId(client, id || path);
}

/** Returns the title of a conversation, or else how it begins. */
export function titleHere({title, events}: ForeignSession, {hide}: Pick<ImportPlace, 'hide'>): string {
	const first = events.find(({event}) => event.type === 'user-message')?.event;
	return cutLine(hide(title || (first?.type === 'user-message' ? first.text.slice(0, 2000) : '')), maxTitle);
}

async function importOne(
	{home, folder: here, hide}: ImportPlace,
	found: ForeignSession,
	{path, known, again}: {readonly path: string; readonly known: Map<string, SessionFile>; readonly again: boolean},
): Promise<ImportedSession> {
	const ownId = idHere(found, path);
	const before = again ? undefined : known.get(ownId);
	const isNew = before === undefined;
	const id = known.has(ownId) && again ? randomUUID() : ownId;
	const folder = (found.folder && realFolder(found.folder)) || here;
	const {client, messages, calls, events} = found;
	const title = titleHere(found, {hide});
	const remainder = remainderText(found.remainder);
	const at = events.at(-1)?.at ?? new Date(0).toISOString();
	if (isNew) {
		const records = recordsOf(found, title, remainder).map(({at: when, event}, seq): Recorded => {
			return {v: 1, seq, at: when, session: id, server: 'local', event: masked(event, hide)};
		});
		known.set(id, await addSession(home, {id, folder, records}));
	}

	const notice = before && (await firstEvent(before));
	const imported = notice?.type === 'notice' ? notice.messages : undefined;
	const newMessages = imported === undefined ? 0 : Math.max(0, messages - imported);
	return {id, path, client, title, folder, at, messages, calls, remainder, isNew, newMessages};
}

/** Masks an event. Its texts are whole, not pieces of an answer that grows (SAFETY 8). */
function masked(event: AgentEvent, hide: ImportPlace['hide']): AgentEvent {
	return event.type === 'text-delta' || event.type === 'reasoning-delta'
		? {...event, text: hide(event.text)}
		: maskEvent(event, hide);
}

/** Most characters of a title. */
const maxTitle = 100;

/** Returns the events of a session: what it is comes first, its title last. */
function recordsOf(found: ForeignSession, title: string, remainder: readonly string[]): ForeignSession['events'] {
	const {client, version, events, messages} = found;
	const [first] = events;
	const last = events.at(-1);
	const text = [`Imported from ${[client, version.slice(0, 40)].filter(Boolean).join(' ')}.`, ...remainder].join(' ');
	const notice: AgentEvent = {
		type: 'notice',
		level: isLossy(found.remainder) ? 'warning' : 'info',
		text,
		client,
		messages,
	};
	return first && last
		? [
				{at: first.at, event: notice},
				...events,
				...(title && found.title ? [{at: last.at, event: {type: 'rename', title} as const}] : []),
			]
		: [];
}

function nothingFound(
	{env}: ImportPlace,
	path: string | undefined,
	failures: ImportOutcome['failures'],
	others: number,
): AppError {
	const [failure] = failures;
	if (path !== undefined && failures.length === 1 && failure) {
		return new AppError('failed', `Nothing to import from ${failure.path}: ${failure.message}`, {hint: howTo});
	}

	const more = failures.length > 0 ? ` ${failures.length} files are no transcripts.` : '';
	return path === undefined
		? new AppError(
				'not-found',
				`Claude Code and Codex keep no conversation of this folder in ${transcriptFolders(env).join(' or ')}.`,
				{
					hint: others > 0 ? `${others} are of other folders. Name a file or a folder to import them.` : howTo,
				},
			)
		: new AppError('not-found', `No transcript of Claude Code or Codex in ${path}.${more}`, {hint: howTo});
}

const howTo = 'Name a transcript, or a folder of them: `import <file>`';
