import type {TerminalWidths} from '../../config/terminal-widths.ts';
import type {Environment} from '../../core/environment.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import {createWidthMeasure} from '../../terminal/measure-widths.ts';
import {askVersion, reflowsRows} from '../../terminal/reflow.ts';
import {cellWidths, defaultCellWidths, isSameWidths, setCellWidths} from '../../terminal/text/cell-widths.ts';

type Dependencies = {
	/** The terminal itself: the queries are written before anything is drawn. */
	readonly stdout: Pick<NodeJS.WriteStream, 'write' | 'columns'>;
	readonly env: Environment;
	/** The widths measured at earlier starts. Without it nothing is stored. */
	readonly widths?: TerminalWidths | undefined;
	/** Called if the measured widths differ from the assumed ones. */
	readonly onChange: () => void;
};

export type TerminalMeasure = {
	/** Queries the terminal, which must be in raw mode, or it would echo its answers. */
	readonly begin: () => void;
	/** Handles a token. Returns true if it answers a query. */
	readonly take: (token: InputToken) => boolean;
	/** Returns true once the terminal has answered as one that wraps rows wider than a narrower window. */
	readonly reflows: () => boolean;
	/** Returns true while answers are pending. */
	readonly isAwaited: () => boolean;
	/** Resolves once no answer is pending, or after 300 ms. Answers that arrive after the exit would go to the shell. */
	readonly settled: () => Promise<void>;
};

const answerTimeoutMs = 5000;
const exitTimeoutMs = 300;

/**
 * Measures how many cells the terminal uses for certain characters. Until it answers, the widths of an earlier start are
 * used; no frame is delayed.
 */
export function measureTerminal({stdout, env, widths, onChange}: Dependencies): TerminalMeasure {
	const before = widths?.recall();
	setCellWidths(before ?? defaultCellWidths);
	let resolveAnswered: () => void = () => undefined;
	const answered = new Promise<void>(resolve => {
		resolveAnswered = resolve;
	});
	const measure = createWidthMeasure({
		write: text => stdout.write(text),
		columns: stdout.columns,
		onMeasured(measured) {
			if (!isSameWidths(measured, cellWidths())) {
				setCellWidths(measured);
				onChange();
			}

			if (!before || !isSameWidths(measured, before)) {
				void widths?.remember(measured);
			}
		},
	});
	let asked = 0;
	let version: readonly number[] = [];
	const isAwaited = () => measure.outstanding() > 0 && performance.now() - asked < answerTimeoutMs;

	return {
		begin() {
			asked = performance.now();
			// Ask for the version first: some terminals don't answer, and the other answers come after it.
			stdout.write(askVersion);
			measure.begin();
		},
		take(token) {
			if (token.type === 'reply' && token.reply === 'terminal-version') {
				version = token.numbers;
				return true;
			}

			const isAnswer = measure.take(token);
			if (measure.outstanding() === 0) {
				resolveAnswered();
			}

			return isAnswer;
		},
		reflows: () => reflowsRows(version, env),
		isAwaited,
		async settled() {
			if (isAwaited()) {
				let timer: NodeJS.Timeout | undefined;
				await Promise.race([answered, new Promise(resolve => (timer = setTimeout(resolve, exitTimeoutMs)))]);
				clearTimeout(timer);
			}
		},
	};
}
