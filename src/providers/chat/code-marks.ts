/** Finds where a growing Markdown text is code, so that a tag that an answer only quotes stays a part of it. */
export type CodeMarks = {
	/** Adds the next piece of the text. */
	readonly add: (text: string) => void;
	/** Returns whether the next character would be in a fence, or behind an open code span of its line. */
	readonly isCode: () => boolean;
};

/** Most characters of a line that may be a fence with its language. */
const maxFence = 200;

export function createCodeMarks(): CodeMarks {
	/** The beginning of the current line. */
	let line = '';
	/** The fence that is open. */
	let fence = '';
	/** The number of backticks that opened the span of the current line, and of those at its end. */
	let span = 0;
	let run = 0;

	const endRun = () => {
		span = run === 0 ? span : span === 0 ? run : span === run ? 0 : span;
		run = 0;
	};
	const addToLine = (text: string) => {
		line += line.length < maxFence ? text.slice(0, maxFence - line.length) : '';
		if (run === 0 && !text.includes('`')) {
			return;
		}

		for (const [piece] of text.matchAll(/`+|[^`]+/g)) {
			if (piece.startsWith('`')) {
				run += piece.length;
			} else {
				endRun();
			}
		}
	};

	return {
		add(text) {
			const [first = '', ...others] = text.split('\n');
			addToLine(first);
			for (const next of others) {
				fence = fenceAfter(fence, line);
				line = '';
				span = 0;
				run = 0;
				addToLine(next);
			}
		},
		isCode() {
			endRun();
			return fence !== '' || fenceAfter('', line) !== '' || span > 0;
		},
	};
}

function fenceAfter(open: string, line: string): string {
	const [, fence = '', info = ''] = /^[\s>]*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
	if (open === '') {
		return info.includes('`') ? '' : fence;
	}

	return fence.startsWith(open) && info.trim() === '' ? '' : open;
}
