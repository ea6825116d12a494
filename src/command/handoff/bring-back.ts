import {randomUUID} from 'node:crypto';
import {AppError} from '../../core/error.ts';
import {listHosted} from '../../link/find-host.ts';
import type {AskHost} from '../../link/host-client.ts';
import {matchSession} from '../../link/session-prefix.ts';
import type {CommandContext} from '../context.ts';
import {agreeToChanges} from './handoff-questions.ts';

export type BringBack = {
	readonly ask: AskHost;
	/** Whose host it is, and where. */
	readonly from: string;
	/** Its id there, or a unique prefix. */
	readonly session: string;
	/** The folder that it is to continue in, in a clone of its repository. */
	readonly here: string;
	readonly withSecrets: boolean;
};

/** A session that continues on this machine. */
export type BroughtBack = {readonly id: string; readonly folder: string};

/**
 * Moves a session from a host to this machine, with the uncommitted changes of its repository. Returns undefined if the user cancels. It ends there
 * before it is here, and there only until this side has said that it is here. Throws what the host and the checks of the repository
 * throw.
 */
export async function bringBack(wish: BringBack, context: CommandContext): Promise<BroughtBack | undefined> {
	const {ask, from, session: wanted, withSecrets} = wish;
	const {
		program: {local},
		ui: {interact},
	} = context;
	const [
		{openRepository},
		{planChanges},
		{hashOfChanges},
		{receiveSession, putBackCutOff},
		{openHome},
		{openTakenSessions},
		{sessionsById},
		{listSessions},
	] = await Promise.all([
		import('../../agent/handoff/repository.ts'),
		import('../../agent/handoff/apply-changes.ts'),
		import('../../agent/handoff/packed-changes.ts'),
		import('../../session/receive-session.ts'),
		import('../../storage/home.ts'),
		import('../../storage/taken-sessions.ts'),
		import('../../storage/add-session.ts'),
		import('../../storage/sessions.ts'),
	]);
	const home = openHome(local.env);
	const taken = openTakenSessions(home);
	const settle = async (id: string, key: string, isTaken: boolean) => {
		await ask('_service/handoff_settle', {key, session: id, taken: isTaken});
		await taken.remove(id);
	};
	for (const sentence of await putBackCutOff(home)) {
		interact.say(sentence);
	}

	for (const {session: id, key} of taken.list(wanted)) {
		// This program was killed while it took the session.
		const isHere = (await sessionsById(home)).has(key);
		await settle(id, key, isHere);
		if (isHere) {
			return {id: key, folder: wish.here};
		}
	}

	const session = await openThere(wanted, ask);
	const repository = await openRepository(wish.here);
	if (!(await interact.confirm(`Bring this session here from ${from}, with its uncommitted changes?`))) {
		return undefined;
	}

	const {packed, left} = await ask('_service/handoff_pack', {session, secrets: withSecrets});
	if (!packed.remotes.some(remote => repository.remotes.includes(remote))) {
		throw new AppError('conflict', `${repository.top} is a clone of another repository.`, {
			hint: `Start from a clone of ${packed.remotes[0]?.slice(0, 200) ?? 'the same'}.`,
		});
	}

	// What was handed over from here may be here still, if nobody changed it since.
	const before = await listSessions(home, {folder: wish.here});
	const handed = before.find(({handoff}) => handoff?.key === session)?.handoff?.changes;
	const plan = await planChanges(repository, packed, handed);
	const facts = [
		['Folder', plan.folder],
		...(plan.switchesTo === undefined ? [] : [['Checks out', plan.switchesTo] as const]),
		['Rights', 'those of a new session here'],
	] as const;
	const {changes} = packed;
	const question = changes.length > 0 ? 'Apply the changes here, and continue here?' : 'Continue here?';
	if (!(await agreeToChanges(question, facts, {top: repository.top, packed, left}, context))) {
		return undefined;
	}

	const key = randomUUID();
	const given = {key, session, secrets: withSecrets, hash: hashOfChanges(packed)};
	await taken.keep(session, key);
	let failure: unknown;
	try {
		const {records} = await ask('_service/handoff_give', given);
		await receiveSession({home, packed, plan, records, key, from, handed});
	} catch (error) {
		failure = error;
	}

	// Only the journal says whether it arrived.
	const isHere = (await sessionsById(home)).has(key);
	await settle(session, key, isHere);
	if (!isHere) {
		throw failure;
	}

	return {id: key, folder: plan.folder};
}

/** Returns the whole id of a session of the host, which continues it if it is only saved there. */
async function openThere(wanted: string, ask: AskHost): Promise<string> {
	const running = (await listHosted({request: ask})).filter(({state}) => state !== 'ended');
	const match = matchSession(wanted, running, ({id}) => id);
	return match?.id ?? (await ask('_service/begin', {key: randomUUID(), resume: wanted})).session;
}
