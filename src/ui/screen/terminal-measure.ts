import type {TerminalWidths} from '../../config/terminal-widths.ts';
import type {Environment} from '../../core/environment.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import {createWidthMeasure} from '../../terminal/measure-widths.ts';
import {askVersion, type RowHabits, rowHabits} from '../../terminal/row-habits.ts';
import {cellWidths, defaultCellWidths, isSameWidths, setCellWidths} from '../../terminal/text/cell-widths.ts';
import type {Rgb} from '../../terminal/theme/color-depth.ts';
import type {TerminalColors} from '../../terminal/theme/readable-scheme.ts';
import {type CursorPlace, createQuestions, type Questions} from './resize/questions.ts';

type Dependencies = {
	/** Writes to the terminal, unchanged: the queries are written before anything is drawn. */
	readonly write: (data: string) => unknown;
	readonly columns: number;
	readonly env: Environment;
	/** The widths measured at earlier starts. Without it nothing is stored. */
	readonly widths?: TerminalWidths | undefined;
	/** Called if the measured widths differ from the assumed ones. */
	readonly onChange: () => void;
};

export type TerminalMeasure = {
	/** Queries the terminal, which must be in raw mode, or it would echo its answers. */
	readonly begin: () => void;
	/** Asks for the terminal's colours. Resolves with undefined if it doesn't tell that of its background within a second. */
	readonly askColors: () => Promise<TerminalColors | undefined>;
	/** Asks for the row of the cursor and for the size. Resolves with what the terminal tells in time, if it ever told. */
	readonly askPlace: () => Promise<CursorPlace>;
	readonly questions: Questions;
	/** Returns true once the widths were measured, so that the cursor is where we draw, and while answers come to us. */
	readonly mayAsk: () => boolean;
	/** Handles a token. Returns true if it answers a query. */
	readonly take: (token: InputToken) => boolean;
	/** Returns what the terminal does with its rows, as far as it has answered by then. */
	readonly habits: () => RowHabits;
	/** Returns true while answers are pending. */
	readonly isAwaited: () => boolean;
	/**
	 * Asks no more, and resolves once no answer is pending, or after 300 ms. Answers that arrive after the exit, or while
	 * another program has the terminal, would go to that.
	 */
	readonly settled: () => Promise<void>;
	/** Asks again: the terminal is ours again. */
	readonly askAgain: () => void;
};

/** On the clock of `Date`: Node would load that of `performance` before the first frame. */
const answerTimeoutMs = 5000;
const colorTimeoutMs = 1000;
const exitTimeoutMs = 300;

/**
 * Asks for the background (OSC 11), for that of text (OSC 10), and the 16 colours (OSC 4, one by one: Konsole reads only the first of several), then for
 * what the terminal is (DA1), which all answer, so that no answer shows.
 */
const askColor = `\u001B]11;?\u001B\\\u001B]10;?\u001B\\${Array.from({length: 16}, (_, index) => `\u001B]4;${index};?\u001B\\`).join('')}\u001B[c`;

/**
 * Measures how many cells the terminal uses for certain characters. Until it answers, the widths of an earlier start are
 * used; no frame is delayed.
 */
export function measureTerminal({write, columns, env, widths, onChange}: Dependencies): TerminalMeasure {
	const before = widths?.recall();
	setCellWidths(before ?? defaultCellWidths);
	let whenAnswered: () => void = () => undefined;
	const measure = createWidthMeasure({
		write,
		columns,
		onMeasured(measured) {
			if (!isSameWidths(measured, cellWidths())) {
				setCellWidths(measured);
				onChange();
			}

			void (before && isSameWidths(measured, before) ? undefined : widths?.remember(measured));
		},
	});
	let asked = 0;
	let habits = rowHabits([], env);
	const colors = createColorQuestion(write);
	const questions = createQuestions(write, () => habits.tellsSize);
	let isEnding = false;
	const mayAsk = () => !isEnding && measure.outstanding() === 0;
	const awaitsWidths = () => measure.outstanding() > 0 && Date.now() - asked < answerTimeoutMs;
	const isAwaited = () => colors.isAwaited() || awaitsWidths() || questions.isAwaited();

	return {
		begin() {
			asked = Date.now();
			// Ask for the version first: some terminals don't answer, and the other answers come after it.
			write(askVersion);
			measure.begin();
		},
		askColors: colors.ask,
		questions,
		mayAsk,
		askPlace: async () => (mayAsk() ? questions.ask() : {row: undefined, size: undefined}),
		take(token) {
			if (token.type === 'reply' && token.reply === 'terminal-version') {
				habits = rowHabits(token.numbers, env);
				return true;
			}

			colors.take(token);
			const isAnswer = measure.take(token) || questions.take(token);
			isAwaited() || whenAnswered();
			return isAnswer;
		},
		habits: () => habits,
		isAwaited,
		askAgain() {
			isEnding = false;
		},
		async settled() {
			isEnding = true;
			if (isAwaited()) {
				await within(exitTimeoutMs, end => {
					whenAnswered = end;
				});
			}
		},
	};
}

/** Resolves when `begin` calls what it is given, at the latest after a time. */
function within(timeoutMs: number, begin: (end: () => void) => void): Promise<void> {
	return new Promise(resolve => {
		const timer = setTimeout(resolve, timeoutMs);
		begin(() => {
			clearTimeout(timer);
			resolve();
		});
	});
}

/** Returns what asks the terminal for its colours, once at a time. */
function createColorQuestion(write: Dependencies['write']) {
	let background: Rgb | undefined;
	let foreground: Rgb | undefined;
	const own = new Map<number, Rgb>();
	let end: (() => void) | undefined;
	return {
		isAwaited: () => end !== undefined,
		ask: () =>
			new Promise<TerminalColors | undefined>(resolve => {
				const timer = setTimeout(() => end?.(), colorTimeoutMs).unref();
				end = () => {
					clearTimeout(timer);
					end = undefined;
					resolve(background && {background, foreground, own});
				};
				write(askColor);
			}),
		take(token: InputToken) {
			if (token.type === 'reply' && token.reply === 'color') {
				const color = [token.red, token.green, token.blue] as const;
				background = token.of === 'background' ? color : background;
				foreground = token.of === 'foreground' ? color : foreground;
				if (typeof token.of === 'number') {
					own.set(token.of, color);
				}
			} else if (token.type === 'reply' && token.reply === 'device-attributes') {
				end?.();
			}
		},
	};
}
