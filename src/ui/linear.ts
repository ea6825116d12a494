import {createLineInteraction} from '../command/line-interaction.ts';
import {asMessage, isCommandLine, isShellLine} from '../command/line-kind.ts';
import type {Surroundings} from '../command/program.ts';
import type {Environment} from '../core/environment.ts';
import {formatCount, formatElapsed, formatUsd} from '../core/format.ts';
import {usedWindow} from '../core/session/compaction.ts';
import type {TodoItem} from '../core/session/todo.ts';
import type {Transcript} from '../core/session/transcript.ts';
import {totalCost} from '../core/session/usage.ts';
import {cleared, expandedText, setComposerText} from '../editor/editor.ts';
import {isWorking} from '../store/session-slice.ts';
import type {AppStore} from '../store/store.ts';
import {assertTerminal, wantsColor, wantsWords} from '../terminal/abilities.ts';
import {safeLine, safeText} from '../terminal/text/safe-text.ts';
import {signOf} from '../terminal/text/signs.ts';
import {createPalette, type Palette, recolor} from '../terminal/text/style.ts';
import {steadyNow} from './answerable.ts';
import {awaitsModel, retryTime} from './attention/attention-text.ts';
import type {SessionInteraction} from './interaction.ts';
import {inquireInLines} from './line/line-inquiry.ts';
import {followInterrupts} from './line/line-interrupts.ts';
import {completeMentions} from './line/line-mentions.ts';
import {createLineOutput, type LineOutput} from './line/line-output.ts';
import {type PacedOutput, paceOutput} from './line/paced-output.ts';
import {createLineTerminal, type LineTerminal} from './line-terminal.ts';
import {createLinearLogs} from './logs/log-linear.ts';
import {type AppFlags, type OpenedConversation, openConversation} from './open-conversation.ts';
import {deferred} from './opening/turns.ts';
import {askInLines} from './panels/line-questions.ts';
import {followDrafts} from './prompt/keep-drafts.ts';
import {createLiveLines} from './screen/frame.ts';
import {sizeOf} from './screen/window-size.ts';
import {startedCommands} from './transcript/block-text.ts';
import {spokenTodo} from './transcript/todo-lines.ts';

type LinearSurroundings = Omit<Surroundings, 'stderr'> & {
	/** Returns the milliseconds on a monotonic clock. */
	readonly now?: () => number;
};

/** The parts of the app without a screen. */
type Parts = {
	readonly store: AppStore;
	readonly terminal: LineTerminal;
	readonly opened: OpenedConversation;
	/** Completes the mentions of a message. */
	readonly complete: (message: string) => Promise<string>;
};

/**
 * Runs the app line by line: finished lines are written once, without cursor movement or spinner. Ctrl+C interrupts a
 * run or a command; otherwise its second press quits. The end of input quits, too. Returns the exit status. Throws
 * AppError("usage") if there is no terminal.
 */
export async function startLinear(flags: AppFlags, surroundings: LinearSurroundings): Promise<number> {
	const {compose, store, env, stdin, stdout, version, onInterrupt, now = steadyNow} = surroundings;
	assertTerminal({stdin, stdout});

	const palette = createPalette({color: wantsColor(stdout, env), spoken: wantsWords(env)});
	store.getState().setSize(sizeOf(stdout));
	store.setState({isLineByLine: true});
	const {promise: ended, resolve: quit} = deferred();

	const output = createOutput(stdout, palette, now);
	/** The line that was entered last, if nothing was written between it and its result. */
	let entered: string | undefined;
	let onEntered: () => void = () => undefined;
	const terminal = createLineTerminal({
		stdin,
		output,
		now,
		...(palette.spoken && {sign: 'You: '}),
		onLine(line, isAlone) {
			onEntered();
			entered = isAlone && !isWorking(store.getState()) ? line : undefined;
			const isPasted = !isAlone && isShellLine(line);
			if (isPasted) {
				terminal.say(`Sent as a message, not run, because it came with other lines: ${safeLine(line)}`);
			}

			void send(isPasted ? asMessage(line) : line, {store, terminal, opened, complete});
		},
	});
	const program = await compose(flags);
	const ring = () => program.local.settings.value('notifications') === 'off' || output.write('\u0007');
	const {interrupt} = program.session.conversation;
	const interact = createInteraction({store, terminal, palette, env, ring, interrupt});
	const complete = (text: string) => completeMentions(text, {list: program.prompts.listPaths, choose: interact.choose});
	const heard = createLineOutput({say: terminal.say, palette});
	recolor(palette, await program.local.scheme());
	const opened = await openConversation(
		program,
		{...flags, asksLater: true},
		{
			store,
			palette,
			interact,
			version,
			live: createLiveLines(),
			joinsReads: false,
			homeFolder: env['HOME'],
			write: terminal.write,
			wipe: () => undefined,
			quit,
			logs: createLinearLogs({say: terminal.say, palette}),
			isOnScreen: line => line === entered,
			unheard: heard.unheard,
		},
	);

	followSize({store, opened}, stdout);
	followRuns(store, {...terminal, ring, follow: heard.follow});
	onEntered = followInterrupts({store, terminal, opened}, {onInterrupt, quit: () => terminal.isLent() || quit()});
	stdin.on('end', quit);
	const saveDrafts = await keepLineDrafts({store, program, terminal, hasPrompt: flags.prompt !== undefined});
	terminal.listen();
	terminal.prompt();
	// Lines arrive whole here, so that nothing tells when the user begins to type.
	void (program.model.isDemo() && program.prompts.prepare('').catch(() => undefined));

	await ended;
	await saveDrafts();
	stdin.pause();
	output.write(`\n${await opened.close()}`);
	output.flush?.();
	return 0;
}

/** Returns the output, which is paced for a screen reader. */
function createOutput(
	stdout: LinearSurroundings['stdout'],
	{spoken}: Palette,
	now: () => number,
): Pick<PacedOutput, 'write'> & Partial<PacedOutput> {
	return spoken ? paceOutput(stdout, now) : {write: data => void stdout.write(data)};
}

/** Draws the lines to come for the size that the window has by then. */
function followSize({store, opened}: Pick<Parts, 'store' | 'opened'>, stdout: LinearSurroundings['stdout']): void {
	stdout.on('resize', () => {
		store.getState().setSize(sizeOf(stdout));
		opened.painter.resize();
	});
}

type Asking = Pick<Parts, 'store'> & {
	readonly terminal: LineTerminal;
	readonly palette: Palette;
	readonly env: Environment;
	/** Rings the bell: a question waits. */
	readonly ring: () => void;
	/** Interrupts the run. */
	readonly interrupt: () => void;
};

function createInteraction({store, terminal, palette, env, ring, interrupt}: Asking): SessionInteraction {
	const {say, question} = terminal;
	/** What Ctrl+C at a question does if a run waits for it. */
	const onInterrupt = () => store.getState().transcript.run && interrupt();
	const inquire = (inquiry: Parameters<typeof inquireInLines>[0], signal?: AbortSignal) =>
		inquireInLines(inquiry, terminal, {palette, ring, signal, ...(inquiry.isOfRun && {onInterrupt})});
	return {
		...createLineInteraction({say: text => say(safeLine(text)), question: label => question(label, false)}),
		ask: ({label, masked}) => question(label, masked),
		async confirm(text, about, subject) {
			const inquiry = {question: text, ...(about && {about}), ...(subject && {subject})};
			return (await inquire(inquiry)) === 'yes';
		},
		inquire,
		agree: async (question, about, signal, onShown) => (await inquire({question, about, onShown}, signal)) === 'yes',
		async editFile(path) {
			const {createFileEditor} = await import('./screen/edit-file.ts');
			await createFileEditor({env, session: terminal, fullScreen: {close: () => undefined}})(path);
		},
		edit: async ({label, text}, signal) => {
			say(`${safeText(label)}${text ? ` It is now:\n${safeText(text)}` : ''}`);
			const typed = 'Type it, or leave it blank to go back:';
			const {line} = await terminal.timedQuestion(typed, undefined, {signal, onInterrupt});
			signal.throwIfAborted();
			return line?.trim() || undefined;
		},
		askUser: (asked, signal) => askInLines(asked, terminal, {sign: signOf('?', palette), ring, signal, onInterrupt}),
		show: (title, lines) => say([safeLine(title), ...lines(store.getState().size.columns)].join('\n')),
	};
}

/** Sends a line. Two lines that end together, such as messages of one run, are followed by one prompt. */
async function send(line: string, {store, terminal, opened, complete}: Parts): Promise<void> {
	const offered = line.trim() === '?' ? '/keys-help' : takeOffered(store, line);
	const isMessage = !isCommandLine(offered) && !isShellLine(offered);
	await opened.submit(isMessage && !isWorking(store.getState()) ? await complete(offered) : offered);
	if (!isWorking(store.getState())) {
		terminal.prompt();
	}
}

type Followed = Pick<LineTerminal, 'say' | 'prompt'> & Pick<LineOutput, 'follow'> & {readonly ring: () => void};

/** Writes when a run starts and ends and what commands print, and rings the bell for ends and alerts. */
function followRuns(store: AppStore, {say, prompt, follow, ring}: Followed): void {
	followSilence(store, say);
	store.subscribe((state, before) => {
		follow(state.transcript);
		if (state.alert && state.alert !== before.alert) {
			ring();
			// The text of the alert is written over the prompt.
			setImmediate(() => isWorking(store.getState()) || prompt());
		}

		for (const text of startedCommands(state.transcript, before.transcript)) {
			say(text);
		}

		const {todo} = state.transcript;
		// The line of the call says how far it is; the steps are new only with another plan.
		if (todo !== before.transcript.todo && !isSamePlan(todo, before.transcript.todo)) {
			say(spokenTodo(todo).join('\n'));
		}

		if (state.transcript.run && !before.transcript.run) {
			say('Working · Ctrl+C interrupt');
		} else if (!state.transcript.run && (before.transcript.run || hasRun(state.transcript, before.transcript))) {
			tellUnsent(store, say);
			say(summary(store));
			ring();
		}
	});
}

/** True if a run began and ended between two states, as one that fails at once. */
function hasRun({session, settled}: Transcript, before: Transcript): boolean {
	const kind = settled.length > before.settled.length ? settled.at(-1)?.kind : undefined;
	return session === before.session && (kind === 'end' || kind === 'text');
}

function isSamePlan(items: readonly TodoItem[], before: readonly TodoItem[]): boolean {
	return items.length === 0 || items.map(({text}) => text).join('\n') === before.map(({text}) => text).join('\n');
}

/** Returns the line to send: for an empty one what waits in the prompt, or is offered for it. A message replaces that. */
function takeOffered(store: AppStore, line: string): string {
	const {composer, setComposer, transcript, offered} = store.getState();
	if (transcript.run || isCommandLine(line)) {
		return line;
	}

	setComposer(cleared(composer));
	return line.trim() ? line : expandedText(composer) || (offered?.text ?? '');
}

/** Writes the messages that were queued when a run ended early: they return to the prompt, which is not visible here. */
function tellUnsent(store: AppStore, say: (text: string) => void): void {
	const {composer} = store.getState();
	if (composer.text) {
		say(`Not sent: ${safeLine(expandedText(composer))}\n${howToSend}`);
	}
}

/** Returns the facts of the status line after a run. */
function summary(store: AppStore): string {
	const {transcript, priceOf, model} = store.getState();
	const messages = [...transcript.usage.values()];
	const used = messages.length > 0 ? `, context ${formatCount(usedWindow(transcript))} tokens` : '';
	const cost = messages.length > 0 ? `, cost ${formatUsd(totalCost(messages, priceOf))}` : '';
	return `Ready. Model ${safeLine(model ?? 'none')}${used}${cost}.`;
}

type Dependencies = Parameters<typeof followDrafts>[0] & {
	readonly terminal: Pick<LineTerminal, 'say' | 'unfinished'>;
};

/** How a text in the prompt, which is not visible here, is sent. */
const howToSend = 'Press Enter to send it, or type another message.';

/**
 * Brings back the draft of the last app in this folder and says so, and keeps what isn't sent for the next one. A convenience:
 * it never throws. Returns a function that saves the last changes, and what was typed without Enter.
 */
async function keepLineDrafts({terminal, ...dependencies}: Dependencies): Promise<() => Promise<void>> {
	const {store} = dependencies;
	const stop = await followDrafts(dependencies).catch(() => undefined);
	const {composer, toast} = store.getState();
	if (stop && composer.text) {
		terminal.say(`${toast} ${howToSend}\n${safeText(expandedText(composer))}`);
	}

	return async () => {
		const typed = await terminal.unfinished();
		if (typed.trim()) {
			const state = store.getState();
			state.setComposer(setComposerText(state.composer, typed));
		}

		await stop?.().catch(() => undefined);
	};
}

const checkMs = 5000;

/** How long a silence is ordinary, as of a model that thinks. It's told again after each doubling. */
const firstMs = 30_000;

/** Announces during a run for how long its model has written nothing, and the key that ends that. */
export function followSilence(store: AppStore, say: (text: string) => void): void {
	let heard = {seq: -1, at: 0};
	let nextMs = firstMs;
	let timer: NodeJS.Timeout | undefined;
	const hear = () => {
		const {transcript} = store.getState();
		heard = {seq: transcript.seq, at: Math.max(Date.now(), retryTime(transcript))};
		nextMs = firstMs;
	};
	const check = () => {
		const {transcript} = store.getState();
		const silentMs = Date.now() - heard.at;
		if (transcript.seq !== heard.seq || !awaitsModel(transcript)) {
			hear();
		} else if (silentMs >= nextMs) {
			nextMs *= 2;
			say(`No output for ${formatElapsed(silentMs)} · Ctrl+C interrupt`);
		}
	};

	store.subscribe(({transcript}) => {
		if (transcript.run && timer === undefined) {
			hear();
			timer = setInterval(check, checkMs).unref();
		} else if (!transcript.run && timer !== undefined) {
			clearInterval(timer);
			timer = undefined;
		}
	});
}
