import type {Size} from '../../../store/view-slice.ts';
import type {InputToken, ReplyToken} from '../../../terminal/input/token.ts';

/** How long a resized window waits for the answer. */
const answerTimeoutMs = 250;
/** An answer that is this late doesn't come. */
const lostAfterMs = 5000;

/** The row of the cursor from 0, and the size of the window; undefined for what the terminal doesn't tell. */
export type CursorPlace = {readonly row: number | undefined; readonly size: Size | undefined};

type Answer = Extract<ReplyToken, {readonly reply: 'cursor-position' | 'window-size'}>;
type Question = {
	readonly reply: Answer['reply'];
	readonly askedAt: number;
	readonly end: (answer: Answer | undefined) => void;
};

/** The sizes that a terminal tells. */
type Sizes = {
	/** Returns true once the terminal has told its size. */
	readonly isKnown: () => boolean;
	/** Believes sizes as they are told. */
	readonly trust: () => void;
	/** Believes no size any more: the system keeps telling another one. */
	readonly distrust: () => void;
	/** Returns a size as the terminal means it; undefined as long as that is unknown. */
	readonly read: (told: Size) => Size | undefined;
	/** Does the same. The first answer is understood if it is the size `known`. */
	readonly readFirst: (told: Size, known: Size) => Size | undefined;
};

export type Questions = {
	/** Returns the sequence of a question, which the caller writes at once. `end` receives the answer. */
	readonly add: (reply: Answer['reply'], end: Question['end']) => string;
	readonly isAwaited: () => boolean;
	readonly sizes: Sizes;
	/** Asks for the row of the cursor, and for the size if the terminal tells it. Resolves with what it told in time. */
	readonly ask: () => Promise<CursorPlace>;
	/** Returns true if the token is an answer. A question before the one that it answers gets none any more. */
	readonly take: (token: InputToken) => boolean;
};

const sequences = {'cursor-position': '\u001B[6n', 'window-size': '\u001B[18t'} as const;
/** Asks for the cursor in the lower right corner, and moves it back: its place there is the size of the window. */
const askCorner = `\u001B7\u001B[999;999H${sequences['cursor-position']}\u001B8`;

/** Reads the sizes that a terminal tells. */
function createSizes(): Sizes {
	/** True if it tells the columns before the rows, as tmux 3.3; undefined until its first answer. */
	let isSwapped: boolean | undefined;
	let isDistrusted = false;
	const read = ({columns, rows}: Size): Size | undefined =>
		isSwapped === undefined ? undefined : isSwapped ? {columns: rows, rows: columns} : {columns, rows};
	return {
		isKnown: () => isSwapped !== undefined,
		trust() {
			isSwapped = isDistrusted ? undefined : false;
		},
		distrust() {
			isDistrusted = true;
			isSwapped = undefined;
		},
		read,
		readFirst(answer, known) {
			const isAs = (columns: number, rows: number) => answer.columns === columns && answer.rows === rows;
			if (isSwapped === undefined && !isDistrusted) {
				isSwapped = isAs(known.columns, known.rows) ? false : isAs(known.rows, known.columns) ? true : undefined;
			}

			return read(answer);
		},
	};
}

/** Returns the size of a window whose lower right corner is told. */
function cornerSize({row, column}: Extract<Answer, {readonly reply: 'cursor-position'}>): Answer {
	return {type: 'reply', reply: 'window-size', columns: column + 1, rows: row + 1};
}

/**
 * Asks the terminal where the cursor is and how large the window is. It answers in the order in which it was asked.
 * `tellsSize` returns false for a terminal that answers only the former.
 */
export function createQuestions(write: (data: string) => unknown, tellsSize = () => true): Questions {
	/** Those that wait for an answer, also for one that comes too late. */
	let asked: readonly Question[] = [];
	const sizes = createSizes();
	const waiting = () => asked.filter(({askedAt}) => Date.now() - askedAt < lostAfterMs);
	const add = (reply: Answer['reply'], end: Question['end']) => {
		const isAsked = reply === 'cursor-position' || tellsSize();
		const question: Question = isAsked ? {reply, askedAt: Date.now(), end} : cornerQuestion(end);
		asked = [...waiting(), question];
		return isAsked ? sequences[reply] : askCorner;
	};
	const cornerQuestion = (end: Question['end']): Question => {
		sizes.trust();
		const ends = (answer: Answer | undefined) =>
			end(answer?.reply === 'cursor-position' ? cornerSize(answer) : undefined);
		return {reply: 'cursor-position', askedAt: Date.now(), end: ends};
	};

	return {
		add,
		isAwaited: () => waiting().length > 0,
		sizes,
		ask: () =>
			new Promise<CursorPlace>(resolve => {
				let place: CursorPlace = {row: undefined, size: undefined};
				const timer = setTimeout(() => resolve(place), answerTimeoutMs);
				const end = (isLast: boolean) => (answer: Answer | undefined) => {
					place = answer?.reply === 'window-size' ? {...place, size: sizes.read(answer)} : {...place, row: answer?.row};
					if (isLast) {
						clearTimeout(timer);
						resolve(place);
					}
				};
				const size = sizes.isKnown() ? add('window-size', end(false)) : '';
				write(size + add('cursor-position', end(true)));
			}),
		take(token) {
			const open = waiting();
			const at = token.type === 'reply' ? open.findIndex(({reply}) => reply === token.reply) : -1;
			if (at === -1) {
				return false;
			}

			asked = open.slice(at + 1);
			for (const [index, {end}] of open.slice(0, at + 1).entries()) {
				end(index === at ? (token as Answer) : undefined);
			}

			return true;
		},
	};
}
