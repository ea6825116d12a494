import {
	beginsCall,
	type CodeMarks,
	createCodeMarks,
	isBareCall,
	isCallMark,
	mayBecomeBareCall,
	mayBecomeMark,
	mayBeginCall,
} from './answer-marks.ts';

/** A piece of an answer. `reclassify`: the text since the last other piece was reasoning after all. */
export type SpokenPiece =
	| {readonly kind: 'text' | 'reasoning'; readonly text: string}
	| {readonly kind: 'reclassify'; readonly text: ''};

/** How open models mark their reasoning, if the host leaves it in the text: the tag, and what its end is. */
const openings: ReadonlyArray<readonly [opening: RegExp, closing: (word: string) => string]> = [
	// Seed-OSS and MiniMax have a prefix: <seed:think>.
	[/^<((?:[a-z]{1,12}:)?(?:think|thinking|thought|reasoning))>/i, word => `</${word}>`],
	[/^\[(THINK)\]/, word => `[/${word}]`],
	[/^\u25C1(think)\u25B7/, word => `\u25C1/${word}\u25B7`],
	[/^<\|begin_of_(thought)\|>/, word => `<|end_of_${word}|>`],
	[/^<\|START_(THINKING)\|>/, word => `<|END_${word}|>`],
	// Gemma.
	[/^<\|channel>(thought)(?=\s)/, () => '<channel|>'],
];

const closing =
	/^(?:<\/(?:[a-z]{1,12}:)?(?:think|thinking|thought|reasoning)>|\[\/THINK\]|\u25C1\/think\u25B7|<\|end_of_thought\|>|<\|END_THINKING\|>|<channel\|>)/i;
/** What some models put around the answer that follows their reasoning. */
const answerMark = /^(?:<\|begin_of_solution\|>|<\|START_RESPONSE\|>)/;
const answerEnd = /^(?:<\|end_of_solution\|>|<\|END_RESPONSE\|>)/;

/** The beginning of a message of the Harmony format: `<|channel|>analysis<|message|>`. */
const harmonyStart = /^<\|(?:start|channel)\|>/;
const harmonyHeader =
	/^(?:<\|start\|>[^<]{0,80})?(?:<\|channel\|>([^<]{0,120})(?:<\|constrain\|>[^<]{0,40})?)?<\|message\|>/;
const harmonyEnds = ['<|end|>', '<|return|>', '<|call|>', '<|start|>', '<|channel|>'] as const;

/** How much of a text decides whether a tag after it is a part of its sentence. */
const maxTail = 200;

/** Most characters of a mark. */
const maxMark = 300;

type State = {
	/** `call`: the rest may be a call that is written as text. */
	phase: 'start' | 'thinking' | 'text' | 'call';
	/** The marks that end the reasoning. */
	closings: readonly string[];
	/** Text that isn't taken yet: it may still become a mark. */
	held: string;
	/** What of the text since the last other piece is code, its end, and whether it is more than white space. */
	code: CodeMarks;
	tail: string;
	hasText: boolean;
	/** The text since the last mark. */
	taken: string;
	/** Tags that the text itself opened. */
	opened: number;
	/** True next to a tag: white space there belongs to neither side. */
	skipsSpace: boolean;
	/** True while the reasoning has no opening tag of its own. */
	isAssumed: boolean;
	/** The reasoning so far, as long as it may turn out to be the answer. */
	assumed: string;
	isHarmony: boolean;
	hasAnswerMark: boolean;
};

/**
 * Separates the reasoning in a text from the answer. It stands at the beginning, between tags; templates that open it in
 * the prompt leave only the tag that ends it. The text may be cut anywhere: what could still become a tag is held back
 * until more comes, or `end` is called. What the answer quotes as code stays a part of it.
 *
 * `assumesReasoning` is true for a model that was seen to leave out the first tag. `holdsCalls` is true to hold back an
 * end of the text that may be a call of a tool.
 */
export function createAnswerSplitter({
	assumesReasoning,
	holdsCalls,
}: {
	readonly assumesReasoning: boolean;
	readonly holdsCalls: boolean;
}) {
	const state: State = {
		phase: 'start',
		closings: [],
		held: '',
		code: createCodeMarks(),
		tail: '',
		hasText: false,
		taken: '',
		opened: 0,
		skipsSpace: false,
		isAssumed: assumesReasoning,
		assumed: '',
		isHarmony: false,
		hasAnswerMark: false,
	};
	let lacksOpening = false;

	const advance = (isEnd: boolean): readonly SpokenPiece[] => {
		const pieces: SpokenPiece[] = [];
		for (let next = step(state, holdsCalls, isEnd); next; next = step(state, holdsCalls, isEnd)) {
			lacksOpening ||= next.some(({kind}) => kind === 'reclassify');
			pieces.push(...next);
		}

		return pieces;
	};

	return {
		read(text: string): readonly SpokenPiece[] {
			// Nearly every piece is plain text.
			if (state.phase === 'text' && state.held === '' && !state.skipsSpace && !/[<[\u25C1]/.test(text)) {
				state.taken += text;
				return text ? [{kind: 'text', text}] : [];
			}

			state.held += text;
			return advance(false);
		},
		/** Stops assuming reasoning: the host has sent it apart. */
		assumeText() {
			state.isAssumed = false;
		},
		/** Returns the text that was held back, and its end that may be a call. */
		end(): {readonly pieces: readonly SpokenPiece[]; readonly call: string} {
			const pieces = [...advance(true)];
			const isUnclosed = state.phase === 'thinking' && state.assumed.trim() !== '';
			if (isUnclosed) {
				pieces.push({kind: 'text', text: state.assumed.trim()});
			}

			const call = state.phase === 'call' ? state.held : '';
			return {pieces, call};
		},
		/** True if an answer began with reasoning without an opening tag. */
		lacksOpening: () => lacksOpening,
	};
}

/** Removes what is certain from the text that is held, and returns it; undefined if that needs more text. */
function step(state: State, holdsCalls: boolean, isEnd: boolean): readonly SpokenPiece[] | undefined {
	if (state.held === '') {
		return undefined;
	}

	switch (state.phase) {
		case 'start':
			return readStart(state, holdsCalls, isEnd);
		case 'thinking':
			return readThinking(state, isEnd);
		case 'text':
			return readText(state, holdsCalls, isEnd);
		default:
			return undefined;
	}
}

function readStart(state: State, holdsCalls: boolean, isEnd: boolean): readonly SpokenPiece[] | undefined {
	const text = state.held.trimStart();
	if (harmonyStart.test(text)) {
		if (readHeader(state, text)) {
			return [];
		}

		if (!isEnd && text.length < maxMark) {
			return undefined;
		}
	}

	for (const [opening, close] of openings) {
		const [mark, word] = opening.exec(text) ?? [];
		if (mark !== undefined && word !== undefined) {
			think(state, text.slice(mark.length), [close(word)]);
			return [];
		}
	}

	const [mark = ''] = answerMark.exec(text) ?? [];
	if (mark) {
		state.held = text.slice(mark.length);
		state.hasAnswerMark = true;
		state.skipsSpace = true;
		return [];
	}

	if (holdsCalls && isBareCall(text)) {
		state.phase = 'call';
		return undefined;
	}

	const isShort = text.length < maxMark;
	if (!isEnd && isShort && (text === '' || mayBecomeMark(text) || (holdsCalls && mayBecomeBareCall(text)))) {
		return undefined;
	}

	if (state.isAssumed) {
		think(state, state.held, ['</think>', '</thinking>', '</thought>', '</reasoning>', '[/THINK]']);
		state.isAssumed = true;
		return [];
	}

	beginText(state, state.held);
	return [];
}

function beginText(state: State, held: string): void {
	state.phase = 'text';
	state.held = held;
	state.code = createCodeMarks();
	state.tail = '';
	state.hasText = false;
	state.taken = '';
	state.opened = 0;
}

/** Looks at the text that was taken since the last mark. Nearly every piece has none, so that it isn't looked at before. */
function lookBack(state: State): void {
	const {taken} = state;
	state.taken = '';
	state.code.add(taken);
	state.tail = (state.tail + taken).slice(-maxTail);
	state.hasText ||= taken.trim() !== '';
}

/** Begins reasoning that one of these marks ends. */
function think(state: State, rest: string, closings: readonly string[]): void {
	state.phase = 'thinking';
	state.closings = closings;
	state.held = rest;
	state.skipsSpace = true;
	state.isAssumed = false;
}

/** Reads the header of a message of the Harmony format. Returns false until it is complete. */
function readHeader(state: State, text: string): boolean {
	const [header, channel = 'final'] = harmonyHeader.exec(text) ?? [];
	if (header === undefined) {
		return false;
	}

	state.isHarmony = true;
	if (/\bto=/.test(header)) {
		state.phase = 'call';
		state.held = text;
	} else if (/^\s*analysis/.test(channel)) {
		think(state, text.slice(header.length), harmonyEnds);
	} else {
		beginText(state, text.slice(header.length));
	}

	return true;
}

function readThinking(state: State, isEnd: boolean): readonly SpokenPiece[] | undefined {
	const {held, closings} = state;
	const found = closings.map(close => ({close, at: held.indexOf(close)})).filter(({at}) => at >= 0);
	const first = found.toSorted((one, other) => one.at - other.at)[0];
	if (!first) {
		const count = isEnd ? held.length : held.length - Math.max(...closings.map(close => overlap(held, close)));
		return count > 0 ? take(state, 'reasoning', count) : undefined;
	}

	const thought = take(state, 'reasoning', first.at, true);
	state.held = state.held.slice(state.isHarmony && /start|channel/.test(first.close) ? 0 : first.close.length);
	state.phase = 'start';
	state.isAssumed = false;
	state.assumed = '';
	state.skipsSpace = true;
	return thought;
}

/** The next place in a text where a mark may begin. */
const markStart = /<(?=[/|\uFF5Ca-z]|$)|\[(?=\/?[A-Z]|\/?$)|\u25C1/gi;

function readText(state: State, holdsCalls: boolean, isEnd: boolean): readonly SpokenPiece[] | undefined {
	const {held} = state;
	markStart.lastIndex = 0;
	for (let match = markStart.exec(held); match; match = markStart.exec(held)) {
		const {index} = match;
		const rest = held.slice(index, index + maxMark);
		const [close] = closing.exec(rest) ?? [];
		const isHeld = !isEnd && rest.length < maxMark && mayBecomeMark(rest);
		const isMark = close !== undefined || isHeld || isOpening(rest) || answerEnd.test(rest) || isCallMark(rest);
		if (!isMark && !(state.isHarmony && rest.startsWith('<|'))) {
			continue;
		}

		if (index > 0) {
			return take(state, 'text', index);
		}

		if (isHeld) {
			return undefined;
		}

		return readMark(state, rest, close, holdsCalls, isEnd);
	}

	return take(state, 'text', held.length);
}

/** Reads the mark that the held text begins with. Returns undefined if what it means depends on what follows. */
function readMark(
	state: State,
	rest: string,
	close: string | undefined,
	holdsCalls: boolean,
	isEnd: boolean,
): readonly SpokenPiece[] | undefined {
	lookBack(state);
	const {tail, code} = state;
	const end = state.isHarmony ? harmonyEnds.find(mark => rest.startsWith(mark)) : undefined;
	if (end !== undefined) {
		state.held = state.held.slice(/start|channel/.test(end) ? 0 : end.length);
		state.phase = 'start';
		state.skipsSpace = false;
		return [];
	}

	if (code.isCode()) {
		return take(state, 'text', 1);
	}

	const [answered = ''] = answerEnd.exec(rest) ?? [];
	if (answered && state.hasAnswerMark) {
		state.held = state.held.slice(answered.length);
		return [];
	}

	if (isOpening(rest)) {
		state.opened += 1;
		return take(state, 'text', 1);
	}

	if (close !== undefined) {
		const after = rest.slice(close.length);
		if (!isEnd && after.trim() === '' && !after.includes('\n')) {
			return undefined;
		}

		if (state.opened > 0 || isMentioned(tail, after)) {
			state.opened = Math.max(0, state.opened - 1);
			return take(state, 'text', close.length);
		}

		state.held = state.held.slice(close.length);
		state.phase = 'start';
		state.skipsSpace = true;
		return state.hasText ? [{kind: 'reclassify', text: ''}] : [];
	}

	if (holdsCalls && isCallMark(rest) && isSentenceEnd(tail)) {
		if (beginsCall(rest)) {
			state.phase = 'call';
			return undefined;
		}

		if (!isEnd && rest.length < maxMark && mayBeginCall(rest)) {
			return undefined;
		}
	}

	return take(state, 'text', 1);
}

function isOpening(text: string): boolean {
	return openings.some(([opening]) => opening.test(text));
}

/** True for a tag that a sentence is about: “the </think> tag ends it”, “it ends with "</think>"”. */
function isMentioned(tail: string, after: string): boolean {
	const isQuoted = /["'“‘«]$/.test(tail) && /^["'”’»]/.test(after);
	const isInSentence = /[\p{L}\p{N},] +$/u.test(tail) && /^(?: +\p{Ll}|[ \t]*[,.;:!?)])/u.test(after);
	return isQuoted || isInSentence;
}

/** True where a sentence or a line ends: a call doesn't stand within one. */
function isSentenceEnd(tail: string): boolean {
	return /(?:^|\n|[.!?…:;。！？：)>*])[ \t]*$/.test(tail);
}

/** Removes that many characters from the held text and returns them as a piece. */
function take(state: State, kind: 'text' | 'reasoning', count: number, isLast = false): readonly SpokenPiece[] {
	const raw = state.held.slice(0, count);
	state.held = state.held.slice(count);
	const text = state.skipsSpace ? raw.trimStart() : raw;
	state.skipsSpace &&= text === '' && !isLast;
	if (kind === 'text') {
		state.taken += text;
	} else if (state.isAssumed) {
		state.assumed += text;
	}

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
