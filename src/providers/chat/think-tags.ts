export type SpokenPiece = {readonly kind: 'text' | 'reasoning'; readonly text: string};

/** How models with open weights mark reasoning at the beginning of their text, if the host leaves it there. */
const tags = [
	['<think>', '</think>'],
	['<thought>', '</thought>'],
	['[THINK]', '[/THINK]'],
] as const;

type State = {
	phase: 'start' | 'thinking' | 'text';
	/** The tag that ends the reasoning. */
	closing: string;
	/** Text that may still become a tag. */
	held: string;
	/** True next to a tag: white space there belongs to neither side. */
	skipsSpace: boolean;
};

/**
 * Separates the reasoning at the beginning of a text from the answer after it. The text may be cut anywhere: what could
 * still become a tag is held back until more comes, or `end` is called.
 */
export function createThinkSplitter() {
	const state: State = {phase: 'start', closing: '', held: '', skipsSpace: false};
	return {
		read(text: string): readonly SpokenPiece[] {
			state.held += text;
			switch (state.phase) {
				case 'start':
					return text ? readStart(state) : [];
				case 'thinking':
					return readThinking(state);
				default:
					return take(state, 'text', state.held.length);
			}
		},
		/** Returns the text that was held back. */
		end: (): readonly SpokenPiece[] =>
			take(state, state.phase === 'thinking' ? 'reasoning' : 'text', state.held.length),
	};
}

function readStart(state: State): readonly SpokenPiece[] {
	const text = state.held.trimStart();
	const tag = tags.find(([opening]) => text.startsWith(opening));
	if (tag) {
		const [opening, closing] = tag;
		state.phase = 'thinking';
		state.closing = closing;
		state.held = text.slice(opening.length);
		state.skipsSpace = true;
		return readThinking(state);
	}

	if (tags.some(([opening]) => opening.startsWith(text))) {
		return [];
	}

	state.phase = 'text';
	return take(state, 'text', state.held.length);
}

function readThinking(state: State): readonly SpokenPiece[] {
	const {held, closing} = state;
	const end = held.indexOf(closing);
	if (end < 0) {
		return take(state, 'reasoning', held.length - overlap(held, closing));
	}

	const thought = take(state, 'reasoning', end, true);
	state.phase = 'text';
	state.held = state.held.slice(closing.length);
	state.skipsSpace = true;
	return [...thought, ...take(state, 'text', state.held.length)];
}

/** Removes that many characters from the held text and returns them as a piece. */
function take(state: State, kind: SpokenPiece['kind'], count: number, isLast = false): readonly SpokenPiece[] {
	const raw = state.held.slice(0, count);
	state.held = state.held.slice(count);
	const text = state.skipsSpace ? raw.trimStart() : raw;
	state.skipsSpace &&= text === '' && !isLast;
	return text ? [{kind, text}] : [];
}

/** Returns how many of the last characters may be the beginning of the tag. */
function overlap(text: string, tag: string): number {
	for (let count = Math.min(text.length, tag.length - 1); count > 0; count -= 1) {
		if (tag.startsWith(text.slice(-count))) {
			return count;
		}
	}

	return 0;
}
