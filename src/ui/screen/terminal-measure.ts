import type {TerminalWidths} from '../../config/terminal-widths.ts';
import type {Environment} from '../../core/environment.ts';
import type {InputToken} from '../../terminal/input/token.ts';
import {createWidthMeasure} from '../../terminal/measure-widths.ts';
import {askVersion, reflowsRows} from '../../terminal/reflow.ts';
import {cellWidths, defaultCellWidths, isSameWidths, setCellWidths} from '../../terminal/text/cell-widths.ts';

type Dependencies = {
	/** The terminal itself: the question goes before everything that waits to be drawn. */
	readonly stdout: Pick<NodeJS.WriteStream, 'write' | 'columns'>;
	readonly env: Environment;
	/** What was measured at earlier starts; nothing is kept without it. */
	readonly widths?: TerminalWidths | undefined;
	/** The terminal counts otherwise than was believed. */
	readonly onChange: () => void;
};

export type TerminalMeasure = {
	/** Asks the terminal, which must be raw by then: it would show its own answers. */
	readonly begin: () => void;
	/** True for a token that answers the measure. */
	readonly take: (token: InputToken) => boolean;
	/** Returns true once the terminal has answered as one that breaks rows which are wider than a narrower window. */
	readonly reflows: () => boolean;
	/** True while answers are awaited. */
	readonly isAwaited: () => boolean;
	/** Resolves once no answer is awaited, after 300 ms at the latest: what comes later would be typed into the shell. */
	readonly settled: () => Promise<void>;
};

const longestAnswerMs = 5000;
const longestFarewellMs = 300;

/**
 * Has everything counted by the cells of this terminal: as it was measured before, and from its answer on as it is. No
 * frame waits for that.
 */
export function measureTerminal({stdout, env, widths, onChange}: Dependencies): TerminalMeasure {
	const before = widths?.recall();
	setCellWidths(before ?? defaultCellWidths);
	let tellSettled: () => void = () => undefined;
	const answered = new Promise<void>(resolve => {
		tellSettled = resolve;
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
	const isAwaited = () => measure.outstanding() > 0 && performance.now() - asked < longestAnswerMs;

	return {
		begin() {
			asked = performance.now();
			// First: its answer, which some terminals do not give, comes before the last one that is awaited.
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
				tellSettled();
			}

			return isAnswer;
		},
		reflows: () => reflowsRows(version, env),
		isAwaited,
		async settled() {
			if (isAwaited()) {
				let timer: NodeJS.Timeout | undefined;
				await Promise.race([answered, new Promise(resolve => (timer = setTimeout(resolve, longestFarewellMs)))]);
				clearTimeout(timer);
			}
		},
	};
}
