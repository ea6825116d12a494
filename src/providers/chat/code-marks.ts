/** Finds where a growing Markdown text is code, so that a tag that an answer only quotes stays a part of it. */
export type CodeMarks = {
	/**
	 * Returns whether the character at an index is in a fence, or behind an open code span of its line. `index` must not be
	 * less than that of the call before.
	 */
	readonly isCode: (text: string, index: number) => boolean;
};

export function createCodeMarks(): CodeMarks {
	/** What is known up to `at`: the current line, and the fence that is open. */
	const state = {at: 0, line: '', fence: ''};
	return {
		isCode(text, index) {
			while (state.at < index) {
				const end = text.indexOf('\n', state.at);
				const isWhole = end >= 0 && end < index;
				const to = isWhole ? end : index;
				state.line += text.slice(state.at, to);
				state.at = isWhole ? to + 1 : to;
				if (isWhole) {
					state.fence = fenceAfter(state.fence, state.line);
					state.line = '';
				}
			}

			return state.fence !== '' || isFence(state.line) || hasOpenSpan(state.line);
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

/** True for the line that opens a fence, whose rest is its language. */
function isFence(line: string): boolean {
	return fenceAfter('', line) !== '';
}

function hasOpenSpan(line: string): boolean {
	let open = 0;
	for (const {length} of line.match(/`+/g) ?? []) {
		open = open === 0 ? length : open === length ? 0 : open;
	}

	return open > 0;
}
