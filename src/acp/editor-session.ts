import {aboutAll, allModeQuestion} from '../command/approvals/all-mode.ts';
import {carryOut, modeAfterPlan, planAnswers, planOf, planQuestion} from '../command/approvals/plan-review.ts';
import {openFolder, unusedFiles} from '../command/before-run.ts';
import {takeGlobalFlags} from '../command/global-flags.ts';
import type {ComposeOptions, Program} from '../command/program.ts';
import type {McpServer} from '../config/mcp/mcp-file.ts';
import {abortable, abortableAfter} from '../core/abortable.ts';
import {nameCommands} from '../core/command-words.ts';
import {AppError} from '../core/error.ts';
import type {ApprovalMode} from '../core/session/approval.ts';
import {endText} from '../core/session/block.ts';
import type {EventOf} from '../core/session/event.ts';
import type {LiveSession} from '../session/conversation.ts';
import {aboutOf} from '../session/conversations.ts';
import {refuseElsewhere} from '../session/resume-session.ts';
import {createAppStore} from '../store/store.ts';
import {availableCommands, readPrompt, runCommand} from './editor-commands.ts';
import {createEditorInteraction} from './editor-interaction.ts';
import {createAskEditor, createInquiries, editorApprovals} from './permission.ts';
import {messageOf} from './prompt-content.ts';
import type {
	ClientCapabilities,
	ContentBlock,
	Editor,
	SessionConfigOption,
	SessionModeState,
	SessionUpdate,
	TurnEnd,
} from './protocol.ts';
import {createSessionOptions, modeOf, modeState} from './session-options.ts';
import {
	chunkOf,
	createLiveUpdates,
	type LiveUpdates,
	noticeUpdate,
	replayUpdates,
	usageUpdate,
} from './session-updates.ts';

/** What a session is opened with. */
export type SessionPlace = {
	readonly editor: Editor;
	readonly capabilities: ClientCapabilities;
	/** Builds the program of the session. Throws as `compose`. */
	readonly compose: (options: ComposeOptions) => Promise<Program>;
	/** What the command line says for all sessions. */
	readonly flags: ComposeOptions;
	/** The working folder, an absolute path. */
	readonly folder: string;
	readonly mcpServers: readonly McpServer[];
	/** The session to continue; a new one without it. */
	readonly resume?: string;
	/** What a session of a host needs; left out for one of this process. */
	readonly hosted?: {
		/** What the user should know about how it began. */
		readonly notices: readonly string[];
		/** Calls a listener with each sentence of the host for the user. */
		readonly onTold: (listener: (text: string) => void) => void;
	};
};

/** What an editor can set in a session, with the values of now. */
type SessionState = {readonly modes: SessionModeState; readonly configOptions: SessionConfigOption[]};

/** A session that an editor has open: a program of its own, in the folder of the session. */
export type EditorSession = {
	readonly id: string;
	readonly state: () => Promise<SessionState>;
	/** Answers a prompt. Throws AppError("conflict") while another one is answered, and what ended the run. */
	readonly prompt: (blocks: readonly ContentBlock[], signal: AbortSignal) => Promise<TurnEnd>;
	/** Ends the turn, whose prompt is answered with `cancelled`. Does nothing without one. */
	readonly cancel: () => void;
	/** Throws AppError("usage") for an unknown mode, and AppError("conflict") if the user doesn't agree to all mode. */
	readonly setMode: (id: string) => Promise<void>;
	/** Throws AppError("usage") for an unknown option, or a value that it doesn't offer. */
	readonly setOption: (id: string, value: unknown) => Promise<SessionConfigOption[]>;
	/** Shows the whole conversation so far. */
	readonly replay: () => void;
	/** Shows what belongs to a session that has just been opened. */
	readonly begin: () => void;
	/** Ends the turn, and everything that the session started. */
	readonly close: () => Promise<void>;
};

/** A prompt that is being answered. */
type Turn = {
	readonly abort: AbortController;
	readonly live: LiveUpdates;
	/** False while it waits for the end of a run that was cancelled before: nothing of that is shown any more. */
	hasBegun: boolean;
	/** How its run ended; undefined before that. */
	end: EventOf<'run-end'> | undefined;
	readonly answered: Promise<unknown>;
};

/** Most messages that may be on their way to a host. */
const maxEchoes = 20;

/** How often output of commands is shown while they run. */
const outputMs = 250;

/** How long a cancelled turn may take to end its commands before its prompt is answered. */
const cancelMs = 1500;

/** The flags of a slash command, which an editor can't set. */
const {flags: noFlags} = takeGlobalFlags([]);

/**
 * Opens a session. Throws `AppError` if its folder or its configuration can't be used, and for a session to continue that is
 * not there, belongs to another folder or is open in another process.
 */
export async function openEditorSession(place: SessionPlace): Promise<EditorSession> {
	const {editor, capabilities, compose, flags, folder, mcpServers, resume, hosted} = place;
	const store = createAppStore();
	const program = await compose({...flags, store, folder, mcpServers});
	const currentId = () => store.getState().transcript.session;
	/** The id that the editor knows: a session of a host may continue as another one. */
	let ownId: string | undefined;
	const idOf = () => ownId ?? currentId();
	const workspace = program.project.folder.path;
	const closing = new AbortController();
	let turn: Turn | undefined;
	/** Settles when the last run has ended: one that was cancelled may go on after its prompt was answered. */
	let running: Promise<unknown> = Promise.resolve();
	/** The model whose context window was looked up last, and its size once that is known. */
	let window: {readonly model: string | undefined; size?: number | undefined} | undefined;
	let title = '';
	/** Messages of this editor to a host, which it shows itself. */
	let echoes: string[] = [];

	const show = (update: SessionUpdate) => {
		if (!closing.signal.aborted) {
			// An editor that is gone reads nothing.
			void editor.notify('session/update', {sessionId: idOf(), update}).catch(() => undefined);
		}
	};
	const say = (text: string) => show(chunkOf('agent_message_chunk', `${text}\n\n`));
	const showAll = (updates: readonly SessionUpdate[]) => {
		for (const update of updates) {
			show(update);
		}
	};

	const ask = createAskEditor(editor, idOf, hosted && noAnswer);
	const inquiries = createInquiries(ask);
	const {askUser, ...interact} = createEditorInteraction({
		editor,
		session: idOf,
		capabilities,
		inquiries,
		signal: () => turn?.abort.signal ?? closing.signal,
		say: text => say(text),
	});
	program.session.answerWith(async (question, signal) => {
		const answer = await askUser(question, signal);
		// A key in an answer would go to the model's vendor and into the journal (SAFETY 8).
		return answer === undefined ? undefined : program.local.secrets.hide(answer);
	}, interact);
	program.session.askWith(async (question, signal) => {
		showAll(turn?.live.output() ?? []);
		return editorApprovals(ask, workspace)(question, signal);
	});
	store.setState({beginsAll: () => program.project.folder.mayRunAll()});
	/** A session of a host is followed all the time, whoever sends messages. */
	const ambient = hosted && createLiveUpdates({folder: workspace(), shows: capabilities});
	let ambientTimer: NodeJS.Timeout | undefined;
	const endAmbient = () => {
		clearInterval(ambientTimer);
		showAll(ambient?.output() ?? []);
		showAll(ambient?.end() ?? []);
	};
	program.session.onRecord(({event}) => {
		if (turn?.hasBegun && event.type === 'run-end') {
			turn.end = event;
		}

		const live = turn?.hasBegun ? turn.live : ambient;
		if (!live) {
			return;
		}

		showAll(event.type === 'user-message' && hosted ? messageOfOther(event.text) : live.follow(event));
		if (ambient && event.type === 'run-start') {
			clearInterval(ambientTimer);
			ambientTimer = setInterval(() => showAll(ambient.output()), outputMs);
		}

		if (ambient && event.type === 'run-end') {
			endAmbient();
		}

		if (event.type === 'usage') {
			showUsage();
		}
	});

	/** Returns what shows a message of somebody else. */
	const messageOfOther = (text: string): readonly SessionUpdate[] => {
		if (echoes.includes(text)) {
			echoes = echoes.filter((_, index) => index !== echoes.indexOf(text));
			return [];
		}

		return [chunkOf('user_message_chunk', text)];
	};

	const showUsage = () => {
		program.session.conversation.flush();
		const {transcript, priceOf} = store.getState();
		showAll(usageUpdate(transcript, window?.size, priceOf));
	};

	/** Looks up the prices and the context window of the model. Nothing waits for them: a host may not answer. */
	const learnModel = async () => {
		const {model} = store.getState();
		if (window?.model !== model || window?.size === undefined) {
			const found: typeof window = {model};
			window = found;
			await program.models.loadPrices().catch(() => undefined);
			found.size = (await program.model.contextWindow().catch(() => undefined))?.size;
		}
	};

	const setMode = async (mode: ApprovalMode) => {
		const {folder: access} = program.project;
		if (program.session.hosted) {
			// The host asks what it has to, and may refuse.
			await program.session.hosted.setMode(mode);
			return;
		}

		if (mode === 'all' && !access.mayRunAll()) {
			const signal = turn?.abort.signal ?? closing.signal;
			if (!(await inquiries.agree(allModeQuestion, aboutAll(workspace()), signal, 'switch_mode'))) {
				throw new AppError('conflict', 'All mode was not allowed in this folder.', {
					hint: 'Select it again to be asked.',
				});
			}

			await access.allowAll();
		}

		store.getState().setApprovalMode(mode);
	};
	// A host that doesn't answer has no models to offer, which is nothing that the user asked about.
	const silent = {...interact, say: () => undefined};
	const contextFor = (signal: AbortSignal) =>
		program.forCommand({ui: {interact: silent, live: undefined}, flags: noFlags, signal});
	const options = createSessionOptions({program, contextFor}, setMode);

	const warnings = [...(hosted?.notices ?? []), ...program.warnings()];
	try {
		if (resume !== undefined) {
			const notices = (await program.session.resume(resume, refuseElsewhere)) ?? [];
			warnings.push(...notices.map(notice => nameCommands(notice, 'app')));
			({title} = store.getState().transcript);
		}

		await openFolder(program.project.folder, text => warnings.push(text));
		warnings.push(...(await unusedFiles(program.project.files)));
		await program.commands.refresh();
	} catch (error) {
		await program.close();
		throw error;
	}

	ownId = hosted && currentId();
	hosted?.onTold(text => say(`> ${text}`));
	const stopFollowing = store.subscribe((state, before) => {
		if (hosted && state.transcript.session !== before.transcript.session) {
			say(`> The session continues as ${state.transcript.session}. Messages go there.`);
		}

		if (state.approvalMode !== before.approvalMode) {
			show({sessionUpdate: 'current_mode_update', currentModeId: state.approvalMode});
		}

		const isOther =
			state.approvalMode !== before.approvalMode || state.model !== before.model || state.efforts !== before.efforts;
		if (isOther) {
			options.list().then(
				configOptions => show({sessionUpdate: 'config_option_update', configOptions}),
				() => undefined,
			);
		}
	});

	/** Shows what the user must know, as notices or in the first answer. */
	const showWarnings = (inAnswer: boolean) => {
		const canNotice = Boolean(capabilities.session?.notices);
		if (warnings.length > 0 && (canNotice || inAnswer)) {
			for (const text of warnings.splice(0)) {
				showAll(
					canNotice
						? noticeUpdate({level: 'warning', text}, capabilities)
						: [chunkOf('agent_message_chunk', `> ${text}\n\n`)],
				);
			}
		}
	};

	const showTitle = () => {
		const about = aboutOf(store.getState().transcript);
		if (about && about !== title) {
			title = about;
			show({sessionUpdate: 'session_info_update', title});
		}
	};

	/** Sends a message to the agent. Resolves when its run has ended, or a moment after it was cancelled. */
	const send = async (text: string, typed: string | undefined, {abort}: Turn) => {
		await program.model.choose();
		await program.prompts.checkMedia(typed ?? text);
		const {find, hide} = program.local.secrets;
		const isMasked = await find(text);
		if (isMasked) {
			showAll(
				noticeUpdate(
					{level: 'warning', text: 'The message contains an API key. The model gets it masked.'},
					capabilities,
				),
			);
		}

		void learnModel();
		abort.signal.throwIfAborted();
		const mask = isMasked ? hide : (given: string) => given;
		if (hosted) {
			echoes = [...echoes.slice(-maxEchoes), mask(text)];
		}

		const run = program.session.conversation.send(mask(text), 'user', typed === undefined ? undefined : mask(typed));
		running = run.catch(() => undefined);
		await abortableAfter(run, abort.signal, cancelMs);
	};

	const answerPrompt = async (blocks: readonly ContentBlock[], current: Turn): Promise<TurnEnd> => {
		const {signal} = current.abort;
		await abortable(running, signal);
		current.hasBegun = true;
		showWarnings(true);
		const {typed, data} = await messageOf(blocks, {folder: workspace(), keepImage: program.prompts.keepImage});
		if (!typed.trim() && !data) {
			throw new AppError('usage', 'The prompt is empty.', {hint: 'Write a message, then send it.'});
		}

		const read = await readPrompt(typed, program, signal);
		signal.throwIfAborted();
		if (read.kind === 'message') {
			await send([read.text, data].filter(Boolean).join('\n\n'), read.text, current);
			return (await carryOutPlan(current)) ?? endOf(current);
		}

		let sent: Promise<void> | undefined;
		const live: LiveSession = {
			...program.session.conversation,
			start: notHere,
			fork: notHere,
			send(text) {
				sent = send(text, undefined, current);
				sent.catch(() => undefined);
			},
			followLog: () => undefined,
			closeLog: () => '',
		};
		const command = runCommand(read.line, program, {interact, live}, signal);
		running = command.catch(() => undefined);
		const text = await abortableAfter(command, signal, cancelMs);
		if (text) {
			show(chunkOf('agent_message_chunk', text));
		}

		await sent;
		return sent || current.end ? endOf(current) : 'end_turn';
	};

	/** Asks what to do with the plan that a run in plan mode ended with, and does that. Returns why the turn ended, if so. */
	const carryOutPlan = async (current: Turn): Promise<TurnEnd | undefined> => {
		program.session.conversation.flush();
		const {transcript, approvalMode} = store.getState();
		const plan = approvalMode === 'plan' && current.end?.reason === 'done' ? planOf(transcript) : undefined;
		if (plan === undefined) {
			return undefined;
		}

		const answers = planAnswers.filter(({value}) => modeAfterPlan(value) !== undefined);
		const inquiry = {question: planQuestion, answers, kind: 'switch_mode' as const};
		const mode = modeAfterPlan(await inquiries.inquire(inquiry, current.abort.signal));
		if (mode === undefined) {
			return undefined;
		}

		await setMode(mode);
		current.end = undefined;
		await send(carryOut, undefined, current);
		return endOf(current);
	};

	/** Returns why the turn ended. Throws what its run failed with. */
	const endOf = ({end, abort}: Turn): TurnEnd => {
		if (abort.signal.aborted || !end || end.reason === 'interrupted') {
			return 'cancelled';
		}

		const {reason, stopReason, error} = end;
		if (reason === 'budget') {
			show(chunkOf('agent_message_chunk', `\n\n> ${endText(reason, error?.message, stopReason)}`));
			return 'max_turn_requests';
		}

		if (reason !== 'done') {
			const hint = error?.hint === undefined ? {} : {hint: error.hint};
			throw new AppError(error?.code ?? 'failed', endText(reason, error?.message, stopReason), hint);
		}

		return stopReason === 'refusal' ? 'refusal' : stopReason === 'max_tokens' ? 'max_tokens' : 'end_turn';
	};

	return {
		get id() {
			return idOf();
		},
		state: async () => ({modes: modeState(store), configOptions: await options.list()}),
		async prompt(blocks, signal) {
			if (turn) {
				throw new AppError('conflict', 'This session still answers another prompt.', {
					hint: 'Wait for its end, or cancel it.',
				});
			}

			let answered = () => {};
			const current: Turn = {
				abort: new AbortController(),
				live: ambient ?? createLiveUpdates({folder: workspace(), shows: capabilities}),
				hasBegun: false,
				end: undefined,
				answered: new Promise<void>(resolve => {
					answered = resolve;
				}),
			};
			turn = current;
			const stop = () => current.abort.abort();
			current.abort.signal.addEventListener('abort', () => program.session.conversation.interrupt(), {once: true});
			signal.addEventListener('abort', stop, {once: true});
			const timer = setInterval(() => showAll(current.live.output()), outputMs);
			try {
				const end = await answerPrompt(blocks, current);
				return current.abort.signal.aborted ? 'cancelled' : end;
			} catch (error) {
				if (!current.abort.signal.aborted) {
					throw hosted ? namedForPrompt(error) : error;
				}

				return 'cancelled';
			} finally {
				clearInterval(timer);
				signal.removeEventListener('abort', stop);
				showAll(current.live.output());
				// A run of a host may go on without this turn.
				showAll(ambient && store.getState().transcript.run ? [] : current.live.end());
				showTitle();
				showUsage();
				turn = undefined;
				answered();
			}
		},
		cancel: () => turn?.abort.abort(),
		setMode: async id => setMode(modeOf(id)),
		async setOption(id, value) {
			await options.set(id, value);
			return options.list();
		},
		replay() {
			showAll(replayUpdates(store.getState().transcript, {folder: workspace(), shows: capabilities}));
			showUsage();
		},
		begin() {
			showWarnings(false);
			const commands = availableCommands(program.commands.all(), hosted !== undefined);
			show({sessionUpdate: 'available_commands_update', availableCommands: commands});
		},
		async close() {
			turn?.abort.abort();
			await turn?.answered;
			closing.abort(new AppError('interrupted', 'The session was closed.'));
			clearInterval(ambientTimer);
			stopFollowing();
			await program.close();
		},
	};
}

/** The error of an editor that didn't answer a question of a host: another terminal may. */
const noAnswer = () =>
	new AppError('conflict', 'The question waits for an answer.', {hint: 'Answer it in a terminal: `$ attach`'});

/** Returns an error whose hint names commands as they are typed into the prompt. */
function namedForPrompt(error: unknown): unknown {
	return error instanceof AppError && error.hint !== undefined
		? new AppError(error.code, error.message, {hint: nameCommands(error.hint, 'app'), cause: error})
		: error;
}

const notHere = async () => {
	throw new AppError('usage', 'The editor opens sessions itself.', {hint: 'Use its own command for that.'});
};
