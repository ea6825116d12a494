import type {Block} from '../../core/session/block.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {drawOutput} from '../transcript/output/output-lines.ts';
import {type FoldedSpeech, foldFrames} from './fold-frames.ts';

type Command = Extract<Block, {kind: 'command'}>;

/** What was printed of a command's output: its last characters, and the beginning of a line that has no end yet. */
type Heard = {readonly seen: string; readonly rest: string; readonly speech: FoldedSpeech};

/** The output of the user's commands, which is printed line by line while they run. */
export type LineOutput = {
	/** Prints the lines that are complete by now. */
	readonly follow: (transcript: Pick<Transcript, 'open'>) => void;
	/** Returns what of the output of a command that ended is not printed yet, after frames that were held back. */
	readonly unheard: (command: Command) => string;
};

/** Enough of the output to find where the next piece of it begins, in UTF-16 units. */
const maxSeen = 4096;

export function createLineOutput({
	say,
	palette,
}: {
	readonly say: (line: string) => void;
	readonly palette: Palette;
}): LineOutput {
	const heard = new Map<string, Heard>();
	return {
		follow({open}) {
			for (const block of open) {
				if (block.kind !== 'command' || block.status !== 'running' || !block.output) {
					continue;
				}

				const {seen, rest, speech} = heard.get(block.id) ?? {seen: '', rest: '', speech: foldFrames(say)};
				const lines = (rest + newIn(block.output, seen)).split('\n');
				const begun = lines.pop() ?? '';
				for (const line of lines) {
					speech.line(line, drawOutput(line, palette));
				}

				speech.settle();
				heard.set(block.id, {seen: block.output.slice(-maxSeen), rest: begun, speech});
			}
		},
		unheard({id, output}) {
			const {seen, rest, speech} = heard.get(id) ?? {seen: '', rest: ''};
			heard.delete(id);
			speech?.flush();
			return seen === '' ? output : rest + newIn(output, seen);
		},
	};
}

/** Returns what follows in `output` behind what was seen of it; everything if that is not in it. */
function newIn(output: string, seen: string): string {
	// The output that the model reads has no line end at its end.
	const found = output.includes(seen) ? seen : seen.trimEnd();
	const at = found === '' ? -1 : output.lastIndexOf(found);
	return at < 0 ? output : output.slice(at + found.length);
}
