import {createElement} from 'react';
import {onTestFinished} from 'vitest';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createAppStore} from '../../src/store/store.ts';
import {renderMarkdown, renderMarkdownParts} from '../../src/terminal/markdown/markdown.ts';
import {createMarkdownStream} from '../../src/terminal/markdown/markdown-stream.ts';
import {App} from '../../src/ui/app.tsx';
import {UiContext} from '../../src/ui/context.ts';
import {mount} from '../../src/ui/ink.ts';
import {createLiveLines} from '../../src/ui/screen/frame.ts';
import {followWindow} from '../../src/ui/screen/resize/follow-window.ts';
import {createScreen} from '../../src/ui/screen/screen.ts';
import {blockLines} from '../../src/ui/transcript/block-lines.ts';
import {draftLines} from '../../src/ui/transcript/draft-lines.ts';
import {createPainter} from '../../src/ui/transcript/painter.ts';
import {palette} from './canvas.ts';
import {createEmulator} from './emulator.ts';

/** The conversation as the app draws it: store, painter, Ink and screen before a terminal emulator. */
export function conversation(
	columns: number,
	rows: number,
	logLines: (rows: number) => readonly string[] = () => [],
	clock?: () => number,
) {
	const store = createAppStore();
	const live = createLiveLines();
	const emulator = createEmulator(columns, rows);
	// As the app has it: no row wraps by itself.
	emulator.stdout.write('\u001B[?7l');
	const screen = createScreen(emulator.stdout, {live});
	store.getState().setSize(screen.size());
	const ui = {
		store,
		palette,
		live,
		entries: () => [],
		logs: () => ({panelLines: (size: {readonly rows: number}) => logLines(size.rows)}),
		answer: () => undefined,
		setCaret: screen.setCaret,
		setPrompt: screen.setPrompt,
		limitLive: screen.limitLive,
	};
	let renders = 0;
	const ink = mount(createElement(UiContext, {value: ui}, createElement(App)), {
		stdout: screen.stdout,
		onRender: () => renders++,
	});
	const tools = {blockLines, draftLines, renderMarkdown, renderMarkdownParts, createMarkdownStream};
	const painter = createPainter({store, palette, live, write: screen.print, clock}, tools);
	const stopFollowing = followWindow({
		stdout: emulator.stdout as NodeJS.WriteStream,
		pause: screen.hold,
		resized: () => undefined,
		finish: () => undefined,
		settled() {
			if (screen.isTooSmall()) {
				return;
			}

			store.getState().setSize(screen.size());
			screen.release();
			screen.resize({rewrap: painter.rewrap});
			painter.resize();
		},
	});
	const dispose = () => {
		stopFollowing();
		ink.unmount();
		emulator.dispose();
	};
	onTestFinished(dispose);
	store.getState().openTranscript(emptyTranscript('s1'));
	painter.advance();
	let seq = 0;
	return {
		...emulator,
		store,
		painter,
		dispose,
		/** Returns how often React rendered and Ink laid out what it changed. */
		renders: () => renders,
		/** Applies events as one batch, in a turn of its own. */
		async feed(...events: readonly AgentEvent[]) {
			const records = events.map(
				(event): Recorded => ({
					v: 1,
					seq: seq++,
					at: '2026-01-01T00:00:00.000Z',
					session: 's1',
					server: 'local',
					event,
				}),
			);
			store.getState().applyRecords(records);
			painter.advance();
			await nextTurn();
		},
		/** The lines above the prompt, without those that are blank at the end. */
		text() {
			const lines = emulator.lines();
			const end = lines.findLastIndex(line => line.startsWith('❯ Ask') || line.startsWith('❯ Type'));
			// A low window has no rule above the prompt.
			const above = lines.slice(0, store.getState().size.rows >= 8 ? end - 1 : end).map(line => line.trimEnd());
			return above.slice(0, above.findLastIndex(line => line !== '') + 1);
		},
	};
}

/** Lets Ink draw, and the screen write. */
export async function nextTurn() {
	await new Promise(resolve => setImmediate(resolve));
	await new Promise(resolve => setImmediate(resolve));
}
