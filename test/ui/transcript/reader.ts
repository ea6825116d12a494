import type {AgentEvent} from '../../../src/core/session/event.ts';
import {reduceTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../../src/core/session/transcript.ts';
import {noOwnKeys, type OwnKeys} from '../../../src/editor/keymap/keymap.ts';
import type {InputToken} from '../../../src/terminal/input/token.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {createTranscriptView} from '../../../src/ui/transcript/transcript-view.ts';
import {charactersOf} from '../log-parts.ts';

export const palette = createPalette({color: false});
export const noModifiers = {ctrl: false, alt: false, shift: false};
export const key = (name: string): InputToken => ({type: 'key', name, ...noModifiers});
export const ctrl = (name: string): InputToken => ({type: 'key', name, ...noModifiers, ctrl: true});
export const text = (typed: string): InputToken => ({type: 'text', text: typed});

/** A transcript view of these events, with what it copied and which logs it opened. */
export function reader(...events: readonly AgentEvent[]) {
	return readerAt(undefined, ...events);
}

/** The same, opened at a moment. */
export function readerAt(at: number | undefined, ...events: readonly AgentEvent[]) {
	return openReader({at}, ...events);
}

/** The same in a terminal that may not copy. */
export function readerWithoutClipboard(...events: readonly AgentEvent[]) {
	return openReader({copies: false}, ...events);
}

type ReaderOptions = {readonly own?: OwnKeys; readonly at?: number | undefined; readonly copies?: boolean};

export function openReader({at, own = noOwnKeys, copies = true}: ReaderOptions, ...events: readonly AgentEvent[]) {
	let transcript = emptyTranscript('s');
	let seq = -1;
	const feed = (...more: readonly AgentEvent[]) => {
		for (const event of more) {
			const at = new Date(Date.UTC(2026, 2, 1, 12, 0, ++seq)).toISOString();
			transcript = reduceTranscript(transcript, {v: 1, seq, at, session: 's', server: 'local', event});
		}
	};
	feed(...events);
	const copied: string[] = [];
	const logs: unknown[] = [];
	const view = createTranscriptView({
		transcript: () => transcript,
		ownKeys: () => own,
		palette,
		renderMarkdown,
		invalidate: () => undefined,
		close: () => copied.push('closed'),
		redraw: () => copied.push('redrawn'),
		suspend: () => copied.push('suspended'),
		copy: copy => (copied.push(copy) > 0 && copies ? 'OSC 52' : undefined),
		async keepCopy(kept) {
			copied.push(`kept ${kept}`);
			return '/state/copied.txt';
		},
		openLogAt: (...about) => logs.push(about) > 0,
		at,
	});
	const draw = (columns = 80, rows = 24) => view.draw({columns, rows});
	const shown = (columns = 80, rows = 24) => draw(columns, rows).filter(line => line !== '');
	const press = (...tokens: readonly (InputToken | string)[]) => {
		for (const token of tokens) {
			charactersOf(typeof token === 'string' ? text(token) : token).forEach(view.press);
		}
	};
	return {feed, draw, shown, press, copied, logs, view};
}
