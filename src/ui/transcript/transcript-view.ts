import type {Block} from '../../core/session/block.ts';
import type {Transcript} from '../../core/session/transcript.ts';
import {type ComposerState, emptyComposer} from '../../editor/editor-state.ts';
import type {Size} from '../../store/view-slice.ts';
import {chordOf, type InputToken, textToken} from '../../terminal/input/token.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {drawLine, editLine} from '../line-field.ts';
import type {FullScreenView} from '../screen/full-screen.ts';
import {hasDetail} from './block-detail.ts';
import {callAt, isShown, textOf} from './block-text.ts';
import {findBlock, highlightFound} from './transcript-find.ts';
import {createTranscriptLines, type TranscriptDrawing} from './transcript-lines.ts';
import {createTranscriptReading} from './transcript-reading.ts';

type Dependencies = TranscriptDrawing & {
	/** The transcript as it is now; it may grow while it is read. */
	readonly transcript: () => Transcript;
	readonly invalidate: () => void;
	readonly close: () => void;
	readonly redraw: () => void;
	/** Hands the terminal back to the shell for a while. */
	readonly suspend: () => void;
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

const keysLine = 'Enter open · / search · c copy · L log · Esc close';

/** Everything that was said, with what the conversation leaves out: thoughts, arguments and outputs in full. */
export function createTranscriptView(dependencies: Dependencies): FullScreenView {
	const {transcript, palette, invalidate, close, redraw, suspend, copy, openLogAt, at} = dependencies;
	const linesOf = createTranscriptLines(dependencies);
	const opened = new Set<number>();
	let size: Size = {columns: 80, rows: 24};
	let search = '';
	/** What is searched for, while it is typed. */
	let field: ComposerState | undefined;
	let note = '';

	const blocks = (): readonly Block[] => {
		const {settled, open} = transcript();
		return [...settled, ...open].filter(isShown);
	};

	const drawn = (all: readonly Block[], index: number): readonly string[] => {
		const block = all[index];
		return block ? linesOf(block, index, {width: size.columns - gutter, isOpen: opened.has(index)}) : [];
	};

	const rows = () => Math.max(1, size.rows - frame);
	const reading = createTranscriptReading({
		heights() {
			const all = blocks();
			return {count: all.length, of: index => drawn(all, index).length};
		},
		rows,
		begin: at === undefined ? undefined : callAt(blocks(), at),
	});

	/** Chooses the next block that holds what is searched for, up (-1) or down, and around. */
	const find = (direction: 1 | -1) => {
		if (!search) {
			note = 'Nothing was searched yet: / begins.';
			return;
		}

		const all = blocks();
		const found = findBlock(all, search, reading.place().chosen, direction);
		const block = found && all[found.index];
		if (!found || !block) {
			note = `“${search}” is nowhere here.`;
			return;
		}

		// What a fold hides is found as well, and is to be seen then.
		if (hasDetail(block)) {
			opened.add(found.index);
		}

		reading.choose(found.index);
		note = `“${search}” · ${found.place} of ${found.count} · n up · N down`;
	};

	const toggle = (block: Block | undefined, index: number) => {
		if (!block || !hasDetail(block)) {
			note = 'There is no more of it than this.';
		} else {
			opened[opened.has(index) ? 'delete' : 'add'](index);
			reading.choose(index);
		}
	};

	const showLog = (block: Block | undefined) => {
		if (block?.kind !== 'tool') {
			note = 'Choose a tool call first.';
		} else if (!openLogAt(Date.parse(block.at), block.arguments['environment'])) {
			note = 'No log is open: /env logs <id> opens one.';
		}
	};

	const inField = (line: ComposerState, token: InputToken) => {
		switch (token.type === 'key' ? chordOf(token) : undefined) {
			case 'escape':
			case 'ctrl+c':
				field = undefined;
				break;
			case 'enter':
				field = undefined;
				search = line.text || search;
				if (search) {
					find(-1);
				}

				break;
			default:
				field = editLine(line, token);
		}
	};

	const onKey = (key: string) => {
		const {chosen} = reading.place();
		const block = blocks()[chosen];
		switch (key) {
			case 'q':
			case 'escape':
			case 'ctrl+c':
			case 'ctrl+o':
				close();
				break;
			case 'ctrl+l':
				redraw();
				break;
			case 'ctrl+z':
				suspend();
				break;
			case 'up':
			case 'k':
				reading.choose(chosen - 1);
				break;
			case 'down':
			case 'j':
				reading.choose(chosen + 1);
				break;
			case 'page-up':
			case 'b':
				reading.scroll(1 - rows());
				break;
			case 'page-down':
			case ' ':
			case 'space':
				reading.scroll(rows() - 1);
				break;
			case 'home':
			case 'g':
				reading.choose(0);
				break;
			case 'end':
			case 'G':
				reading.choose(Number.POSITIVE_INFINITY);
				break;
			case 'enter':
				toggle(block, chosen);
				break;
			case '/':
				field = emptyComposer;
				break;
			case 'n':
			case 'N':
				find(key === 'n' ? -1 : 1);
				break;
			case 'c':
				note = block && copy(textOf(block)) ? 'Copied.' : 'This terminal takes no copy.';
				break;
			case 'L':
				showLog(block);
				break;
			default:
		}
	};

	const body = (): readonly string[] => {
		const all = blocks();
		const {top, chosen} = reading.place();
		const lines: string[] = [];
		for (let index = top.block; index < all.length && lines.length < rows(); index++) {
			const bar = index === chosen ? palette.accent('▌ ') : '  ';
			const its = drawn(all, index).slice(index === top.block ? top.line : 0);
			lines.push(
				...its.map((line, row) => (row === its.length - 1 && !line ? '' : bar + highlightFound(line, search, palette))),
			);
		}

		return Array.from({length: rows()}, (_, row) => lines[row] ?? '');
	};

	return {
		draw(now) {
			size = now;
			const {columns} = now;
			const count = blocks().length;
			const place = count === 0 ? 'nothing was said yet' : `${reading.place().chosen + 1} of ${count}`;
			const title = `Transcript · ${place}${reading.isFollowing() ? '' : ' · End: jump to latest'}`;
			const bottom = field ? `/${drawLine('/', field, columns).text}` : palette.dim(safeLine(note) || keysLine);
			return [palette.label(truncate(title, columns)), ...body(), truncate(bottom, columns)];
		},
		caret: () => field && {row: size.rows - 1, column: drawLine('/', field, size.columns).column},
		press(token) {
			note = '';
			// A key that is held down comes as a run of text, and so may a slash with what is searched for.
			for (const each of token.type === 'text' ? Array.from(token.text, textToken) : [token]) {
				if (field) {
					inField(field, each);
				} else if (each.type === 'key' || each.type === 'text') {
					onKey(each.type === 'key' ? chordOf(each) : each.text);
				}
			}

			invalidate();
		},
	};
}
