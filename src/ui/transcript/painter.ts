import {pressedLabel} from '../../command/keymap/pressed-label.ts';
import type {Environment} from '../../core/environment.ts';
import type {CommandBlock as UserCommand} from '../../core/session/block.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';
import {commandKeys} from '../../editor/keymap/default-keys.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {keymapOf} from '../../editor/keymap/keymap.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import {steppedTime} from '../../terminal/motion.ts';
import {answerMark} from '../../terminal/text/signs.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {wrapWide} from '../../terminal/text/wrap.ts';
import type {LiveLines} from '../screen/frame.ts';
import {liveLimit, rowsAbove} from '../screen/layout.ts';
import type {FittedPainter} from '../screen/resize/fit-window.ts';
import {createWritten, type Item} from '../screen/written.ts';
import {type BlockTools, speaker} from './block-item.ts';
import {createOpenText, createTranscriptProgress, type Drawing, type DrawnLines} from './transcript-progress.ts';

type PainterParts = {
	readonly store: AppStore;
	readonly live: LiveLines;
	readonly palette: Palette;
	/** Writes finished lines above the live region, where they become the terminal's own scrollback. */
	readonly write: (data: string) => void;
	/** Returns true if the screen already shows this message as it was typed. False by default. */
	readonly isOnScreen?: ((text: string) => boolean) | undefined;
	/** Returns what of the output of the user's command is not on the screen yet; all of it by default. */
	readonly unheard?: ((command: UserCommand) => string) | undefined;
	/** Returns the time in milliseconds since the epoch. Without it, running calls don't move. */
	readonly clock?: (() => number) | undefined;
	/** The environment of the app: another program may get its keys first. */
	readonly env?: Environment | undefined;
	/** True to begin held, until `release`. */
	readonly isHeld?: boolean | undefined;
	/** False to write each call when it is done, and lines as they are, for a screen without a live region. */
	readonly joinsReads?: boolean | undefined;
};

export type Painter = FittedPainter & {
	/** Draws the current state of the store; called after each change. */
	readonly advance: () => void;
	/** Writes something that is not part of the conversation, such as the result of a command. */
	readonly print: (draw: Item['draw']) => void;
	/** Draws otherwise what was printed, when it is drawn the next time. */
	readonly renew: (draw: Item['draw'], next: Item['draw']) => void;
	/** Opens a session that shares its blocks with the current one, without writing them again. */
	readonly keepScreen: (open: () => Promise<void>) => Promise<void>;
	/** Forgets what was written, after the user cleared the screen. */
	readonly forget: () => void;
	/** Draws an answer that nobody sees, the first time, so that the first piece of a real one doesn't wait for cold code. */
	readonly rehearse: () => void;
};

/** Creates the painter, with what draws blocks: the first frame does without it. */
export async function loadPainter(parts: PainterParts): Promise<Painter> {
	const [{renderMarkdown, renderMarkdownParts}, {createMarkdownStream}, {blockLines}, {draftLines}] = await Promise.all(
		[
			import('../../terminal/markdown/markdown.ts'),
			import('../../terminal/markdown/markdown-stream.ts'),
			import('./block-lines.ts'),
			import('./draft-lines.ts'),
		],
	);
	const tools = {blockLines, draftLines, renderMarkdown, renderMarkdownParts, createMarkdownStream};
	return createPainter(parts, tools);
}

/** Turns the transcript into lines: finished ones go to the scrollback once, the others to the live region. */
export function createPainter(parts: PainterParts, tools: BlockTools): Painter {
	const {store, live, write, isHeld = false} = parts;
	const drawing = createDrawing(parts, tools);
	const {written, text, width} = drawing;
	const progress = createTranscriptProgress(drawing);
	const hold = createPrintHold(store, isHeld);
	let heldLive: readonly string[] | undefined;
	let isRehearsed = false;

	const show = ({settled, live: next}: DrawnLines) => {
		if (settled.length > 0) {
			write(`${settled.join('\n')}\n`);
		}

		showLive(live, next);
	};

	const advance = () => {
		if (!hold.isHeld()) {
			hold.drew();
			show(progress.next(store.getState()));
		}
	};

	const print: Painter['print'] = draw => {
		if (hold.isHeld()) {
			hold.keep(() => print(draw));
			return;
		}

		const cut = progress.cut();
		written.remember({kind: 'print', draw});
		const left = cut.length > 0 ? progress.unwritten(store.getState()).live : live.getState();
		show({settled: [...cut, ...written.spaced('print', draw(width()))], live: left});
		text.cut();
	};

	return {
		advance,
		print,
		hold() {
			heldLive ??= live.getState();
			hold.begin();
		},
		fitHeld: () => heldLive && showLive(live, wrapWide(heldLive, width())),
		release() {
			heldLive = undefined;
			hold.end(advance);
		},
		renew: written.renew,
		keepScreen: progress.keepScreen,
		rewrap: (lines, oldWidth) => written.rewrap(lines, oldWidth, width()),
		resize() {
			text.resize();
			advance();
		},
		forget() {
			written.forgetItems();
			written.last = undefined;
		},
		rehearse() {
			if (!isRehearsed) {
				isRehearsed = true;
				drawing.text.rehearse();
			}
		},
		repaint: () => show(lastLines(store.getState(), drawing, progress.unwritten)),
	};
}

/** Keeps prints while nothing may be written, and on which side of what the conversation gains meanwhile they belong. */
function createPrintHold(store: AppStore, isHeldAtFirst: boolean) {
	let kept: Array<{readonly run: () => void; readonly isLater: boolean}> | undefined = isHeldAtFirst ? [] : undefined;
	let drawn: Transcript | undefined;
	return {
		isHeld: () => kept !== undefined,
		begin() {
			kept ??= [];
		},
		/** Notes that the conversation is on the screen as it is now. */
		drew() {
			drawn = store.getState().transcript;
		},
		keep(run: () => void) {
			const {transcript} = store.getState();
			kept?.push({run, isLater: transcript !== drawn && blocksOf(transcript).length > 0});
		},
		/** Runs the prints, and between them `advance`, which draws the conversation. */
		end(advance: () => void) {
			const prints = kept ?? [];
			kept = undefined;
			for (const {run} of prints.filter(({isLater}) => !isLater)) {
				run();
			}

			advance();
			for (const {run} of prints.filter(({isLater}) => isLater)) {
				run();
			}
		},
	};
}

function createDrawing(parts: PainterParts, tools: BlockTools): Drawing {
	const {store, palette, clock, env = {}, joinsReads = true} = parts;
	const {isOnScreen = () => false, unheard = ({output}) => output} = parts;
	const width = () => store.getState().size.columns;
	const streamSize = () => ({width: width(), maxLive: liveLimit(store.getState().size.rows)});
	const motion = () => {
		const state = store.getState();
		return clock ? {now: steppedTime(clock(), state.isStill), hint: backgroundHint(state, env)} : {};
	};
	const written = createWritten();
	const text = createOpenText({
		written,
		speaker: speaker(palette),
		createStream: () =>
			tools.createMarkdownStream({palette, softWraps: joinsReads, mark: answerMark(palette), ...streamSize()}),
		size: streamSize,
	});
	return {
		style: {palette, tools, softWraps: joinsReads},
		written,
		text,
		width,
		motion,
		isOnScreen,
		unheard,
		joinsReads,
	};
}

/** Returns the key that sends what runs to the background. */
function backgroundHint({foreground, ownKeys}: AppState, env: Environment): string {
	const key = foreground > 0 ? hintKey(keymapOf(commandKeys, ownKeys), 'app.background') : '';
	return key && `${pressedLabel(key, env)} background`;
}

/** Updates the live lines if they changed. */
function showLive(live: LiveLines, lines: readonly string[]): void {
	const shown = live.getState();
	if (shown.length !== lines.length || lines.some((line, index) => line !== shown[index])) {
		live.setState(lines, true);
	}
}

/** Draws the last lines that fit in the window again, at its current size. */
function lastLines(state: AppState, drawing: Drawing, unwritten: (state: AppState) => DrawnLines): DrawnLines {
	const {written, text, width} = drawing;
	text.forget();
	const {lines} = written.recent(state.size.rows, width());
	const {settled, live} = unwritten(state);
	const room = rowsAbove(state, live.length);
	return {settled: room > 0 ? [...lines, ...settled].slice(-room) : [], live};
}
