import type {Block} from '../../core/session/block.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import type {SessionSlice} from '../../store/session-slice.ts';
import {truncate} from '../../terminal/text/width.ts';
import type {OpenText} from '../transcript/open-text.ts';
import {blockItem, type DrawingTools} from './block-item.ts';
import {type Kind, spacedAfter, type Written} from './written.ts';

/** What blocks are drawn with. */
export type Drawing = {
	readonly style: DrawingTools;
	readonly written: Written;
	/** The text that is still growing. */
	readonly text: OpenText;
	readonly width: () => number;
	/** Returns the time in milliseconds since the epoch, if running calls move; undefined if they don't. */
	readonly now: () => number | undefined;
	/** Returns true if the screen already shows this message as it was typed. */
	readonly isOnScreen: (text: string) => boolean;
};

/** What is drawn: the transcript, and the calls that are being written. */
export type ShownState = Pick<SessionSlice, 'transcript' | 'drafts'>;

/** Lines to write once, and lines to draw again because they may change. */
export type Lines = {readonly settled: readonly string[]; readonly live: readonly string[]};

/** How much of the transcript is on the screen. */
type TranscriptProgress = {
	/** Returns the lines that the transcript has gained since the last call. */
	readonly next: (state: ShownState) => Lines;
	/** Opens a session that shares its blocks with the current one, without writing them again. */
	readonly keepScreen: (open: () => Promise<void>) => Promise<void>;
};

/** Most lines of an earlier session that are written when it is resumed. */
const maxResumedLines = 1000;

export function createTranscriptProgress(drawing: Drawing): TranscriptProgress {
	let session: string | undefined;
	let settledCount = 0;
	let isShared = false;

	const enterSession = (transcript: Transcript): readonly string[] => {
		session = transcript.session;
		settledCount = transcript.settled.length;
		drawing.text.forget();
		return isShared ? [] : resumedLines(transcript.settled, drawing);
	};

	return {
		next({transcript, drafts}) {
			const lines: string[] = transcript.session === session ? [] : [...enterSession(transcript)];
			while (settledCount < transcript.settled.length) {
				const block = transcript.settled[settledCount];
				lines.push(...(block ? settledLines(block, drawing) : []));
				settledCount++;
			}

			const {settled, live} = openLines({transcript, drafts}, drawing);
			return {settled: [...lines, ...settled], live};
		},
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

/** Returns the lines of a finished block that are not on the screen yet. */
function settledLines(block: Block, {style, written, text, width, isOnScreen}: Drawing): readonly string[] {
	if (block.kind === 'user' && isOnScreen(block.text)) {
		return [];
	}

	const item = blockItem(block, style);
	written.remember(item);
	const rest = block.kind === 'text' ? text.end(block) : undefined;
	return rest ?? written.spaced(block.kind, item.draw(width()));
}

/**
 * Returns the lines of the unfinished blocks, and of the calls that are being written: those of a text that no longer change,
 * and all others as live ones.
 */
export function openLines({transcript, drafts}: ShownState, {style, written, text, width, now}: Drawing): Lines {
	const {open} = transcript;
	const time = now();
	const [first] = open;
	const {settled, live} = first?.kind === 'text' ? text.grow(first) : {settled: [], live: []};
	const lines = [...live];
	let last: Kind | undefined = live.length > 0 ? 'text' : written.last;
	for (const block of first?.kind === 'text' ? open.slice(1) : open) {
		const drawn = spacedAfter(last, block.kind, blockItem(block, style, time).draw(width()));
		lines.push(...drawn);
		last = drawn.length > 0 ? block.kind : last;
	}

	for (const draft of drafts) {
		lines.push(
			...spacedAfter(last, 'tool', style.tools.draftLines(draft, {width: width(), palette: style.palette, now: time})),
		);
		last = 'tool';
	}

	return {settled, live: lines};
}

/** Returns the last lines of a session that is resumed, below a note if there are more. */
function resumedLines(blocks: readonly Block[], {style, written, width}: Drawing): readonly string[] {
	const {last} = written;
	written.forgetItems();
	for (const block of blocks) {
		written.remember(blockItem(block, style));
	}

	const {lines, whole} = written.recent(maxResumedLines, width(), last);
	written.last ??= last;
	return whole && written.count() === blocks.length
		? lines
		: [style.palette.dim(truncate('… earlier messages are not shown; /export has them all', width())), ...lines];
}
