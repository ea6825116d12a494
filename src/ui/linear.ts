import type {RunFlags} from '../command/invocation.ts';
import {isCommandLine} from '../command/line.ts';
import {aboutLines, createLineInteraction} from '../command/line-interaction.ts';
import type {Surroundings} from '../command/program.ts';
import {AppError} from '../core/error.ts';
import {formatCount, formatUsd} from '../core/format.ts';
import {totalCost, windowTokens} from '../core/session/usage.ts';
import {cleared, expandedText} from '../editor/editor.ts';
import type {AppStore} from '../store/store.ts';
import {wantsColor} from '../terminal/abilities.ts';
import {readTerminalLine} from '../terminal/input/read-line.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {createPalette} from '../terminal/text/style.ts';
import type {AppInteraction, Inquiry} from './interaction.ts';
import {createLinearLogs} from './logs/log-linear.ts';
import {type AppProgram, openConversation} from './open-conversation.ts';
import {answerTo, keysOf, steadyNow, untilAnswerable} from './panels/question.ts';
import {createLiveLines} from './screen/live-lines.ts';

/**
 * The app line by line: the terminal's own line editing, finished lines written once, no cursor movement, no spinner.
 * Ctrl+C interrupts the run or the command, at rest it leaves; so does the end of input. Gives the exit status.
 */
export async function startLinear(
	flags: Partial<RunFlags> & {readonly pick: boolean; readonly prompt?: string},
	surroundings: Omit<Surroundings<keyof AppProgram>, 'stderr'> & {
		/** Milliseconds on a clock that never jumps. */
		readonly now?: () => number;
	},
): Promise<number> {
	const {compose, store, env, stdin, stdout, version, onInterrupt, now = steadyNow} = surroundings;
	if (!stdin.isTTY || !stdout.isTTY) {
		throw new AppError('usage', 'The app needs a terminal.', {hint: 'For scripts use `$ -p "prompt"`.'});
	}

	const palette = createPalette({color: wantsColor(stdout, env)});
	/** True while the sign to type is the last thing that was written. */
	let prompted = false;
	const write = (data: string) => {
		prompted = false;
		stdout.write(data);
	};
	const say = (text: string) => write(`${text}\n`);
	store.getState().setSize({columns: stdout.columns || 80, rows: stdout.rows || 24});

	let quit: () => void = () => undefined;
	const ended = new Promise<void>(resolve => {
		quit = resolve;
	});
	let asking = false;
	const readAnswer = async (label: string, masked: boolean) => {
		asking = true;
		stdin.off('data', onData);
		write(`${safeLine(label)} `);
		const answer = await readTerminalLine({stdin, output: stdout}, masked);
		asking = false;
		listen();
		return answer;
	};

	/** One question at a time, also where the agent asks beside a command. */
	let before: Promise<unknown> = Promise.resolve();
	const question = (label: string, masked: boolean) => {
		const answer = before.then(() => readAnswer(label, masked));
		before = answer.catch(() => undefined);
		return answer;
	};

	/** Asks until it is answered by who could read it. Undefined for no. */
	const inquire = async ({question: text, about, answers}: Partial<Inquiry> & Pick<Inquiry, 'question'>) => {
		if (about) {
			say(aboutLines(about).map(safeLine).join('\n'));
		}

		for (;;) {
			const askedAt = now();
			const typed = await question(`${text} ${keysOf({answers})}`, false);
			// Whoever types ahead does not know what is asked (SAFETY 4); Escape and the end of input always count.
			if (typed === undefined || untilAnswerable({askedAt}, undefined, now()) <= 0) {
				return answerTo({answers}, typed ?? '') || undefined;
			}

			say('That was typed before the question could be read, and is no answer.');
		}
	};

	const interact: AppInteraction = {
		...createLineInteraction({say: text => say(safeLine(text)), question: label => question(label, false)}),
		ask: ({label, masked}) => question(label, masked),
		confirm: async (text, about) => (await inquire({question: text, ...(about && {about})})) === 'yes',
		inquire,
		show: (title, lines) => say([safeLine(title), ...lines].join('\n')),
	};

	/** The line that was typed last, where nothing was written below it before its answer. */
	let typed: string | undefined;
	const opened = await openConversation(await compose(flags), flags, {
		store,
		palette,
		// Nothing is drawn that may still change.
		live: createLiveLines(),
		interact,
		version,
		homeFolder: env['HOME'],
		write,
		wipe: () => undefined,
		quit,
		logs: createLinearLogs({say, palette}),
		isOnScreen: line => line === typed,
	});

	let pending = '';
	const onData = (data: Buffer | string) => {
		pending += data.toString('utf8');
		const lines = pending.split(/\r?\n/);
		pending = lines.pop() ?? '';
		prompted &&= lines.length === 0;
		for (const line of lines) {
			const {transcript, busy} = store.getState();
			typed = transcript.run || busy || lines.length > 1 ? undefined : line;
			void send(line);
		}
	};

	const listen = () => {
		stdin.on('data', onData);
		stdin.resume();
	};

	/** Two lines that end at once, such as messages of one run, have one sign behind them. */
	const prompt = () => {
		if (!asking && !prompted) {
			stdout.write('> ');
			prompted = true;
		}
	};

	const send = async (line: string) => {
		await opened.submit(takeOffered(store, line));
		const {transcript, busy} = store.getState();
		if (!transcript.run && !busy) {
			prompt();
		}
	};

	store.subscribe((state, before) => {
		if (state.alert && state.alert !== before.alert) {
			stdout.write('\u0007');
			// What is told beside the conversation stands where one would type.
			setImmediate(() => store.getState().transcript.run || store.getState().busy || prompt());
		}

		if (state.transcript.run && !before.transcript.run) {
			say('Working; Ctrl+C interrupts.');
		} else if (before.transcript.run && !state.transcript.run) {
			tellUnsent(store, say);
			say(summary(store));
		}
	});
	const hearInterrupt = () =>
		onInterrupt(() => {
			if (store.getState().transcript.run || store.getState().busy) {
				opened.interrupt();
				hearInterrupt();
			} else {
				quit();
			}
		});
	hearInterrupt();
	stdin.on('end', quit);
	listen();
	prompt();
	await ended;
	stdin.pause();
	stdout.write(`\n${await opened.close()}`);
	return 0;
}

/** What a command put into the prompt, for an empty line; a message takes its place. */
function takeOffered(store: AppStore, line: string): string {
	const {composer, setComposer, transcript} = store.getState();
	if (transcript.run || isCommandLine(line)) {
		return line;
	}

	setComposer(cleared(composer));
	return line.trim() ? line : expandedText(composer);
}

/** Messages that were queued when a run ended early stand in the prompt, which is not seen here. */
function tellUnsent(store: AppStore, say: (text: string) => void): void {
	const {composer, setComposer} = store.getState();
	if (composer.text) {
		say(`Not sent: ${safeLine(expandedText(composer))}`);
		setComposer(cleared(composer));
	}
}

/** What the status line would say, once a run is over. */
function summary(store: AppStore): string {
	const {transcript, priceOf, model} = store.getState();
	const messages = [...transcript.usage.values()];
	const last = messages.at(-1);
	const used = last ? `, context ${formatCount(windowTokens(last.usage))} tokens` : '';
	const cost = messages.length > 0 ? `, cost ${formatUsd(totalCost(messages, priceOf))}` : '';
	return `Ready. Model ${safeLine(model ?? 'none')}${used}${cost}.`;
}
