import {randomUUID} from 'node:crypto';
import {abortable} from '../../core/abortable.ts';
import {AppError} from '../../core/error.ts';
import type {Handoff} from '../../core/session/event.ts';
import {blocksOf} from '../../core/session/transcript.ts';
import type {AskHost} from '../../link/host-client.ts';
import {askWhetherThere, handoffNotice, handoffWords, isElsewhere} from '../../session/settle-handoff.ts';
import type {SessionSummary} from '../../storage/session-summary.ts';
import type {CommandContext} from '../context.ts';
import type {HandoffPlace} from './handoff-place.ts';
import {agreeToChanges} from './handoff-questions.ts';

export type HandOver = {
	readonly place: HandoffPlace;
	/** The session on screen without it. */
	readonly session: SessionSummary | undefined;
	readonly withSecrets: boolean;
};

/** Where a session is now, and what to tell the user. */
export type HandedOver = {readonly key: string; readonly folder: string; readonly notices: readonly string[]};

/**
 * Hands a session over to a host, with the uncommitted changes of its repository. Returns undefined if the user cancels. It ends here
 * only once the host has said that it is there. Throws what the host and the checks of the repository throw.
 */
export async function handOver(wish: HandOver, context: CommandContext): Promise<HandedOver | undefined> {
	const {place, withSecrets} = wish;
	const {
		program,
		ui: {interact, live},
	} = context;
	const {ask, to} = place;
	const saved = program.session.saved;
	const file = wish.session ?? (await sessionOnScreen(context));
	await assertHere(file, place, context);
	const folder = file.folder || program.project.folder.path();
	const [{packFolder, assertJournalSize}, {openRepository}, {hashOfChanges}, {homePath}] = await Promise.all([
		import('../../session/receive-session.ts'),
		import('../../agent/handoff/repository.ts'),
		import('../../agent/handoff/packed-changes.ts'),
		import('../../storage/home.ts'),
	]);
	const rules = () => ({folder, entries: program.project.approvals.rules.list()});
	const options = {places: {stateFolder: homePath(program.local.env), rules}, withSecrets};
	const {top} = await openRepository(folder);
	const pack = () => packFolder(folder, options);
	const {packed, left} = await pack();
	const {remotes, commit, branch, below} = packed;
	assertJournalSize((await saved.read(file)).records);
	const wanted = {remotes, commit, branch, below, ...(place.at === '' && {except: top})};
	for (const notice of (await ask('_service/handoff_find', wanted)).notices) {
		interact.say(notice);
	}

	if (!(await agreeToChanges(`Send this session to ${to}?`, [], {top, packed, left}, context))) {
		return undefined;
	}

	const key = randomUUID();
	const there = await ask('_service/handoff_offer', {key, packed});
	const facts = [
		['Folder', there.folder],
		...(there.switches_to === undefined ? [] : [['Checks out', there.switches_to] as const]),
		['Rights', 'those of a new session there'],
	] as const;
	const question = packed.changes.length > 0 ? 'Apply the changes there, and continue there?' : 'Continue there?';
	if (!(await interact.confirm(question, {title: to, facts}))) {
		return undefined;
	}

	if (hashOfChanges((await pack()).packed) !== hashOfChanges(packed)) {
		throw new AppError('conflict', 'Files changed meanwhile.', {hint: 'Hand it over again.'});
	}

	// Its journal is open in one process at a time.
	await (wish.session ? undefined : live?.start());
	const handoff: Handoff = {state: 'offered', key, to, at: place.at, changes: hashOfChanges(packed)};
	const {records} = await saved.read(file);
	await saved.record(file, handoffNotice(handoff));
	const accepted = await acceptance({ask, file, handoff, records}, context);
	return {...there, ...accepted, key};
}

type Accepting = {
	readonly ask: AskHost;
	readonly file: SessionSummary;
	readonly handoff: Handoff;
	readonly records: readonly unknown[];
};

/** Sends the journal, and records where the session is then. */
async function acceptance({ask, file, handoff, records}: Accepting, {program, signal}: CommandContext) {
	const {record} = program.session.saved;
	const {key} = handoff;
	try {
		const {notices} = await abortable(ask('_service/handoff_accept', {key, records: [...records]}), signal);
		await record(file, handoffNotice({...handoff, state: 'moved'}));
		return {notices};
	} catch (error) {
		// It may have arrived all the same.
		const isThere = signal.aborted
			? undefined
			: await askWhetherThere(file, handoff, {ask, record}).catch(() => undefined);
		if (isThere) {
			return {notices: []};
		}

		const short = file.id.slice(0, 8);
		if (isThere === false && error instanceof AppError) {
			throw new AppError(error.code, error.message, {hint: `The session is here: \`resume ${short}\``, cause: error});
		}

		const words = handoffWords({session: file.id, at: handoff.at ?? ''});
		throw new AppError('network', `${handoff.to} may have the session: its answer didn’t arrive.`, {
			hint: `Ask it: \`handoff ${words}\``,
			cause: error,
		});
	}
}

/** Returns the session on screen, once it is saved. Throws AppError("conflict") if it has no message, or its agent works. */
async function sessionOnScreen({program}: CommandContext): Promise<SessionSummary> {
	const {transcript, unsaved} = program.store.getState();
	if (!blocksOf(transcript).some(({kind}) => kind === 'user')) {
		throw new AppError('conflict', 'This session has no message yet.', {hint: 'Send one, then hand it over.'});
	}

	if (unsaved) {
		throw new AppError('conflict', `This session is not saved (${unsaved}).`, {hint: 'Fix that first.'});
	}

	if (transcript.run) {
		throw new AppError('conflict', 'The agent works.', {hint: 'Interrupt it first, or wait until it is done.'});
	}

	await program.session.conversation.saved();
	return program.session.saved.find(transcript.session);
}

/** Throws AppError("conflict") for a session that was handed over already, once it is known where it is. */
async function assertHere(file: SessionSummary, {ask, at}: HandoffPlace, {program}: CommandContext): Promise<void> {
	const {saved} = program.session;
	const {handoff} = (await saved.read(file)).transcript;
	if (handoff === undefined || handoff.state === 'kept') {
		return;
	}

	const isThere =
		handoff.state === 'moved' ||
		handoff.at !== at ||
		(await askWhetherThere(file, handoff, {ask, record: saved.record}));
	if (isThere) {
		throw isElsewhere(file.id, handoff);
	}
}
