import type {Region} from '../region.ts';
import {type Habits, landedRegion, type SentFrame} from './landed-region.ts';
import type {Questions, Size} from './questions.ts';

type Arriving = SentFrame & {row: number | undefined; arrivedAt: Size | undefined};

type Dependencies = {
	readonly questions: Questions;
	/** Returns true for a terminal whose frames are to be followed: it wraps rows again. */
	readonly isNeeded: () => boolean;
	/** Returns what the terminal does with rows that continue in the next one. */
	readonly habits: () => Habits;
	/** Called with the size of the window when a frame has arrived at another one than it was drawn for. */
	readonly onLost: (size: Size) => void;
};

export type SentFrames = {
	/** Notes a frame, and returns the questions that go before it. */
	readonly send: (frame: SentFrame) => string;
	/** Returns what the terminal shows since frames went to other rows; undefined if none did. Forgets all frames. */
	readonly landed: () => Region | undefined;
};

/** How long the first answer may take before the terminal isn't asked any more. */
const firstAnswerMs = 2000;
/** The most frames that are kept without an answer. */
const maxSent = 300;

/** What moves rows, and not only text within them. */
const movesRows = /\n|\u001B\[\d*(?:[LM]|\+T)/;

/**
 * Follows frames on their way to a terminal that wraps rows again. Before each it asks for the size of the window. A frame
 * that arrives at another size than it was drawn for goes to other rows, but not to unknown ones: they follow from the rows
 * before, the sizes and the bytes. All that the terminal shows since then becomes the frame to replace, and lines printed
 * since then are printed again.
 */
export function createSentFrames({questions, isNeeded, habits, onLost}: Dependencies): SentFrames {
	let sent: readonly Arriving[] = [];
	let isLost = false;
	let firstAskedAt: number | undefined;

	const arrive = (frame: Arriving, size: Size | undefined) => {
		frame.arrivedAt = size;
		if (isLost || !sent.includes(frame)) {
			return;
		}

		if (!size || (size.columns === frame.size.columns && size.rows === frame.size.rows)) {
			sent = sent.slice(sent.indexOf(frame) + 1);
		} else {
			isLost = true;
			onLost(size);
		}
	};

	return {
		send(frame) {
			firstAskedAt ??= Date.now();
			if (!isNeeded() || (!questions.sizes.isKnown() && Date.now() - firstAskedAt > firstAnswerMs)) {
				return '';
			}

			const arriving: Arriving = {...frame, row: undefined, arrivedAt: undefined};
			sent = [...sent, arriving].slice(-maxSent);
			const row = movesRows.test(frame.data)
				? questions.add('cursor-position', answer => {
						arriving.row = answer?.reply === 'cursor-position' ? answer.row : undefined;
					})
				: '';
			return (
				row +
				questions.add('window-size', answer =>
					arrive(arriving, answer?.reply === 'window-size' ? questions.sizes.readFirst(answer, frame.size) : undefined),
				)
			);
		},
		landed() {
			const [first, ...others] = sent;
			const wasLost = isLost;
			sent = [];
			isLost = false;
			return wasLost && first ? landedRegion([first, ...others], habits()) : undefined;
		},
	};
}
