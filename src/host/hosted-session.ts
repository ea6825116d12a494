import * as z from 'zod/mini';
import {aboutAll, allModeQuestion} from '../command/approvals/all-mode.ts';
import {openFolder, unusedFiles} from '../command/before-run.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import type {ComposeOptions, Program} from '../command/program.ts';
import {findCommand} from '../command/table.ts';
import {AppError} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import type {ApprovalAnswer, ApprovalMode} from '../core/session/approval.ts';
import type {EventOf, Recorded} from '../core/session/event.ts';
import type {Peer} from '../link/json-lines.ts';
import {
	type HostedListing,
	type HostedState,
	mayDo,
	type QuestionKind,
	type Rank,
	type SeatRole,
} from '../link/protocol.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {LiveSession} from '../session/conversation.ts';
import {aboutOf} from '../session/conversations.ts';
import type {PackedFolder} from '../session/receive-session.ts';
import {refuseElsewhere} from '../session/resume-session.ts';
import {homePath} from '../storage/home.ts';
import {effortOf} from '../store/connection-slice.ts';
import {createAppStore} from '../store/store.ts';
import type {Admission} from './admission.ts';
import {createFeed, type Feed, recordsLine} from './feed.ts';
import {isOfOwner} from './guest-rights.ts';
import {createQuestions, type PendingQuestion} from './questions.ts';
import {onHostOnly, sendable, textOf} from './sendable-result.ts';
import {readVerb, type SessionVerb} from './session-verbs.ts';

/** A terminal, as its connection knows it. */
export type AttachedTerminal = {
	/** What others know it by; the same after a cut. */
	readonly seat: string;
	/** The user and the machine, as it says, with the client that it speaks for. */
	readonly who: string;
	/** True if it speaks for a client of others, whose screen it doesn't draw. */
	readonly isForeign: boolean;
	/** True if it came by a link. */
	readonly isGuest: boolean;
	/** The most that its connection may do. */
	readonly rank: Rank;
	/** Returns whether its way in lets it know a session; left out for all. */
	readonly reaches: Admission['reaches'];
	readonly peer: Peer;
};

type Options = {
	readonly compose: (options: ComposeOptions) => Promise<Program>;
	/** What began the session: its folder, its environment, its mode and its model. */
	readonly begins: ComposeOptions & {readonly folder: string};
	readonly mode?: ApprovalMode | undefined;
	/** Whose it is; undefined for the user who runs the host. */
	readonly owner?: string | undefined;
	/** The session to continue; a new one without it. */
	readonly resume?: string | undefined;
	/** Most bytes that may wait for a terminal before it counts as slow. */
	readonly maxWaitingBytes?: number | undefined;
	/** Returns milliseconds on a monotonic clock. */
	readonly now: () => number;
	/** Called when it goes on as another session. */
	readonly onReplaced: (before: string, now: string) => void;
};

/** A session that a host keeps running, with the terminals that are attached to it. */
export type HostedSession = {
	readonly id: () => string;
	/** Whose it is; undefined for the user who runs the host. */
	readonly owner: string | undefined;
	readonly listing: () => HostedListing;
	/** What the user should know about how it began. */
	readonly notices: readonly string[];
	readonly isRunning: () => boolean;
	/** Attaches a terminal that has all records up to `seq`. Returns the last one of now. */
	readonly attach: (
		terminal: AttachedTerminal,
		role: SeatRole,
		seq: number,
	) => {readonly seq: number; readonly folder: string};
	/** Detaches a terminal: at its wish, or because its connection was cut. */
	readonly detach: (terminal: AttachedTerminal, isCut: boolean) => void;
	/** Does what a terminal asks for, and saves it. Throws AppError("conflict") if another one drives. */
	readonly act: (
		terminal: AttachedTerminal,
		request: {readonly verb: string; readonly args?: Json | undefined},
	) => Promise<Json>;
	/** Notes that a terminal has painted a question. */
	readonly painted: (terminal: AttachedTerminal, question: string) => void;
	readonly answer: (terminal: AttachedTerminal, question: string, value: Json | undefined) => void;
	readonly drive: (terminal: AttachedTerminal, how: 'ask' | 'give' | 'take', word: string | undefined) => string;
	/** Records that an owner shared the session, or took that back. */
	readonly note: (event: EventOf<'presence'>) => void;
	readonly send: (text: string) => void;
	/** Returns what its journal has. */
	readonly records: () => Promise<readonly Recorded[]>;
	/** Packs the uncommitted changes of its repository; see `packFolder`. */
	readonly pack: (withSecrets: boolean) => Promise<PackedFolder>;
	/** Ends the run, and everything that the session started. */
	readonly close: (why: string) => Promise<void>;
};

type Attached = {readonly terminal: AttachedTerminal; readonly role: SeatRole; readonly feed: Feed};

/** Most records in memory for terminals that come back after a cut. Older ones are read from the journal. */
const maxRecent = 400;

/** Most characters of a word to another terminal. */
const maxWord = 500;

const {flags: noFlags} = takeGlobalFlags([]);

/** Opens a session. Throws `AppError` if its folder or its configuration can't be used, or another process has it open. */
export async function openHostedSession(options: Options): Promise<HostedSession> {
	const {compose, begins, now, onReplaced} = options;
	const store = createAppStore();
	const program = await compose({...begins, store});
	const {conversation} = program.session;
	const {folder} = program.project;
	const beganAt = new Date().toISOString();
	const closing = new AbortController();
	const attached = new Map<string, Attached>();
	let driver: string | undefined;
	/** Who asked to drive, and has no answer. */
	let asker: string | undefined;

	/** How many acts of terminals are being done: a command may change files, as a run does. */
	let acting = 0;

	let session = store.getState().transcript.session;
	let last = -1;
	let recent: Recorded[] = [];
	let waiting: Recorded[] = [];
	let sentState: Readonly<Record<string, string>> = {};
	let isFlushing = false;
	/** What was done at terminals before the session has a message: an empty one leaves no journal. */
	let unsaid: EventOf<'presence'>[] = [];

	const readSaved = async () => {
		conversation.flush();
		await conversation.saved();
		try {
			return (await program.session.saved.read(await program.session.saved.find(session))).records;
		} catch (error) {
			// Nothing of it is written before its first message.
			if (error instanceof AppError && error.code === 'not-found') {
				return [];
			}

			throw error;
		}
	};
	const source = {
		session: () => session,
		last: () => last,
		recent: (from: number) => {
			const first = recent[0]?.seq;
			return first !== undefined && (first <= from || from < 0) ? recent.filter(({seq}) => seq >= from) : undefined;
		},
		saved: readSaved,
	};

	const note = (event: EventOf<'presence'>) => {
		if (last < 0) {
			unsaid.push(event);
		} else {
			conversation.present(event);
		}
	};
	const whoIs = (id: string | undefined) => (id === undefined ? undefined : attached.get(id)?.terminal.who);

	const stateNow = (): Required<Omit<HostedState, 'connection'>> & Pick<HostedState, 'connection'> => {
		const state = store.getState();
		return {
			queue: state.queue.map(({id, text, startedBy}) => ({id, text, ...(startedBy && {startedBy})})),
			jobs: state.jobs,
			foreground: state.foreground,
			isStopping: state.isStopping,
			unsaved: state.unsaved ?? null,
			model: state.model ?? null,
			effort: effortOf(state, state.model) ?? null,
			mode: state.approvalMode,
			folder: folder.path(),
			connection: state.connection,
			terminals: [...attached].map(
				([
					seat,
					{
						terminal: {who},
						role,
					},
				]) => ({seat, who, role, drives: seat === driver}),
			),
		};
	};

	/** Sends records and the changes of the state to all terminals, in this order. */
	const flush = () => {
		isFlushing = false;
		if (attached.size === 0) {
			waiting = [];
			return;
		}

		if (waiting.length > 0) {
			const batch = {records: waiting, line: recordsLine(session, waiting)};
			waiting = [];
			for (const {feed} of attached.values()) {
				feed.push(batch);
			}
		}

		const fields = Object.entries(stateNow()).map(([name, value]) => [name, JSON.stringify(value)] as const);
		const changed = fields.filter(([name, text]) => sentState[name] !== text);
		if (changed.length > 0) {
			sentState = Object.fromEntries(fields);
			const state = Object.fromEntries(changed.map(([name, text]) => [name, JSON.parse(text)]));
			for (const {feed} of attached.values()) {
				feed.tell('_service/state', {session, state});
			}
		}
	};
	const flushSoon = () => {
		if (!isFlushing) {
			isFlushing = true;
			setImmediate(flush);
		}
	};
	const tell = (terminal: string | undefined, text: string) => {
		for (const {
			terminal: {seat},
			feed,
		} of attached.values()) {
			if (terminal === undefined || seat === terminal) {
				feed.tell('_service/told', {session, text});
			}
		}
	};

	const questions = createQuestions({
		now,
		onAsked(question) {
			conversation.flush();
			flush();
			for (const each of attached.values()) {
				sendQuestion(each, question);
			}
		},
		onClosed({id}) {
			for (const {feed} of attached.values()) {
				feed.tell('_service/question_closed', {session, id});
			}
		},
	});
	/** Sends a question, if this terminal may answer it. Returns whether it may. */
	const sendQuestion = ({terminal, role, feed}: Attached, {id, kind, question, target}: PendingQuestion): boolean => {
		const isForAll = target === undefined && !(terminal.isGuest && isOfOwner(kind));
		if (role === 'driver' && (isForAll || target === terminal.seat)) {
			questions.sent(terminal.seat, id);
			feed.tell('_service/question', {session, id, kind, question});
			return true;
		}

		return false;
	};

	/** Returns the questions of a command of one terminal, or of the session itself. Some that a guest causes are the owner's. */
	const interactionFor = (terminal: AttachedTerminal | undefined, signalOf: () => AbortSignal): Interaction => {
		const target = terminal?.seat;
		const ask = async (kind: QuestionKind, question: object, signal = signalOf()) =>
			questions.ask(
				{
					kind,
					question: JSON.parse(JSON.stringify(question)),
					target: terminal?.isGuest && isOfOwner(kind) ? undefined : target,
				},
				signal,
			);
		const textOrNone = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
		return {
			ask: async field => textOrNone(await ask('field', field)),
			choose: async pick => textOrNone(await ask('choose', pick)),
			confirm: async (question, about, subject) =>
				(await ask('confirm', {question, about, subject: subject && textOf(subject)})) === true,
			inquire: async ({subject, ...inquiry}, signal) =>
				textOrNone(await ask('inquiry', {...inquiry, subject: subject && textOf(subject)}, signal)),
			agree: async (question, about, signal) => (await ask('agree', {question, about}, signal)) === true,
			showLogin({page, code}) {
				tell(target, code ? `Log in at ${page} with the code ${code}` : `Log in at ${page}`);
				return () => undefined;
			},
			say: text => tell(target, text),
		};
	};
	const ofSession = interactionFor(undefined, () => closing.signal);

	program.session.askWith(async (question, signal) => {
		const {onSeen, ...asked} = question;
		const answer = await questions.ask(
			{kind: 'approval', question: JSON.parse(JSON.stringify(asked)), call: question.id},
			signal,
		);
		const {data = {allowed: false}} = approvalAnswer.safeParse(answer);
		if (data.allowed) {
			onSeen?.();
		}

		return data as ApprovalAnswer;
	});
	program.session.answerWith(async (question, signal) => {
		const answer = await questions.ask({kind: 'user', question: JSON.parse(JSON.stringify(question))}, signal);
		// A key in an answer would go to the model's vendor and into the journal (SAFETY 8).
		return typeof answer === 'string' ? program.local.secrets.hide(answer) : undefined;
	}, ofSession);
	store.setState({beginsAll: () => folder.mayRunAll()});

	const setMode = async (mode: ApprovalMode, interact: Interaction) => {
		if (mode === 'all' && !folder.mayRunAll()) {
			if (!(await interact.agree?.(allModeQuestion, aboutAll(folder.path()), closing.signal))) {
				return;
			}

			await folder.allowAll();
		}

		store.getState().setApprovalMode(mode);
	};

	const notices = [...program.warnings()];
	try {
		if (options.resume !== undefined) {
			notices.push(...((await program.session.resume(options.resume, refuseElsewhere)) ?? []));
		}

		await openFolder(folder, text => notices.push(text));
		notices.push(...(await unusedFiles(program.project.files)));
		await program.commands.refresh();
	} catch (error) {
		await program.close();
		throw error;
	}

	session = store.getState().transcript.session;
	last = store.getState().transcript.seq;
	if (options.mode) {
		void setMode(options.mode, ofSession).catch(() => undefined);
	}

	program.session.onRecord(record => {
		if (record.session !== session) {
			return;
		}

		last = record.seq;
		recent.push(record);
		if (recent.length > 2 * maxRecent) {
			recent = recent.slice(-maxRecent);
		}

		waiting.push(record);
		flushSoon();
		if (unsaid.length > 0) {
			const events = unsaid;
			unsaid = [];
			setImmediate(() => events.forEach(conversation.present));
		}
	});
	const unfollow = store.subscribe(state => {
		const {transcript} = state;
		if (transcript.session !== session) {
			flush();
			const before = session;
			({session, seq: last} = transcript);
			recent = [];
			waiting = [];
			unsaid = [];
			for (const {feed, terminal} of attached.values()) {
				if (terminal.reaches?.({id: session, owner: options.owner}) ?? true) {
					terminal.peer.notify('_service/replaced', {session: before, by: session, seq: last});
					feed.restart(-1);
				} else {
					const why = 'It continues as another session, which this terminal may not see.';
					terminal.peer.notify('_service/ended', {session: before, why});
					feed.close();
					attached.delete(terminal.seat);
				}
			}

			onReplaced(before, session);
		}

		flushSoon();
	});

	/** Returns true while the agent or a command works. A command that waits for its terminal may wait for ever. */
	const isRunning = () =>
		store.getState().transcript.run !== undefined || (acting > 0 && questions.waiting().length === 0);

	/** Returns false for a terminal that only watches, or is not attached. */
	const mayDrive = ({seat}: AttachedTerminal) => attached.get(seat)?.role === 'driver';

	/** Throws AppError("conflict") unless this terminal drives. Nobody else drives once the one that did is gone. */
	const drive = (terminal: AttachedTerminal) => {
		const {seat: id, who} = terminal;
		if (!mayDrive(terminal)) {
			throw new AppError('conflict', 'This terminal only watches the session.', {
				hint: 'Attach without `--observe`, or ask for a link that drives.',
			});
		}

		const other = whoIs(driver);
		if (driver !== id && other !== undefined) {
			throw new AppError('conflict', `${other} drives this session.`, {hint: 'Ask for it: `/drive ask`'});
		}

		become(id, who);
	};
	const become = (id: string, who: string) => {
		if (driver !== id) {
			// A command whose terminal was killed would wait for ever.
			questions.drop(driver);
			driver = id;
			asker = undefined;
			note({type: 'presence', act: 'drive', who});
			flushSoon();
		}
	};

	const send = async (text: string, mentionsIn: string | undefined, interact: Interaction) => {
		await program.model.choose(ids =>
			interact.choose({title: 'Select a model', choices: ids.map(id => ({id, label: id})), opensItself: true}),
		);
		await program.prompts.checkMedia(mentionsIn ?? text);
		const {find, hide} = program.local.secrets;
		// Keys that this machine knows are no business of the model, whoever typed them.
		const mask = (await find(text)) ? hide : (given: string) => given;
		await conversation.send(mask(text), 'user', mentionsIn === undefined ? undefined : mask(mentionsIn));
	};

	const runCommand = async (
		terminal: AttachedTerminal,
		{path, values, exact}: Extract<SessionVerb, {verb: 'command'}>['args'],
	): Promise<Json> => {
		await program.commands.refresh();
		const {command} = findCommand(program.commands.all(), path.split(' '));
		const {signal} = closing;
		const interact = interactionFor(terminal, () => signal);
		const live: LiveSession = {
			...conversation,
			send: text => void send(text, undefined, interact).catch(error => tell(terminal.seat, String(error.message))),
			followLog() {
				throw onHostOnly();
			},
			closeLog: () => '',
		};
		const context = program.forCommand({ui: {interact, live}, flags: {...noFlags, exact}, signal});
		return sendable(await command.execute(values, context));
	};

	const perform = async (terminal: AttachedTerminal, {verb, args}: SessionVerb): Promise<Json> => {
		const state = store.getState();
		const interact = interactionFor(terminal, () => closing.signal);
		switch (verb) {
			case 'send':
				await send(args.text, args.mentions_in, interact);
				// The records up to here tell how its run ended.
				return {seq: last};
			case 'shell':
				await conversation.runCommand(args.command, closing.signal);
				return {};
			case 'interrupt':
				conversation.interrupt();
				return {};
			case 'compact':
				await conversation.compact(args.guidance);
				return {};
			case 'undo_compaction':
				return {done: conversation.undoCompaction()};
			case 'pin':
				conversation.pin(args.id, args.pinned);
				return {};
			case 'rename':
				conversation.rename(args.title);
				return {};
			case 'new':
				await conversation.start();
				return {session};
			case 'fork':
				await conversation.fork(args.before);
				return {session};
			case 'mode':
				await setMode(args.mode, interact);
				return {};
			case 'model':
				state.setModel(args.model ?? undefined);
				return {};
			case 'effort':
				state.setEffort(args.model, args.effort ?? undefined);
				return {};
			case 'take_queue':
				return {ids: args.ids.flatMap(id => state.dequeue(id)?.id ?? [])};
			case 'move_queued':
				return {places: state.moveQueued(args.id, args.places)};
			case 'background':
				program.session.moveToBackground();
				return {};
			case 'command':
				return runCommand(terminal, args);
			case 'prepare':
				if (mayDrive(terminal)) {
					await program.prompts.prepare('');
				}

				return {};
			case 'paths': {
				const index = await program.prompts.listPaths();
				return {paths: index.search(args.query, args.limit)};
			}
			default:
				return verb satisfies never;
		}
	};

	return {
		id: () => session,
		owner: options.owner,
		notices,
		isRunning,
		listing() {
			const {transcript} = store.getState();
			const pending = questions.waiting().length;
			const who = whoIs(driver);
			return {
				id: session,
				about: aboutOf(transcript),
				folder: folder.path(),
				state: pending > 0 ? 'waiting' : isRunning() ? 'running' : 'idle',
				questions: pending,
				terminals: [...attached.values()].map(({terminal, role}) =>
					role === 'observer' ? `${terminal.who} (watches)` : terminal.who,
				),
				...(who !== undefined && {driver: who}),
				began_at: beganAt,
			};
		},
		attach(terminal, wanted, seq) {
			const role = mayDo(terminal.rank, 'driver') ? wanted : 'observer';
			const before = attached.get(terminal.seat);
			before?.feed.close();
			if (before && before.terminal.peer !== terminal.peer) {
				// The same terminal came back before its old connection was known to be cut.
				before.terminal.peer.close();
			}

			const each: Attached = {
				terminal,
				role,
				feed: createFeed({
					peer: terminal.peer,
					source,
					maxWaitingBytes: options.maxWaitingBytes,
					onCaughtUp() {
						each.feed.tell('_service/state', {session, state: stateNow()});
						const waiting = questions.waiting().filter(question => sendQuestion(each, question));
						each.feed.tell('_service/caught_up', {session, questions: waiting.map(({id}) => id)});
					},
				}),
			};
			attached.set(terminal.seat, each);
			const answer = {seq: last, folder: folder.path()};
			// What the terminal has of another session, or of one that lost its end, is no beginning.
			each.feed.restart(seq > last ? -1 : seq);
			if (!before) {
				note({type: 'presence', act: 'attach', who: terminal.who, role});
			}

			if (role === 'driver' && whoIs(driver) === undefined) {
				become(terminal.seat, terminal.who);
			} else if (role === 'observer' && driver === terminal.seat) {
				questions.drop(driver);
				driver = undefined;
			}

			flushSoon();
			return answer;
		},
		detach(terminal, isCut) {
			const {seat: id, who, peer} = terminal;
			const each = attached.get(id);
			if (each?.terminal.peer !== peer) {
				return;
			}

			each.feed.close();
			attached.delete(id);
			note({type: 'presence', act: 'detach', who, role: each.role});
			if (!isCut) {
				questions.drop(id);
				driver = driver === id ? undefined : driver;
			}

			flushSoon();
		},
		async act(terminal, {verb, args}) {
			const wanted = readVerb(verb, args);
			// Neither changes the session.
			if (wanted.verb === 'paths' || wanted.verb === 'prepare') {
				return perform(terminal, wanted);
			}

			drive(terminal);
			acting++;
			try {
				const outcome = await perform(terminal, wanted);
				await conversation.settled();
				return outcome;
			} finally {
				acting--;
			}
		},
		painted: ({seat}, id) => questions.painted(seat, id),
		answer(terminal, id, value) {
			if (!mayDrive(terminal)) {
				throw new AppError('conflict', 'This terminal only watches the session.');
			}

			const {call} = questions.answer(terminal.seat, id, value, terminal.isForeign);
			note({type: 'presence', act: 'answer', who: terminal.who, ...(call !== undefined && {call})});
		},
		drive(terminal, how, word) {
			const {seat: id, who} = terminal;
			const said = word ? `: ${word.slice(0, maxWord)}` : '.';
			const other = whoIs(driver);
			if (!mayDrive(terminal)) {
				throw new AppError('conflict', 'This terminal only watches the session.');
			}

			if (how === 'give') {
				const others = [...attached.values()].filter(each => each.role === 'driver' && each.terminal.seat !== id);
				const next = (others.find(each => each.terminal.seat === asker) ?? others[0])?.terminal;
				if (driver !== id || next === undefined) {
					throw new AppError('conflict', driver === id ? 'Nobody else can drive.' : 'This terminal does not drive.');
				}

				become(next.seat, next.who);
				tell(next.seat, `${who} lets you drive${said}`);
				return `${next.who} drives now.`;
			}

			if (driver === id || other === undefined || how === 'take') {
				const before = driver;
				become(id, who);
				if (before !== undefined && before !== id) {
					tell(before, `${who} drives now${said}`);
				}

				return 'You drive this session.';
			}

			asker = id;
			tell(driver, `${who} asks to drive${said} Let them: /drive give`);
			return `Asked ${other}.`;
		},
		note,
		records: readSaved,
		async pack(withSecrets) {
			const {packFolder} = await import('../session/receive-session.ts');
			const path = folder.path();
			const rules = () => ({folder: path, entries: program.project.approvals.rules.list()});
			return packFolder(path, {places: {stateFolder: homePath(program.local.env), rules}, withSecrets});
		},
		send: text => void send(text, undefined, ofSession).catch(() => undefined),
		async close(why) {
			closing.abort(new AppError('interrupted', 'The session was closed.'));
			conversation.interrupt();
			await program.close();
			flush();
			unfollow();
			for (const {terminal, feed} of attached.values()) {
				terminal.peer.notify('_service/ended', {session, why});
				feed.close();
			}

			attached.clear();
		},
	};
}

/** What a terminal answers for its user. Nobody there decides for the command line, nor tells what only reads. */
const approvalAnswer = z.discriminatedUnion('allowed', [
	z.object({
		allowed: z.literal(true),
		command: z.optional(z.string()),
		hash: z.optional(z.string()),
		keep: z.optional(z.enum(['session', 'folder', 'edits'])),
		always: z.optional(z.literal(true)),
	}),
	z.object({allowed: z.literal(false), reason: z.optional(z.string())}),
]);
