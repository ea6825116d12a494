import {foldText} from '../../core/stack-trace/frame-kind.ts';
import {createStackReader} from '../../core/stack-trace/stack-reader.ts';

/** Prints lines as they arrive, and one short line for frames of libraries that follow each other. */
export type FoldedSpeech = {
	/** Reads a line in order; it is said as `spoken`, unless that is undefined. */
	readonly line: (text: string, spoken: string | undefined) => void;
	/** Prints a frame of the program that waits for its next line, which may turn it into one of a library. */
	readonly settle: () => void;
	/** Prints everything that is held back. */
	readonly flush: () => void;
};

/** Creates the speech of one output or log. A single line isn't folded. */
export function foldFrames(say: (line: string) => void): FoldedSpeech {
	const read = createStackReader();
	/** The first lines of the fold that grows: two are enough to know that they are folded. */
	let held: readonly string[] = [];
	let frames = 0;
	let own: string | undefined;

	const hold = (spoken: string, begins: boolean) => {
		held = held.length < 2 ? [...held, spoken] : held;
		frames += begins ? 1 : 0;
	};
	const endFold = () => {
		const [only] = held;
		if (only !== undefined) {
			say(held.length === 1 ? only : foldText(Math.max(1, frames)));
		}

		held = [];
		frames = 0;
	};
	const settle = () => {
		if (own !== undefined) {
			endFold();
			say(own);
			own = undefined;
		}
	};

	return {
		settle,
		line(text, spoken) {
			const {kind, begins, takesBefore} = read(text);
			if (takesBefore && own !== undefined) {
				hold(own, true);
				own = undefined;
			}

			if (spoken === undefined) {
				return;
			}

			settle();
			if (kind === 'minor') {
				hold(spoken, begins);
			} else if (kind === 'own') {
				own = spoken;
			} else {
				endFold();
				say(spoken);
			}
		},
		flush() {
			settle();
			endFold();
		},
	};
}
