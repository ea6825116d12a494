import type {Block} from '../core/block.ts';
import type {Transcript} from '../core/transcript.ts';
import type {Size} from '../store/view-slice.ts';
import {chordOf, type InputToken} from '../terminal/input-token.ts';
import {safeLine} from '../terminal/safe-text.ts';
import type {Palette} from '../terminal/style.ts';
import {truncate} from '../terminal/width.ts';
import {detailLines, hasDetail} from './block-detail.ts';
import {blockLines} from './block-lines.ts';
import {callAt, isShown, searchable, textOf} from './block-text.ts';
import type {FullScreenView} from './full-screen.ts';
import {isBelow, lastPosition, moveBy, type Position, reveal} from './transcript-position.ts';

type Dependencies = {
	/** The transcript as it is now; it may grow while it is read. */
	readonly transcript: () => Transcript;
	readonly palette: Palette;
	readonly renderMarkdown: (
		source: string,
		options: {readonly width: number; readonly palette: Palette},
	) => readonly string[];
	readonly invalidate: () => void;
	readonly close: () => void;
	/** Copies a text; false where the terminal cannot. */
	readonly copy: (text: string) => boolean;
	/** Shows a log, of the environment that a call names if it is open, at its moment (ms since the epoch); false for none. */
	readonly openLogAt: (at: number, environment: unknown) => boolean;
	/** The moment whose tool call is chosen, in milliseconds since the epoch; else the end is shown. */
	readonly at?: number | undefined;
};

/** The bar before a block, and the title and the line at the bottom. */
const gutter = 2;
const frame = 2;

/** Everything that was said, with what the conversation leaves out: thoughts, arguments and outputs in full. */
export function createTranscriptView(dependencies: Dependencies): FullScreenView {
	const {transcript, palette, renderMarkdown, invalidate, close, copy, openLogAt, at} = dependencies;
	const expanded = new Set<number>();
	const drawn = new Map<number, {readonly block: Block; readonly key: string; readonly lines: readonly string[]}>();
	let size: Size = {columns: 80, rows: 24};
	let top: Position | undefined;
	let chosen: number | undefined;
	let isFollowing = at === undefined;
	let search = '';
	let typing: string | undefined;
	let note = '';

	const blocks = (): readonly Block[] => {
		const {settled, open} = transcript();
		return [...settled, ...open].filter(isShown);
	};

	if (at !== undefined) {
		chosen = callAt(blocks(), at);
		top = {block: chosen, line: 0};
	}

	const linesOf = (all: readonly Block[], index: number): readonly string[] => {
		const block = all[index];
		if (!block) {
			return [];
		}

		const key = `${size.columns} ${expanded.has(index)}`;
		const known = drawn.get(index);
		if (known?.block === block && known.key === key) {
			return known.lines;
		}

		const style = {width: size.columns - gutter, palette};
		const lines = expanded.has(index)
			? detailLines(block, style)
			: block.kind === 'text'
				? renderMarkdown(block.text, style)
				: blockLines(block, style);
		// A blank line parts it from the next one, and none from the one before.
		const spaced = [...lines.slice(lines.findIndex(line => line !== '')), ''];
		drawn.set(index, {block, key, lines: spaced});
		return spaced;
	};

	const heightsOf = (all: readonly Block[]) => ({
		count: all.length,
		of: (index: number) => linesOf(all, index).length,
	});
	const room = () => Math.max(1, size.rows - frame);

	/** Where one reads, and the chosen block, as far as they are still there. */
	const place = (all: readonly Block[]) => {
		const last = lastPosition(room(), heightsOf(all));
		const at = top === undefined || isFollowing || isBelow(top, last) ? last : top;
		return {at, selected: Math.min(chosen ?? all.length - 1, all.length - 1)};
	};

	const choose = (index: number) => {
		const all = blocks();
		const next = Math.max(0, Math.min(index, all.length - 1));
		top = reveal(place(all).at, next, room(), heightsOf(all));
		chosen = next;
		isFollowing = next === all.length - 1;
	};

	const scroll = (lines: number) => {
		const all = blocks();
		const heights = heightsOf(all);
		top = moveBy(place(all).at, lines, heights);
		isFollowing = !isBelow(lastPosition(room(), heights), top);
		chosen = isFollowing ? all.length - 1 : top.block;
	};

	const find = (direction: 1 | -1) => {
		const all = blocks();
		const wanted = search.toLowerCase();
		const from = place(all).selected;
		for (let step = 1; step <= all.length; step++) {
			const index = (from + direction * step + all.length * step) % all.length;
			if (searchable(all[index]).includes(wanted)) {
				choose(index);
				return;
			}
		}

		note = `“${search}” is nowhere here.`;
	};

	const onTyping = (token: InputToken, text: string) => {
		const chord = token.type === 'key' ? chordOf(token) : '';
		if (token.type === 'text' || token.type === 'paste') {
			typing = text + token.text.replace(/\s+/g, ' ');
		} else if (chord === 'backspace') {
			typing = text.slice(0, -1);
		} else if (chord === 'escape' || chord === 'ctrl+c') {
			typing = undefined;
		} else if (chord === 'enter') {
			typing = undefined;
			search = text;
			if (search) {
				find(-1);
			}
		}
	};

	const onKey = (key: string) => {
		const all = blocks();
		const {selected} = place(all);
		const block = all[selected];
		switch (key) {
			case 'q':
			case 'escape':
			case 'ctrl+c':
			case 'ctrl+o':
				close();
				break;
			case 'up':
			case 'k':
				choose(selected - 1);
				break;
			case 'down':
			case 'j':
				choose(selected + 1);
				break;
			case 'page-up':
				scroll(1 - room());
				break;
			case 'page-down':
			case 'space':
				scroll(room() - 1);
				break;
			case 'home':
			case 'g':
				choose(0);
				break;
			case 'end':
			case 'G':
				choose(all.length - 1);
				break;
			case 'enter':
				if (block && hasDetail(block)) {
					expanded[expanded.has(selected) ? 'delete' : 'add'](selected);
					choose(selected);
				}

				break;
			case '/':
				typing = '';
				break;
			case 'n':
			case 'N':
				if (search) {
					find(key === 'n' ? -1 : 1);
				}

				break;
			case 'c':
				note = block && copy(textOf(block)) ? 'Copied.' : 'This terminal takes no copy.';
				break;
			case 'L':
				if (block?.kind !== 'tool') {
					note = 'Choose a tool call first.';
				} else if (!openLogAt(Date.parse(block.at), block.arguments['environment'])) {
					note = 'No log is open: /env logs <id> opens one.';
				}

				break;
			default:
		}
	};

	return {
		draw(now) {
			size = now;
			const all = blocks();
			const {at, selected} = place(all);
			const lines: string[] = [];
			for (let index = at.block; index < all.length && lines.length < room(); index++) {
				const bar = index === selected ? palette.accent('▌ ') : '  ';
				const its = linesOf(all, index).slice(index === at.block ? at.line : 0);
				lines.push(...its.map((line, row) => (row === its.length - 1 && !line ? '' : bar + line)));
			}

			const body = lines.slice(0, room());
			const count = all.length === 0 ? 'nothing was said yet' : `${selected + 1} of ${all.length}`;
			const keys = 'Enter opens · / search · c copies · L log · Esc back';
			const bottom = typing === undefined ? palette.dim(note || keys) : `/${safeLine(typing)}`;
			return [
				palette.label(truncate(`Transcript · ${count}${isFollowing ? '' : ' · End follows'}`, size.columns)),
				...body,
				...Array.from({length: room() - body.length}, () => ''),
				truncate(bottom, size.columns),
			];
		},
		caret: () =>
			typing === undefined ? undefined : {row: size.rows - 1, column: Math.min(size.columns - 1, typing.length + 1)},
		press(token) {
			note = '';
			if (typing !== undefined) {
				onTyping(token, typing);
			} else if (token.type === 'text') {
				// A key that is held down comes as a run of text.
				[...token.text].forEach(onKey);
			} else if (token.type === 'key') {
				onKey(chordOf(token));
			}

			invalidate();
		},
	};
}
