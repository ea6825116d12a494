import type {RunFlags} from '../command/invocation.ts';
import {asMessage, isShellLine} from '../command/line-kind.ts';
import type {Program} from '../command/program.ts';
import {othersNote} from '../command/views/other-sessions.ts';
import type {KnownSecrets} from '../config/known-secrets.ts';
import {nameCommands} from '../core/command-words.ts';
import type {Environment} from '../core/environment.ts';
import type {CommandBlock as UserCommand} from '../core/session/block.ts';
import {type Connection, localConnection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';
import type {Palette} from '../terminal/text/style.ts';
import {truncate} from '../terminal/text/width.ts';
import {connectApprovals, followAllMode} from './approvals/connect-approvals.ts';
import type {SessionInteraction} from './interaction.ts';
import {
	createRehearsal,
	followSendNow,
	loadHistory,
	prepareWhileTyping,
	type Rehearsal,
	rememberPrompt,
	returnQueue,
} from './kept-prompts.ts';
import type {LogDisplay} from './logs/log-display.ts';
import {farewell, greet} from './opening/greet.ts';
import {createFolderQuestions, type FolderQuestions} from './panels/folder-questions.ts';
import {followSavedSessions} from './panels/saved-sessions.ts';
import type {TrustQuestions} from './panels/trust-questions.ts';
import {comesFromFile, followEntries, followPrompt} from './prompt/follow-prompt.ts';
import {mentionsOfDragged, pasteImage} from './prompt/paste-image.ts';
import type {LiveLines} from './screen/frame.ts';
import {createSubmit, type Submit} from './submit.ts';
import {messageLines} from './transcript/message-lines.ts';
import {loadPainter, type Painter} from './transcript/painter.ts';

/** What the app needs of the program. */
export type AppProgram = Program;

export type AppFlags = Partial<RunFlags> & {
	/** True to open the list of sessions first. */
	readonly pick: boolean;
	/** True to ask before the first message, not at the start, whether the user trusts the folder. */
	readonly asksLater?: boolean;
	/** The first message or slash line. */
	readonly prompt?: string;
	/** True for a first prompt that is text whatever it begins with. */
	readonly isVerbatim?: boolean;
};

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly live: LiveLines;
	readonly interact: SessionInteraction;
	readonly version: string;
	readonly homeFolder: string | undefined;
	/** Writes finished lines above the live region. */
	readonly write: (data: string) => void;
	/** True to write nothing at first, because the window has no room. */
	readonly isHeld?: boolean;
	/** Clears the screen and the scrollback, at the user's request. */
	readonly wipe: () => void;
	readonly quit: () => void;
	readonly logs: LogDisplay;
	/** Returns true for a line that is on the screen already, as the user typed it. Always false by default. */
	readonly isOnScreen?: (line: string) => boolean;
	/** Returns what of the output of the user's command is not on the screen yet; all of it by default. */
	readonly unheard?: (command: UserCommand) => string;
	/** Returns the time in milliseconds since the epoch. Without it, running calls don't move. */
	readonly clock?: () => number;
	/** True to save what is typed and not sent for the next app in the folder. */
	readonly keepsDrafts?: boolean;
	/** False to write each call that reads when it is done. */
	readonly joinsReads?: boolean;
	/** True if a key inserts what the prompt offers. */
	readonly insertsOffers?: boolean;
	/** Draws again what is in the window; left out without a screen. */
	readonly redraw?: () => void;
};

export type OpenedConversation = {
	readonly painter: Painter;
	readonly submit: (text: string) => Promise<void>;
	readonly interrupt: () => void;
	/** Inserts the image in the clipboard into the prompt. */
	readonly pasteImage: (env: Environment) => Promise<void>;
	readonly mentionsOfDragged: typeof mentionsOfDragged;
	/** Ends everything. Returns the farewell, with its line end. */
	readonly close: () => Promise<string>;
};

/** The parts that are connected here. */
type Parts = Dependencies & {
	readonly program: AppProgram;
	readonly painter: Painter;
	readonly warn: (text: string, hint?: string) => void;
};

/** Connects the program with the screen: store to painter, prompt to agent and commands. Then opens the session of the flags. */
export async function openConversation(
	program: AppProgram,
	flags: AppFlags,
	dependencies: Dependencies,
): Promise<OpenedConversation> {
	const {store, palette, interact, logs, homeFolder} = dependencies;
	const painter = await loadPainter({...dependencies, env: program.local.env});
	const warn = (text: string, hint?: string) =>
		painter.print(width => messageLines('!', palette.warning, text, hint, {width, palette}));
	const parts: Parts = {...dependencies, program, painter, warn};
	const questions = createFolderQuestions({folder: program.project.folder, interact, homeFolder});
	const {askAtStart, createTrustQuestions} = await import('./panels/trust-questions.ts');
	const tellDone = (text: string) =>
		painter.print(width => messageLines('✓', palette.success, text, undefined, {width, palette}));
	const trust = createTrustQuestions({project: program.project.files, interact, homeFolder, warn, tell: tellDone});
	const resume = async (session: string, signal?: AbortSignal) => {
		for (const notice of (await program.session.resume(session, questions.choose, signal)) ?? []) {
			warn(nameCommands(notice, 'app'));
		}
	};

	const {submit, tell, cancel} = createSubmit({...submitOptions(parts, questions, trust), resume});
	program.session.answerWith(async (question, signal) => {
		program.session.conversation.flush();
		const answer = await interact.askUser(question, signal);
		// A key in an answer would go to the model's vendor and into the journal (SAFETY 8).
		return answer === undefined ? undefined : program.local.secrets.hide(answer);
	}, interact);
	const stopGreeting = await greet(parts, flags);
	loadHistory(program, store, tell);
	const rehearsal = createRehearsal(store, painter.rehearse);
	const stops = [
		stopGreeting,
		connectApprovals({...parts, tell}),
		followAllMode({store, folder: program.project.folder, interact, tell}),
		followStore(parts),
		followSendNow(store, {interrupt: program.session.conversation.interrupt, submit: text => void submit(text)}),
		rehearsal.stop,
		prepareWhileTyping({prepare: line => prepareAnswer(line, parts, rehearsal)}, store),
		followSavedSessions({store, entries: program.commands.all, list: () => program.session.saved.list(false)}),
		followEntries(store, () => refreshEntries(parts)),
		followOthers(parts),
		await followPrompt({...parts, hasPrompt: flags.prompt !== undefined}),
	];
	startLoading(parts, tell);
	setReady(store);
	askAtStart(flags, store, trust).catch(tell);
	await openFirst(flags, {submit, resume, tell});

	return {
		painter,
		submit,
		mentionsOfDragged,
		pasteImage: env => pasteImage({store, env, keepImage: program.prompts.keepImage, tell}),
		interrupt() {
			cancel();
			program.session.conversation.interrupt();
		},
		async close() {
			cancel();
			trust.close();
			for (const summary of logs.closeAll()) {
				painter.print(width => [palette.dim(truncate(summary, width))]);
			}

			await program.close();
			await Promise.all(stops.map(stop => stop()));
			return farewell(parts);
		},
	};
}

function submitOptions(parts: Parts, questions: FolderQuestions, trust: TrustQuestions) {
	const {store, program, painter, interact, warn, wipe} = parts;
	const {
		session: {conversation},
		commands: {all: entries},
		forCommand: contextFor,
		local: {secrets},
	} = program;
	return {
		...parts,
		conversation,
		entries,
		contextFor,
		async readEntries(line: string) {
			if (comesFromFile(line, entries())) {
				await refreshEntries(parts);
			}
		},
		messageToSend: (text: string) => messageToSend(text, {secrets, interact}),
		async beforeMessage(text: string) {
			await program.model.choose(ids =>
				interact.choose({title: 'Select a model', choices: ids.map(id => ({id, label: id})), opensItself: true}),
			);
			await program.prompts.checkMedia(text);
			const refused = await questions.ask();
			if (refused) {
				warn(refused);
			}

			await trust.ask(store.getState().transcript.session);
			store.setState({offered: undefined});
		},
		remember: (prompt: string) => rememberPrompt(prompt, program, store),
		wipe() {
			wipe();
			painter.forget();
		},
	};
}

/** Prepares a message that is typed, and then, with nothing left to load, the drawing of its answer. */
async function prepareAnswer(line: string, {program}: Parts, rehearsal: Rehearsal): Promise<void> {
	await program.prompts.prepare(line);
	if (!line.startsWith('/')) {
		rehearsal.prepared();
	}
}

/** Reads the commands of files again, and says which of them can't be used. */
async function refreshEntries({program, store, warn}: Parts): Promise<void> {
	for (const sentence of await program.commands.refresh()) {
		warn(sentence);
	}

	store.getState().entriesRead();
}

/**
 * Shows which agents of other processes work in the folder: in the strip, or without a screen in a line when the first one
 * does. Returns a function that stops it.
 */
function followOthers({program, store, redraw, warn}: Parts): () => void {
	const following = program.session.agents().then(({follow}) =>
		follow(others => {
			const isFirst = store.getState().others.length === 0 && others.length > 0;
			store.setState({others});
			if (isFirst && !redraw) {
				warn(othersNote(others));
			}
		}),
	);
	return () => void following.then(stop => stop());
}

/** Reacts to changes of the store. Returns a function that stops it. */
function followStore({store, program, painter, warn}: Parts): () => void {
	const warnOf = ({detail}: Connection) => detail && warn(detail);
	// It may have failed while this was loaded.
	warnOf(store.getState().connection);
	return store.subscribe((state, before) => {
		if (state.transcript !== before.transcript || state.drafts !== before.drafts) {
			painter.advance();
		}

		if (before.transcript.run && !state.transcript.run) {
			returnQueue(store);
			if (state.model) {
				// What writes it takes 50 ms to load, which would delay the request at the beginning of the run.
				program.model.remember(state.model);
			}
		}

		if (state.connection !== before.connection) {
			warnOf(state.connection);
		}

		if (state.transcript.session !== before.transcript.session && state.editing) {
			// The message to be replaced belongs to the previous session.
			state.setEditing(undefined);
		}
	});
}

/** Starts to load what the first message can do without. */
function startLoading({program}: Parts, tell: (error: unknown) => void): void {
	import('../terminal/markdown/highlight.ts').then(({loadHighlighter}) => loadHighlighter()).catch(tell);
	program.models.loadPrices().catch(tell);
}

/** Marks the embedded server as available: it starts when something needs it. */
function setReady(store: AppStore): void {
	const {connection, setConnection} = store.getState();
	if (connection === localConnection) {
		setConnection({...connection, state: 'ready'});
	}
}

type Opening = Pick<Submit, 'submit' | 'tell'> & {
	readonly resume: (session: string, signal?: AbortSignal) => Promise<void>;
};

/** Opens the session of the flags, then sends their prompt. Throws why a session that they name can't be opened. */
async function openFirst(
	{pick, resume: session, prompt, isVerbatim}: AppFlags,
	{submit, resume, tell}: Opening,
): Promise<void> {
	if (pick) {
		void submit('/resume');
	} else if (session) {
		await resume(session).catch((error: unknown) => {
			// A session that isn't there must not become a new one, unless any would do.
			if (session !== 'latest') {
				throw error;
			}

			tell(error);
		});
	}

	if (prompt) {
		// An argument of a script must not run in the user's shell.
		void submit(isVerbatim || isShellLine(prompt) ? asMessage(prompt) : prompt);
	}
}

type SecretParts = {
	readonly secrets: Pick<KnownSecrets, 'find' | 'hide'>;
	readonly interact: SessionInteraction;
};

/**
 * Returns the message to send. If it contains a credential, the user chooses to mask it or to send it as it is. Returns
 * undefined if they cancel.
 */
async function messageToSend(text: string, {secrets, interact}: SecretParts): Promise<string | undefined> {
	if (!(await secrets.find(text))) {
		return text;
	}

	const answer = await interact.inquire(
		{
			question: 'This message contains an API key. Send it?',
			answers: [
				{key: 'm', label: 'Yes, masked', value: 'masked'},
				{key: 's', label: 'Yes, as it is', value: 'whole'},
			],
		},
		new AbortController().signal,
	);
	return answer === 'masked' ? secrets.hide(text) : answer === 'whole' ? text : undefined;
}
