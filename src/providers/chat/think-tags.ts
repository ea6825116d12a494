export type SpokenPiece = {readonly kind: 'text' | 'reasoning'; readonly text: string};

/** How models with open weights mark reasoning at the beginning of their text, where the host does not take it out. */
const tags = [
	['<think>', '</think>'],
	['<thought>', '</thought>'],
	['[THINK]', '[/THINK]'],
] as const;

/**
 * Tells the reasoning at the beginning of a text from the answer after it. Both may be cut anywhere, so that what could
 * still become a tag is held back until more comes, or `end` is called.
 */
export function createThinkSplitter() {
	let state: 'start' | 'thinking' | 'text' = 'start';
	let closing = '';
	let held = '';
	/** White space next to a tag belongs to neither side. */
	let skipsSpace = false;

	const begin = (): readonly SpokenPiece[] => {
		const text = held.trimStart();
		const tag = tags.find(([open]) => text.startsWith(open));
		if (tag) {
			state = 'thinking';
			[, closing] = tag;
			held = text.slice(tag[0].length);
			skipsSpace = true;
			return think();
		}

		if (tags.some(([open]) => open.startsWith(text))) {
			return [];
		}

		state = 'text';
		return take('text', held.length);
	};

	const think = (): readonly SpokenPiece[] => {
		const end = held.indexOf(closing);
		if (end < 0) {
			return take('reasoning', held.length - overlap(held, closing));
		}

		const thought = take('reasoning', end, true);
		held = held.slice(closing.length);
		state = 'text';
		skipsSpace = true;
		return [...thought, ...take('text', held.length)];
	};

	/** Takes so many characters off what is held. */
	const take = (kind: SpokenPiece['kind'], count: number, isLast = false): readonly SpokenPiece[] => {
		const raw = held.slice(0, count);
		held = held.slice(count);
		const text = skipsSpace ? raw.trimStart() : raw;
		skipsSpace &&= text === '' && !isLast;
		return text ? [{kind, text}] : [];
	};

	return {
		read(text: string): readonly SpokenPiece[] {
			held += text;
			switch (state) {
				case 'start':
					return text ? begin() : [];
				case 'thinking':
					return think();
				default:
					return take('text', held.length);
			}
		},
		/** What was held back, once nothing more comes. */
		end: (): readonly SpokenPiece[] => take(state === 'thinking' ? 'reasoning' : 'text', held.length),
	};
}

/** How many of the text's last characters may be the beginning of the tag. */
function overlap(text: string, tag: string): number {
	for (let count = Math.min(text.length, tag.length - 1); count > 0; count -= 1) {
		if (tag.startsWith(text.slice(-count))) {
			return count;
		}
	}

	return 0;
}
