import {runSteps} from './slices.ts';

/** What one answer showed of a log. */
export type LogWindow = {
	readonly text: string;
	/** The whole lines, without their newline. A byte limit may have cut the beginning of the first one. */
	readonly lines: readonly string[];
	/** What stands behind the last newline: a line that is not complete yet, '' for none. */
	readonly partial: string;
};

/** So many lines are worked on between two looks at the clock. */
const step = 2000;

/** Splits the text of an answer into lines. A CR before the newline stays: nothing of a line is changed. */
export function readWindow(text: string): LogWindow {
	return runSteps(windowSteps(text));
}

/** The same in steps, for texts of any size. */
export function* windowSteps(text: string): Generator<void, LogWindow> {
	const lines: string[] = [];
	let at = 0;
	for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
		lines.push(text.slice(at, end));
		at = end + 1;
		if (lines.length % step === 0) {
			yield;
		}
	}

	return {text, lines, partial: text.slice(at)};
}
