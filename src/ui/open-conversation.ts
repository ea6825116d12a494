import type {RunFlags} from '../command/invocation.ts';
import type {Program} from '../command/program.ts';
import {promptToKeep} from '../command/secret-line.ts';
import {isAbort} from '../core/error.ts';
import {shellLine} from '../core/program-name.ts';
import {blocksOf} from '../core/session/transcript.ts';
import {expandedText, setComposerText} from '../editor/editor.ts';
import {setHistory} from '../editor/editor-history.ts';
import {addToHistory} from '../editor/prompt-history.ts';
import type {AppStore} from '../store/store.ts';
import type {Answer} from '../store/view-slice.ts';
import type {Palette} from '../terminal/text/style.ts';
import {truncate} from '../terminal/text/width.ts';
import type {AppInteraction} from './interaction.ts';
import type {LogPlace} from './logs/log-place.ts';
import {messageToSend} from './message-secrets.ts';
import {createFolderQuestions} from './panels/folder-questions.ts';
import {followSavedSessions} from './panels/saved-sessions.ts';
import type {LiveLines} from './screen/live-lines.ts';
import {createPainter, type Painter} from './screen/painter.ts';
import {createSubmit} from './submit.ts';
import {messageLines} from './transcript/block-lines.ts';
import {shortFolder, welcomeLines} from './welcome.ts';

const approvalAnswers: readonly Answer[] = [
	{key: 'y', label: 'once', value: 'once'},
	{key: 's', label: 'for this session', value: 'session'},
];

/** What the app needs of the program. */
export type AppProgram = Omit<Program, 'onRecord'>;

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly live: LiveLines;
	readonly interact: AppInteraction;
	readonly version: string;
	readonly homeFolder: string | undefined;
	/** Writes finished lines above the live region. */
	readonly write: (data: string) => void;
	/** Wipes the screen and the scrollback, because the user said so. */
	readonly wipe: () => void;
	readonly quit: () => void;
	readonly logs: LogPlace;
	/** True for a line that stands on the screen already, as it was typed; none does by default. */
	readonly isOnScreen?: (line: string) => boolean;
};

/** The app at work. */
export type OpenedConversation = {
	readonly painter: Painter;
	readonly submit: (text: string) => Promise<void>;
	readonly interrupt: () => void;
	/** Ends everything. Gives the last words, with their line end. */
	readonly close: () => Promise<string>;
};

/** Wires the program to the screen: store to painter, prompt to agent and commands; then opens the session that was asked for. */
export async function openConversation(
	program: AppProgram,
	flags: Partial<RunFlags> & {readonly pick: boolean; readonly prompt?: string},
	{store, palette, live, interact, version, homeFolder, write, wipe, quit, logs, isOnScreen}: Dependencies,
): Promise<OpenedConversation> {
	const {conversation, entries, contextFor, folder, secrets} = program;
	const [{renderMarkdown, renderMarkdownParts}, {createMarkdownStream}] = await Promise.all([
		import('../terminal/markdown/markdown.ts'),
		import('../terminal/markdown/markdown-stream.ts'),
	]);
	const painter = createPainter({
		store,
		palette,
		live,
		write,
		isOnScreen,
		markdown: {renderMarkdown, renderMarkdownParts, createMarkdownStream},
	});
	const warn = (text: string) =>
		painter.print(width => messageLines('!', palette.warning, text, undefined, {width, palette}));
	const questions = createFolderQuestions({folder, interact, homeFolder});
	const resume = async (session: string) => {
		for (const notice of (await program.resume(session, questions.choose)) ?? ['Nothing changed.']) {
			warn(notice);
		}
	};

	const {submit, tell, cancel} = createSubmit({
		store,
		palette,
		painter,
		conversation,
		entries,
		interact,
		logs,
		contextFor,
		resume,
		messageToSend: text => messageToSend(text, {secrets, interact}),
		async beforeMessage() {
			await program.chooseModel(ids =>
				interact.choose({title: 'Select a model', choices: ids.map(id => ({id, label: id}))}),
			);
			const refused = await questions.ask();
			if (refused) {
				warn(refused);
			}
		},
		remember(prompt) {
			const {composer, setComposer} = store.getState();
			const history = addToHistory(composer.history, secrets.hide(promptToKeep(entries, prompt)));
			if (history !== composer.history) {
				setComposer(setHistory(composer, history));
				program.remember(history.at(-1) ?? '');
			}
		},
		wipe() {
			wipe();
			painter.forget();
		},
		quit,
		isOnScreen,
	});

	program.askWith(async ({summary}, signal) => {
		const answer = await interact.inquire({question: summary, answers: approvalAnswers}, signal);
		return answer === 'once' || answer === 'session' ? answer : 'no';
	});

	painter.advance();
	painter.print(width =>
		welcomeLines({
			version,
			folder: shortFolder(folder.path(), homeFolder),
			model: store.getState().model,
			isDemo: program.isDemo(),
			lacksKey: program.lacksKey(),
			width,
			palette,
		}),
	);

	for (const warning of program.warnings()) {
		warn(warning);
	}

	try {
		const {composer, setComposer} = store.getState();
		setComposer(setHistory(composer, program.loadHistory()));
	} catch (error) {
		// Earlier prompts are worth a word, not the app.
		tell(error);
	}

	const unsubscribe = store.subscribe((state, before) => {
		if (state.transcript !== before.transcript) {
			painter.advance();
		}

		if (!before.transcript.run && state.transcript.run && state.model) {
			program.rememberModel(state.model);
		}

		if (before.transcript.run && !state.transcript.run) {
			returnQueue(store);
		}

		const {detail} = state.connection;
		if (detail && state.connection !== before.connection) {
			warn(detail);
		}

		if (state.transcript.session !== before.transcript.session && state.editing) {
			// The message that was to be replaced belongs to the session before.
			state.setEditing(undefined);
		}
	});
	const unfollow = followSavedSessions({store, entries, list: program.savedSessions});
	import('../terminal/markdown/highlight.ts').then(({loadHighlighter}) => loadHighlighter()).catch(tell);
	program.loadCatalog().catch(tell);
	program.startEmbedded().catch(error => {
		if (isAbort(error)) {
			// The app is left while it starts.
			return;
		}

		store.getState().setConnection({...store.getState().connection, state: 'failed'});
		tell(error);
	});

	if (flags.pick) {
		void submit('/resume');
	} else if (flags.resume) {
		try {
			await resume(flags.resume);
		} catch (error) {
			tell(error);
		}
	}

	if (flags.prompt) {
		void submit(flags.prompt);
	}

	return {
		painter,
		submit,
		interrupt() {
			cancel();
			conversation.interrupt();
		},
		async close() {
			cancel();
			for (const summary of logs.closeAll()) {
				painter.print(width => [palette.dim(truncate(summary, width))]);
			}

			await program.close();
			unsubscribe();
			unfollow();
			const {transcript, unsaved} = store.getState();
			if (unsaved) {
				return `This session was not saved: ${unsaved}\n`;
			}

			// A session without a message was not kept.
			const isKept = blocksOf(transcript).some(({kind}) => kind === 'user');
			return isKept ? `Resume this session with: ${shellLine(`--resume ${transcript.session.slice(0, 8)}`)}\n` : '';
		},
	};
}

/** Messages that were queued when a run ended early come back into the prompt: nothing is sent that was not meant so. */
function returnQueue(store: AppStore): void {
	const {takeQueue, composer, setComposer} = store.getState();
	const queued = takeQueue().map(({text}) => text);
	if (queued.length > 0) {
		setComposer(setComposerText(composer, [...queued, expandedText(composer)].filter(Boolean).join('\n')));
	}
}
