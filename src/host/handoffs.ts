import type {ChangePlan} from '../agent/handoff/apply-changes.ts';
import {AppError, reportError} from '../core/error.ts';
import type {PackedChanges} from '../core/packed-changes.ts';
import type {RequestAnswer, RequestMethod, RequestParams} from '../link/protocol.ts';
import type {Home} from '../storage/home.ts';
import type {HostedSession} from './hosted-session.ts';

type Handed = Extract<RequestMethod, `_service/handoff_${string}`>;

/** What answers requests of hand-overs, for who is connected. */
type HandoffAnswers = {
	readonly [Method in Handed]: (params: RequestParams<Method>) => Promise<RequestAnswer<Method>>;
};

type Options = {
	readonly home: () => Home;
	/** Real paths. */
	readonly folders: readonly string[];
	/** What requests came to, by their key. */
	readonly outcomes: Map<string, Promise<unknown>>;
	readonly once: <Outcome>(key: string, run: () => Promise<Outcome>) => Promise<Outcome>;
	/** Throws AppError("conflict") if no session can begin. */
	readonly assertBegins: () => void;
	readonly end: (session: HostedSession, why: string) => Promise<void>;
};

/** Who is connected, and what it reaches. */
type By = {
	readonly who: () => string;
	readonly find: (session: string) => HostedSession;
	readonly begin: (session: string) => Promise<RequestAnswer<'_service/begin'>>;
};

type Offer = {readonly packed: PackedChanges; readonly plan: ChangePlan; readonly from: string};

/** Most changes that wait for a yes. */
const maxOffers = 4;

/**
 * Creates what hands sessions over to this host, and gives them away. A session runs at one place: here from the moment that its journal
 * is, and no more from the moment that its journal says so (SAFETY 33).
 */
export function createHandoffs({
	home,
	folders,
	outcomes,
	once,
	assertBegins,
	end,
}: Options): (by: By) => HandoffAnswers {
	const offers = new Map<string, Offer>();

	/** Refuses what was sent before another answer was given, and may still arrive. */
	const refuseLater = (key: string) => {
		const late = Promise.reject(new AppError('conflict', 'The session was not handed over in time.'));
		late.catch(() => undefined);
		outcomes.set(key, late);
		offers.delete(key);
	};

	/** Puts back what was cut off here, then finds a folder, with what to tell of that. */
	const place = async (packed: PackedChanges, except?: string) => {
		const {putBackCutOff} = await import('../session/receive-session.ts');
		const notices = await putBackCutOff(home());
		const {plan} = await findPlace(folders, packed, except);
		const {folder, switchesTo} = plan;
		return {plan, there: {folder, ...(switchesTo !== undefined && {switches_to: switchesTo}), notices: [...notices]}};
	};

	const accept = async (key: string, records: readonly unknown[], {begin}: By) => {
		const offer = offers.get(key);
		if (!offer) {
			throw new AppError('conflict', 'The host doesn’t have the changes any more.', {hint: 'Hand it over again.'});
		}

		assertBegins();
		const {receiveSession} = await import('../session/receive-session.ts');
		await receiveSession({home: home(), ...offer, records, key});
		offers.delete(key);
		// It is here from now on, whether it can begin or not.
		return begin(key).catch((error: unknown) => ({session: key, notices: [reportError(error).message]}));
	};

	return by => ({
		async '_service/handoff_find'({except, ...wanted}) {
			return (await place({...wanted, changes: []}, except)).there;
		},
		async '_service/handoff_offer'({key, packed}) {
			assertBegins();
			const {plan, there} = await place(packed);
			offers.set(key, {packed, plan, from: by.who()});
			for (const [oldest] of offers) {
				if (offers.size > maxOffers) {
					offers.delete(oldest);
				}
			}

			return there;
		},
		'_service/handoff_accept': ({key, records}) => once(key, () => accept(key, records, by)),
		async '_service/handoff_ask'({key}) {
			const {sessionsById} = await import('../storage/add-session.ts');
			await outcomes.get(key)?.catch(() => undefined);
			const has = (await sessionsById(home())).has(key);
			if (!has) {
				refuseLater(key);
			}

			return {has};
		},
		async '_service/handoff_pack'({session: wanted, secrets}) {
			const session = by.find(wanted);
			assertIdle(session);
			const {about, folder} = session.listing();
			return {...(await session.pack(secrets)), about, folder};
		},
		'_service/handoff_give': ({key, session: wanted, secrets, hash}) =>
			once(key, async () => {
				const session = by.find(wanted);
				assertIdle(session);
				const [{hashOfChanges}, {assertJournalSize}, {appendEvent}, {handoffNotice}] = await Promise.all([
					import('../agent/handoff/packed-changes.ts'),
					import('../session/receive-session.ts'),
					import('../storage/session-access.ts'),
					import('../session/settle-handoff.ts'),
				]);
				const {packed} = await session.pack(secrets);
				if (hashOfChanges(packed) !== hash) {
					throw new AppError('conflict', 'Files changed meanwhile.', {hint: 'Hand it over again.'});
				}

				const records = await session.records();
				assertJournalSize(records);
				const file = await fileOf(session.id(), home());
				assertIdle(session);
				await end(session, `${by.who()} took it over.`);
				await appendEvent(file, handoffNotice({state: 'offered', key, to: by.who()}));
				return {records: [...records]};
			}),
		async '_service/handoff_settle'({key, session, taken}) {
			const [{appendEvent}, {handoffNotice}, {readJournal}] = await Promise.all([
				import('../storage/session-access.ts'),
				import('../session/settle-handoff.ts'),
				import('../storage/journal-read.ts'),
			]);
			await outcomes.get(key)?.catch(() => undefined);
			const file = await fileOf(session, home());
			const {records} = await readJournal(file.path);
			const last = records.findLast(({event}) => event.type === 'notice' && event.handoff)?.event;
			const handoff = last?.type === 'notice' ? last.handoff : undefined;
			const state = taken ? 'moved' : 'kept';
			if (handoff?.key !== key && !taken) {
				refuseLater(key);
				return {};
			}

			if (handoff?.key !== key || (handoff.state !== 'offered' && handoff.state !== state)) {
				throw new AppError('conflict', 'This session wasn’t handed over so.', {hint: 'List sessions: `attach`'});
			}

			if (handoff.state === 'offered') {
				await appendEvent(file, handoffNotice({...handoff, state}));
			}

			// It has the whole journal.
			outcomes.delete(key);
			return {};
		},
	});
}

/** Throws AppError("conflict") while the agent works, or waits for an answer. */
function assertIdle(session: HostedSession): void {
	if (session.listing().state !== 'idle') {
		throw new AppError('conflict', 'The agent works.', {hint: 'Interrupt it first, or wait until it is done.'});
	}
}

async function fileOf(session: string, home: Home) {
	const {sessionsById} = await import('../storage/add-session.ts');
	const file = (await sessionsById(home)).get(session);
	if (!file) {
		throw new AppError('conflict', 'This session has no message yet.', {hint: 'Send one, then hand it over.'});
	}

	return file;
}

/**
 * Finds a folder of the host that can get the changes. Throws AppError("not-found") without a clone of the repository, and what
 * `planChanges` throws for the first of them if none can.
 */
async function findPlace(
	folders: readonly string[],
	packed: PackedChanges,
	except?: string,
): Promise<{readonly plan: ChangePlan}> {
	const [{findClones}, {planChanges}] = await Promise.all([
		import('../agent/handoff/repository.ts'),
		import('../agent/handoff/apply-changes.ts'),
	]);
	const {clones, refusal} = await findClones(folders, packed.remotes);
	const others = clones.filter(({top}) => top !== except);
	let failure: unknown;
	for (const clone of others) {
		try {
			return {plan: await planChanges(clone, packed)};
		} catch (error) {
			failure ??= error;
		}
	}

	if (failure !== undefined) {
		throw failure;
	}

	const name = packed.remotes[0]?.slice(0, 200) ?? '';
	throw clones.length > 0
		? new AppError('conflict', 'The host keeps sessions in this folder already.', {hint: 'Let it run there: `/detach`'})
		: new AppError('not-found', `The host has no clone of ${name}.${refusal === undefined ? '' : ` ${refusal}`}`, {
				hint: `Clone it there, in a folder of the host: ${folders.join(', ')}`,
			});
}
