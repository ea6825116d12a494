/** Writes Markdown piece by piece. White space and line ends are written only before what follows them. */
export type MarkdownWriter = {
	/** Adds text of the page. White space is joined, unless it is kept. */
	readonly text: (text: string, keepsSpace: boolean) => void;
	/** Adds markup as it is, before spans that no text has followed yet. */
	readonly mark: (markup: string) => void;
	/** Adds markup that counts as text, such as an image. */
	readonly inline: (markup: string) => void;
	/** Adds the beginning of a span once text follows. */
	readonly openMark: (markup: string) => void;
	/** Ends the last span that began with this markup, with the same or another one. */
	readonly closeMark: (markup: string, end?: string) => void;
	/** Ends the line; 2 leaves an empty line. */
	readonly break: (lines: 1 | 2) => void;
	/** Begins each further line with this. */
	readonly indent: (prefix: string) => void;
	readonly dedent: () => void;
	readonly isFull: () => boolean;
	/** Returns everything. */
	readonly end: () => string;
};

type Span = {readonly markup: string; isWritten: boolean};

type State = {
	readonly parts: string[];
	length: number;
	/** Line ends, and whether a space, come before what follows. */
	breaks: 0 | 1 | 2;
	hasSpace: boolean;
	/** True after markup that ends with a space. */
	isFresh: boolean;
	indents: number;
	prefixes: readonly string[];
	/** The prefix of the last line. */
	last: string;
	/** Spans that no text has followed yet, and those that are open. */
	waiting: readonly Span[];
	open: readonly Span[];
};

const maxIndents = 12;
/** Spans that are open at the same time; further ones are written without markup. */
const maxOpen = 32;

/** Creates a writer that stops at a length. */
export function createMarkdownWriter(maxLength: number): MarkdownWriter {
	const state: State = {
		parts: [],
		length: 0,
		breaks: 0,
		hasSpace: false,
		isFresh: false,
		indents: 0,
		prefixes: [],
		last: '',
		waiting: [],
		open: [],
	};
	return {
		text: (text, keepsSpace) => (keepsSpace ? writeKept(state, text) : writeWords(state, text)),
		mark(markup) {
			begin(state);
			push(state, markup);
			state.isFresh = markup.endsWith(' ');
		},
		inline(markup) {
			begin(state);
			writeWaiting(state);
			push(state, markup);
		},
		openMark(markup) {
			if (state.open.length < maxOpen) {
				const span = {markup, isWritten: false};
				state.open = [...state.open, span];
				state.waiting = [...state.waiting, span];
			}
		},
		closeMark: (markup, end = markup) => closeSpan(state, markup, end),
		break(lines) {
			state.breaks = lines === 2 ? 2 : state.breaks || 1;
			state.hasSpace = false;
		},
		indent(prefix) {
			state.indents++;
			state.prefixes = state.indents <= maxIndents ? [...state.prefixes, prefix] : state.prefixes;
		},
		dedent() {
			state.prefixes = state.indents <= maxIndents ? state.prefixes.slice(0, -1) : state.prefixes;
			state.indents = Math.max(0, state.indents - 1);
		},
		isFull: () => state.length > maxLength,
		end: () => state.parts.join('').slice(0, maxLength).trim(),
	};
}

function push(state: State, part: string): void {
	state.length += part.length;
	state.isFresh = false;
	state.parts.push(part);
}

/** Writes what comes before the next piece: line ends with their prefix, or a space. */
function begin(state: State): void {
	const {parts, breaks, hasSpace, last} = state;
	const prefix = state.prefixes.join('');
	if (parts.length === 0) {
		push(state, prefix);
		state.last = prefix;
	} else if (breaks > 0) {
		const between = prefix.length < last.length ? prefix : last;
		push(state, `${breaks > 1 ? `\n${between.trimEnd()}` : ''}\n${prefix}`);
		state.last = prefix;
	} else if (hasSpace) {
		push(state, ' ');
	}

	state.breaks = 0;
	state.hasSpace = false;
}

function writeWaiting(state: State): void {
	for (const span of state.waiting) {
		span.isWritten = true;
		push(state, span.markup);
	}

	state.waiting = [];
}

function writeKept(state: State, text: string): void {
	writeWaiting(state);
	for (const [index, line] of text.split(/\r?\n/).entries()) {
		if (index > 0) {
			begin(state);
			state.breaks = 1;
		}

		if (line !== '') {
			begin(state);
			push(state, line);
		}
	}
}

function writeWords(state: State, text: string): void {
	const words = text.replace(/[\s\u{200B}\u{FEFF}]+/gu, ' ');
	const trimmed = words.trim();
	state.hasSpace ||= words.startsWith(' ') && !state.isFresh;
	if (trimmed !== '') {
		begin(state);
		writeWaiting(state);
		push(state, trimmed);
		state.hasSpace = words.endsWith(' ');
	}
}

function closeSpan(state: State, markup: string, end: string): void {
	const span = state.open.findLast(other => other.markup === markup);
	if (span) {
		state.open = state.open.filter(other => other !== span);
		state.waiting = state.waiting.filter(other => other !== span);
		if (span.isWritten) {
			push(state, end);
		}
	}
}
