import type {Block} from '../../core/session/block.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {drawOutput} from '../transcript/output-lines.ts';
import {type FoldedSpeech, foldFrames} from './fold-frames.ts';

type Command = Extract<Block, {kind: 'command'}>;

/** What is known of a command's output. */
type Heard = {
	/** The output as it was last, and how many of its characters were printed. */
	output: string;
	said: number;
	/** When a line was printed last. */
	saidAt: number;
	readonly speech: FoldedSpeech;
};

/** The output of the user's commands, which is printed line by line while they run. */
export type LineOutput = {
	/** Prints the lines that are complete by now; of lines that change in place, the current state now and then. */
	readonly follow: (transcript: Pick<Transcript, 'open'>) => void;
	/** Returns what of the output of a command that ended is not printed yet, after frames that were held back. */
	readonly unheard: (command: Command) => string;
};

type Options = {
	readonly say: (line: string) => void;
	readonly palette: Palette;
	/** The time in milliseconds. */
	readonly now?: () => number;
};

/** Enough of the output to find where the next piece of it begins, in UTF-16 units. */
const maxSeen = 4096;

/** Time between two states of a progress bar that are printed. */
const stateIntervalMs = 10_000;

export function createLineOutput({say, palette, now = performance.now.bind(performance)}: Options): LineOutput {
	const heard = new Map<string, Heard>();
	const begin = (id: string): Heard => {
		const one = {output: '', said: 0, saidAt: now(), speech: foldFrames(say)};
		heard.set(id, one);
		return one;
	};
	const sayLines = (one: Heard, end: number) => {
		const lines = one.output.slice(one.said, end).split('\n').slice(0, -1);
		for (const line of lines) {
			one.speech.line(line, drawOutput(line, palette));
		}

		one.speech.settle();
		one.said += lines.reduce((sum, {length}) => sum + length + 1, 0);
		one.saidAt = lines.length > 0 ? now() : one.saidAt;
	};

	return {
		follow({open}) {
			for (const block of open) {
				if (block.kind !== 'command' || block.status !== 'running' || !block.output) {
					continue;
				}

				const one = heard.get(block.id) ?? begin(block.id);
				if (block.output === one.output) {
					continue;
				}

				const same = sameAtStart(one.output, block.output);
				const isRedrawn = same < one.output.length && !isEndOf(one.output, block.output);
				const isState = isRedrawn && countLines(block.output) <= countLines(one.output);
				one.said = isRedrawn ? Math.min(one.said, same) : saidIn(block.output, one);
				one.output = block.output;
				if (!isState) {
					sayLines(one, block.output.length);
				} else if (now() - one.saidAt >= stateIntervalMs) {
					one.saidAt = now();
					say(drawOutput(lastLine(block.output), palette));
				}
			}
		},
		unheard({id, output}) {
			const one = heard.get(id);
			heard.delete(id);
			one?.speech.flush();
			return one ? output.slice(saidIn(output, one)) : output;
		},
	};
}

/** Returns how many characters of an output were printed, of which the beginning may have been left out since. */
function saidIn(output: string, {output: before, said}: Heard): number {
	const printed = before.slice(0, said);
	if (output.startsWith(printed)) {
		return said;
	}

	// The output that the model reads has no line end at its end.
	const found = [printed.slice(-maxSeen), printed.slice(-maxSeen).trimEnd()].find(end => end && output.includes(end));
	return found === undefined ? 0 : output.lastIndexOf(found) + found.length;
}

/** True if the beginning of an output was left out when something was added. */
function isEndOf(before: string, output: string): boolean {
	return before.length > maxSeen && output.includes(before.slice(-maxSeen));
}

function countLines(output: string): number {
	return output.split('\n').length;
}

/** Returns where the first line begins that differs. */
function sameAtStart(one: string, other: string): number {
	if (other.startsWith(one)) {
		return one.length;
	}

	let at = 0;
	while (at < one.length && one[at] === other[at]) {
		at++;
	}

	return one.lastIndexOf('\n', at - 1) + 1;
}

function lastLine(output: string): string {
	return output.trimEnd().split('\n').at(-1) ?? '';
}
