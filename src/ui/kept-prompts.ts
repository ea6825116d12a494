import {asMessage, messageIn} from '../command/line-kind.ts';
import type {PromptsPart} from '../command/parts.ts';
import type {Program} from '../command/program.ts';
import {promptToKeep} from '../command/secret-line.ts';
import {expandedText, setComposerText} from '../editor/editor.ts';
import {setHistory} from '../editor/editor-history.ts';
import type {AppStore} from '../store/store.ts';

/** Adds a prompt to the history, without credentials. */
export function rememberPrompt(prompt: string, program: Program, store: AppStore): void {
	const {composer, setComposer} = store.getState();
	const text = program.local.secrets.hide(promptToKeep(program.commands.all(), prompt));
	// What was sent as a message must not come back as a command.
	const kept = messageIn(prompt) === prompt ? text : asMessage(text);
	const history = addToHistory(composer.history, kept);
	if (history !== composer.history) {
		setComposer(setHistory(composer, history));
		program.prompts.remember(history.at(-1) ?? '');
	}
}

/** Loads the earlier prompts into the history of the prompt. */
export function loadHistory(program: Program, store: AppStore, tell: (error: unknown) => void): void {
	try {
		const {composer, setComposer} = store.getState();
		setComposer(setHistory(composer, program.prompts.loadHistory()));
	} catch (error) {
		// Without the earlier prompts the app still works.
		tell(error);
	}
}

/** Returns messages that were queued when a run ended to the prompt, so that nothing is sent unintentionally. */
export function returnQueue(store: AppStore): void {
	const {takeQueue, composer, setComposer, sendsNow} = store.getState();
	if (sendsNow !== undefined) {
		return;
	}

	const queued = takeQueue().map(({text}) => text);
	if (queued.length > 0) {
		setComposer(setComposerText(composer, asMessage([...queued, expandedText(composer)].filter(Boolean).join('\n'))));
	}
}

/**
 * Interrupts the run for the waiting message that the user wants to send now, then sends it. The others keep waiting. Returns a
 * function that stops it.
 */
export function followSendNow(
	store: AppStore,
	{interrupt, submit}: {readonly interrupt: () => void; readonly submit: (text: string) => void},
): () => void {
	return store.subscribe(({sendsNow, isStopping, dequeue, sendNow}, before) => {
		if (sendsNow === undefined) {
			return;
		}

		if (before.sendsNow === undefined) {
			interrupt();
		} else if (before.isStopping && !isStopping) {
			sendNow(undefined);
			const message = dequeue(sendsNow);
			if (message) {
				submit(asMessage(message.text));
			}
		}
	});
}

/** How long what was prepared is ready; an idle connection closes later. */
const readyMs = 10_000;

const realClock = {
	now: () => performance.now(),
	/** Runs a function once the key is on the screen: that happens at the end of its turn of the event loop. */
	later: (run: () => void) => void setImmediate(() => setImmediate(run)),
};

/**
 * Prepares each line when its first key is typed and drawn, and again while it is typed for long; sending it reports what fails.
 * Returns a function that stops it.
 */
export function prepareWhileTyping(
	{prepare}: Pick<PromptsPart, 'prepare'>,
	store: AppStore,
	{now, later} = realClock,
): () => void {
	let preparedAt = Number.NEGATIVE_INFINITY;
	const start = (line: string) => {
		preparedAt = now();
		const run = () => prepare(line).catch(() => undefined);
		// A pasted command runs in the same turn, and asks for what is prepared.
		void (line.startsWith('/') ? run() : later(run));
	};
	// What was typed while the app started.
	const {text} = store.getState().composer;
	if (text) {
		start(text);
	}

	return store.subscribe(({composer}, {composer: before}) => {
		if (composer.text && composer.text !== before.text && (!before.text || now() - preparedAt > readyMs)) {
			start(composer.text);
		}
	});
}

/** By then the request of a run is on its way, and its answer is what is waited for. */
const sentAfterMs = 50;

/** When an answer is drawn for once before the first one comes: never while a message waits to be sent. */
export type Rehearsal = {
	/** A line is prepared: the user may still be typing it. */
	readonly prepared: () => void;
	readonly stop: () => void;
};

/**
 * Calls `rehearse`, which does its work once, while the user types, or while the answer of a message that was sent before is
 * waited for. It takes as long as a message needs to be sent.
 */
export function createRehearsal(
	store: AppStore,
	rehearse: () => void,
	later: (run: () => void) => void = run => void setTimeout(run, sentAfterMs).unref(),
): Rehearsal {
	const stop = store.subscribe(({transcript: {run}}, before) => {
		if (!run || before.transcript.run) {
			return;
		}

		stop();
		later(() => {
			if (store.getState().transcript.open.every(({kind}) => kind !== 'text')) {
				rehearse();
			}
		});
	});
	return {
		prepared() {
			if (store.getState().composer.text !== '') {
				rehearse();
			}
		},
		stop,
	};
}

/**
 * Adds a prompt to the history, the latest last, and returns the new list. Skips blank prompts and a repeated one;
 * keeps at most `max`. The caller removes secrets (SAFETY 11).
 */
export function addToHistory(entries: readonly string[], text: string, max = 1000): readonly string[] {
	// A space before it tells a message from a command.
	const entry = `${/^\s+[/!]/.test(text) ? ' ' : ''}${text.trim()}`;
	if (entry === '' || entry === entries.at(-1)) {
		return entries;
	}

	return [...entries, entry].slice(-max);
}
