import {type Block, type CommandBlock, isWaitingForUser} from '../../core/session/block.ts';
import {type Transcript, waitingNotice} from '../../core/session/transcript.ts';
import type {SessionSlice} from '../../store/session-slice.ts';
import type {MarkdownStream} from '../../terminal/markdown/markdown-stream.ts';
import {truncate} from '../../terminal/text/width.ts';
import {type Kind, spacedAfter, type Written} from '../screen/written.ts';
import {blockItem, type CallMotion, type DrawingTools} from './block-item.ts';
import {isUnseen, joinReads, joins, mayJoin, type Shown} from './read-group.ts';

/** What blocks are drawn with. */
export type Drawing = {
	readonly style: DrawingTools;
	readonly written: Written;
	/** The text that is still growing. */
	readonly text: OpenText;
	readonly width: () => number;
	/** Returns how running calls are drawn now; without a time they don't move. */
	readonly motion: () => CallMotion;
	/** True to draw adjacent calls that read as one line. */
	readonly joinsReads: boolean;
	/** Returns what of the output of the user's command is not on the screen yet. */
	readonly unheard: (command: CommandBlock) => string;
	/** Returns true if the screen already shows this message as it was typed. */
	readonly isOnScreen: (text: string) => boolean;
};

/** What is drawn: the transcript, and the calls that are being written. */
type ShownState = Pick<SessionSlice, 'transcript' | 'drafts'>;

/** Lines to write once, and lines to draw again because they may change. */
export type DrawnLines = {readonly settled: readonly string[]; readonly live: readonly string[]};

/** How much of the transcript is on the screen. */
type TranscriptProgress = {
	/** Returns the lines that the transcript has gained since the last call. */
	readonly next: (state: ShownState) => DrawnLines;
	/** Returns the lines of what isn't written yet, for a screen that is drawn again. */
	readonly unwritten: (state: ShownState) => DrawnLines;
	/** Returns the lines of calls that wait for others to be drawn with, because something else is written now. */
	readonly cut: () => readonly string[];
	/** Opens a session that shares its blocks with the current one, without writing them again. */
	readonly keepScreen: (open: () => Promise<void>) => Promise<void>;
};

/** Most lines of an earlier session that are written when it is resumed. */
const maxResumedLines = 1000;

export function createTranscriptProgress(drawing: Drawing): TranscriptProgress {
	let session: string | undefined;
	let settledCount = 0;
	let isShared = false;
	/** Finished calls that read. They become one line when it is certain that no other joins them. */
	let reads: readonly Block[] = [];

	const enterSession = (transcript: Transcript): readonly string[] => {
		session = transcript.session;
		settledCount = transcript.settled.length;
		reads = [];
		drawing.text.forget();
		return isShared ? [] : resumedLines(transcript.settled, drawing);
	};

	const cut = () => {
		const lines = joinReads(reads).flatMap(group => settledLines(group, drawing));
		reads = [];
		return lines;
	};

	const take = (block: Block): readonly string[] => {
		if (drawing.joinsReads && joins(block)) {
			reads = [...reads, block];
			return [];
		}

		return isUnseen(block) || isPassing(block, drawing) ? [] : [...cut(), ...settledLines(block, drawing)];
	};

	return {
		next({transcript, drafts}) {
			const lines: string[] = transcript.session === session ? [] : [...enterSession(transcript)];
			for (const block of transcript.settled.slice(settledCount)) {
				lines.push(...take(block));
			}

			settledCount = transcript.settled.length;
			lines.push(...(endsReads(transcript) ? cut() : []));
			const {settled, live} = openLines({transcript, drafts}, reads, drawing);
			return {settled: [...lines, ...settled], live};
		},
		unwritten: state => openLines(state, reads, drawing),
		cut,
		async keepScreen(open) {
			isShared = true;
			try {
				await open();
			} finally {
				isShared = false;
			}
		},
	};
}

/** True if no call joins the finished ones any more. */
function endsReads({open, run}: Transcript): boolean {
	const next = open.find(block => !isUnseen(block));
	return next ? !mayJoin(next) : run === undefined;
}

/** Returns the lines of a finished block that are not on the screen yet. */
function settledLines(block: Shown, {style, written, text, width, isOnScreen, unheard}: Drawing): readonly string[] {
	if (block.kind === 'user' && isOnScreen(block.text)) {
		return [];
	}

	const item = blockItem(block.kind === 'command' ? {...block, output: unheard(block)} : block, style);
	written.remember(item);
	// What was shown as a text may turn out to be reasoning: its lines stay until the screen is drawn again.
	const rest = block.kind === 'text' || block.kind === 'reasoning' ? text.end(block) : undefined;
	if (rest && block.kind === 'reasoning') {
		return [...rest, style.palette.dim('✻ The text above was reasoning.')];
	}

	return rest ?? written.spaced(item.kind, item.draw(width()));
}

/**
 * Returns the lines of finished calls that others may join, of the unfinished blocks, and of the calls that are being
 * written: those of a text that no longer change, and all others as live ones.
 */
function openLines({transcript, drafts}: ShownState, reads: readonly Block[], drawing: Drawing): DrawnLines {
	const {style, written, text, width, joinsReads} = drawing;
	const open = transcript.open.filter(block => !isUnseen(block) && !isPassing(block, drawing));
	const motion = drawing.motion();
	const [first] = open;
	const {settled, live} = first?.kind === 'text' ? text.grow(first) : {settled: [], live: []};
	const lines = [...live];
	let last: Kind | undefined = live.length > 0 ? 'text' : written.last;
	const others = [...reads, ...(first?.kind === 'text' ? open.slice(1) : open)];
	let isHeldUp = false;
	for (const block of joinsReads ? joinReads(others) : others) {
		const {kind, draw} = blockItem(block, style, isHeldUp && block.kind === 'tool' ? {} : motion);
		isHeldUp ||= holdsUp(block);
		if (isAsked(block)) {
			continue;
		}

		const drawn = spacedAfter(last, kind, draw(width()));
		lines.push(...drawn);
		last = drawn.length > 0 ? kind : last;
	}

	const wait = joinsReads && transcript.run ? waitingNotice(transcript) : undefined;
	if (wait) {
		lines.push(...spacedAfter(last, wait.kind, blockItem(wait, style).draw(width())));
		last = wait.kind;
	}

	for (const draft of drafts) {
		lines.push(
			...spacedAfter(last, 'tool', style.tools.draftLines(draft, {width: width(), palette: style.palette, ...motion})),
		);
		last = 'tool';
	}

	return {settled, live: lines};
}

/** True for the notice of a wait, which is on the screen only while it lasts: without a live region, it stays. */
function isPassing(block: Block, {joinsReads}: Pick<Drawing, 'joinsReads'>): boolean {
	return joinsReads && block.kind === 'notice' && block.until !== undefined;
}

/** True for a call whose question stands below, in full, or comes up next: a row of its own would say the same twice. */
function isAsked(block: Shown): boolean {
	return block.kind === 'tool' && block.open && isWaitingForUser(block);
}

/** True for a call that those after it wait for: they run alone and in order. */
function holdsUp(block: Shown): boolean {
	return block.kind === 'tool' && block.open && (isWaitingForUser(block) || block.name === 'run_command');
}

/** Returns the last lines of a session that is resumed, below a note if there are more. */
function resumedLines(all: readonly Block[], {style, written, width, joinsReads}: Drawing): readonly string[] {
	const blocks = all.filter(block => !isPassing(block, {joinsReads}));
	const shown: readonly Shown[] = joinsReads ? joinReads(blocks) : blocks.filter(block => !isUnseen(block));
	const items = shown.map(block => blockItem(block, style));
	const {lines, whole} = written.append(items, maxResumedLines, width());
	return whole
		? lines
		: [style.palette.dim(truncate('… earlier messages are not shown; /export has them all', width())), ...lines];
}

/** A block of text that may still grow. */
type TextBlock = {readonly id: string; readonly text: string};

type Dependencies = {
	readonly written: Written;
	/** The line that says who speaks, if any. */
	readonly speaker: readonly string[];
	/** Creates a Markdown stream for the current size of the window. */
	readonly createStream: () => MarkdownStream;
	/** Returns the current size of the window, for a stream that is already open. */
	readonly size: () => Parameters<MarkdownStream['resize']>[0];
};

/** The text that is still growing; at most one. Its finished lines are written once, the others are drawn again. */
type OpenText = {
	/** Draws the text so far. Returns the lines finished since the last call, and those that may still change. */
	readonly grow: (block: TextBlock) => {readonly settled: readonly string[]; readonly live: readonly string[]};
	/** Returns the lines of a completed text that aren't written yet; undefined if it didn't grow here. */
	readonly end: (block: TextBlock) => readonly string[] | undefined;
	/** Notes that something else was written below its lines. */
	readonly cut: () => void;
	/** Draws its unwritten lines at the current size of the window. */
	readonly resize: () => void;
	/** Starts over: draws the text from its beginning next time. */
	readonly forget: () => void;
	/** Draws a text of every kind of block, without keeping anything. */
	readonly rehearse: () => void;
};

/** `isBegun` once lines of it were written; `isCut` while something else stands below them. */
type OpenBlock = {
	readonly id: string;
	readonly stream: MarkdownStream;
	readonly speaker: readonly string[];
	isBegun: boolean;
	isCut: boolean;
};

/** Most kinds of blocks, each once. */
const rehearsed = 'A **word**:\n\n- one\n\n~~~\ntwo\n~~~\n\nthree';

export function createOpenText({written, speaker, createStream, size}: Dependencies): OpenText {
	let open: OpenBlock | undefined;

	return {
		grow(block) {
			open ??= {id: block.id, stream: createStream(), isBegun: false, isCut: false, speaker};
			const {settled, live} = open.stream.push(block.text);
			const lines = separated(open, settled, written);
			if (lines.length > 0) {
				open.isBegun = true;
				open.isCut = false;
			}

			if (open.isBegun) {
				written.last = 'text';
			}

			return {settled: lines, live: separated(open, live, written)};
		},
		end(block) {
			if (open?.id !== block.id) {
				return undefined;
			}

			const lines = separated(open, open.stream.end(block.text), written);
			open = undefined;
			written.last = 'text';
			return lines;
		},
		cut() {
			if (open) {
				open.isCut = true;
			}
		},
		resize() {
			open?.stream.resize(size());
		},
		forget() {
			open = undefined;
		},
		rehearse() {
			const stream = createStream();
			stream.push(rehearsed);
			stream.end(rehearsed);
		},
	};
}

/** Returns lines of the text below the blank line that separates them from what is above, if any is needed. */
function separated(open: OpenBlock, lines: readonly string[], {last}: Written): readonly string[] {
	if (!open.isBegun) {
		return spacedAfter(last, 'text', lines.length > 0 ? [...open.speaker, ...lines] : lines);
	}

	return open.isCut && lines.length > 0 && lines[0] !== '' ? ['', ...lines] : lines;
}
