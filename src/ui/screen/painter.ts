import type {Block} from '../../core/session/block.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import type {AppStore} from '../../store/store.ts';
import type {MarkdownStream} from '../../terminal/markdown/markdown-stream.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {truncate} from '../../terminal/text/width.ts';
import {blockLines} from '../transcript/block-lines.ts';
import {createOpenText} from '../transcript/open-text.ts';
import {liveLimit, rowsAbove} from './layout.ts';
import {createWritten, type Item, type Rewrapped} from './written.ts';

/** What the painter needs of the Markdown modules, which are loaded after the first frame. */
export type MarkdownTools = {
	readonly renderMarkdown: (
		source: string,
		options: {readonly width: number; readonly palette: Palette},
	) => readonly string[];
	/** The same lines, block by block. */
	readonly renderMarkdownParts: (
		source: string,
		options: {readonly width: number; readonly palette: Palette},
	) => readonly (readonly string[])[];
	readonly createMarkdownStream: (options: {
		readonly width: number;
		readonly palette: Palette;
		readonly maxLive: number;
	}) => MarkdownStream;
};

type Dependencies = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly markdown: MarkdownTools;
	/** Writes finished lines above the live region, where they become the terminal's own scrollback. */
	readonly write: (data: string) => void;
	/** True for a message that stands on the screen already, as it was typed; none does by default. */
	readonly isOnScreen?: ((text: string) => boolean) | undefined;
};

export type Painter = {
	/** Draws what the store says; called after each change of it. */
	readonly advance: () => void;
	/** Writes something that is not part of the conversation, such as the answer of a command. */
	readonly print: (draw: (width: number) => readonly string[]) => void;
	/** Forgets what was written and gives the last lines again at the present width, after the screen was wiped. */
	readonly repaint: () => void;
	/** The last ones of these lines, which were written at that width, at the present one. */
	readonly rewrap: (lines: readonly string[], before: number) => Rewrapped;
	/** Draws what may still change at the present size of the window; what is written stays as it is. */
	readonly resize: () => void;
	/** Opens a session that shares its blocks with this one: they stand on the screen already and are not written again. */
	readonly keepScreen: (open: () => Promise<void>) => Promise<void>;
	/** Writes nothing until `release`, which writes all that came meanwhile: something else has the window. */
	readonly hold: () => void;
	readonly release: () => void;
	/** Forgets what was written, after the user had it wiped. */
	readonly forget: () => void;
};

/** Most lines of an earlier session that are written when it is resumed. */
const mostResumed = 1000;

/** Turns the transcript into lines: each block once, finished lines to the scrollback, the rest to the live region. */
export function createPainter({store, palette, markdown, write, isOnScreen = () => false}: Dependencies): Painter {
	const written = createWritten();
	let session: string | undefined;
	let settledCount = 0;
	let keeping = false;
	/** What is to be written as soon as the window is ours again; undefined while it is. */
	let held: Array<() => void> | undefined;

	const width = () => store.getState().size.columns;
	const style = (columns: number) => ({width: columns, palette});
	const streamSize = () => ({width: width(), maxLive: liveLimit(store.getState().size.rows)});
	const text = createOpenText({
		written,
		createStream: () => markdown.createMarkdownStream({palette, ...streamSize()}),
		size: streamSize,
	});

	const itemOf = (block: Block): Item => ({
		kind: block.kind,
		draw: columns =>
			block.kind === 'text' ? markdown.renderMarkdown(block.text, style(columns)) : blockLines(block, style(columns)),
		...(block.kind === 'text' && {parts: columns => markdown.renderMarkdownParts(block.text, style(columns))}),
	});

	const settledLines = (block: Block): readonly string[] => {
		if (block.kind === 'user' && isOnScreen(block.text)) {
			return [];
		}

		const item = itemOf(block);
		written.remember(item);
		const rest = block.kind === 'text' ? text.end(block) : undefined;
		return rest ?? written.spaced(block.kind, item.draw(width()));
	};

	/** The open blocks: finished lines of a text that still grows, and everything that may yet change. */
	const openLines = (
		open: readonly Block[],
	): {readonly settled: readonly string[]; readonly live: readonly string[]} => {
		const before = written.last;
		const [first] = open;
		const {settled, live} = first?.kind === 'text' ? text.grow(first) : {settled: [], live: []};
		const others = first?.kind === 'text' ? open.slice(1) : open;
		const lines = others.flatMap(block => written.spaced(block.kind, itemOf(block).draw(width())));
		// What may yet change is not written.
		written.last = text.isBegun() ? 'text' : before;
		return {settled, live: [...live, ...lines]};
	};

	const show = (lines: readonly string[], live: readonly string[]) => {
		if (lines.length > 0) {
			write(`${lines.join('\n')}\n`);
		}

		const {live: shown, setLive} = store.getState();
		if (shown.length !== live.length || live.some((line, index) => line !== shown[index])) {
			setLive(live);
		}
	};

	const resumed = (transcript: Transcript): readonly string[] => {
		const before = written.last;
		session = transcript.session;
		settledCount = transcript.settled.length;
		text.forget();
		if (keeping) {
			return [];
		}

		written.forgetItems();
		for (const block of transcript.settled) {
			written.remember(itemOf(block));
		}

		const {lines, whole} = written.recent(mostResumed, width(), before);
		written.last ??= before;
		return whole && written.count() === settledCount
			? lines
			: [palette.dim(truncate('… what was said before is not drawn here; /export has it all', width())), ...lines];
	};

	const advance = () => {
		const {transcript} = store.getState();
		const lines: string[] = transcript.session === session ? [] : [...resumed(transcript)];
		while (settledCount < transcript.settled.length) {
			const block = transcript.settled[settledCount];
			lines.push(...(block ? settledLines(block) : []));
			settledCount++;
		}

		const {settled, live} = openLines(transcript.open);
		show([...lines, ...settled], live);
	};

	const print = (draw: Item['draw']) => {
		written.remember({kind: 'print', draw});
		show(written.spaced('print', draw(width())), store.getState().live);
		text.cut();
	};

	return {
		advance() {
			if (!held) {
				advance();
			}
		},
		print(draw) {
			if (held) {
				held.push(() => print(draw));
			} else {
				print(draw);
			}
		},
		hold() {
			held ??= [];
		},
		release() {
			const waiting = held ?? [];
			held = undefined;
			advance();
			for (const write of waiting) {
				write();
			}
		},
		async keepScreen(open) {
			keeping = true;
			try {
				await open();
			} finally {
				keeping = false;
			}
		},
		rewrap: (lines, before) => written.rewrap(lines, before, width()),
		resize() {
			text.resize();
			if (!held) {
				advance();
			}
		},
		forget() {
			written.forgetItems();
			written.last = undefined;
		},
		repaint() {
			text.forget();
			const state = store.getState();
			const {lines} = written.recent(state.size.rows, width());
			const {settled, live} = openLines(state.transcript.open);
			const room = rowsAbove(state, live.length);
			show(room > 0 ? [...lines, ...settled].slice(-room) : [], live);
		},
	};
}
