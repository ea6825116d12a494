import {runSteps} from './slices.ts';

/** The part of a log in one answer. */
export type LogWindow = {
	readonly text: string;
	/** Whole lines without their newline. A byte limit may have cut the beginning of the first one. */
	readonly lines: readonly string[];
	/** The text after the last newline: an incomplete line, '' for none. */
	readonly partial: string;
};

/** Lines processed in one step. */
const stepLines = 2000;

/** Splits the text of an answer into lines. A CR before the newline is kept. */
export function readWindow(text: string): LogWindow {
	return runSteps(windowSteps(text));
}

/** Splits a text of any size, in steps. */
export function* windowSteps(text: string): Generator<void, LogWindow> {
	const lines: string[] = [];
	let at = 0;
	for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
		lines.push(text.slice(at, end));
		at = end + 1;
		if (lines.length % stepLines === 0) {
			yield;
		}
	}

	return {text, lines, partial: text.slice(at)};
}
