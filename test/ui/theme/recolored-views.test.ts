import {expect, test} from 'vitest';
import {noOwnKeys} from '../../../src/editor/keymap/keymap.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {createPalette, type Palette, recolor, terminalScheme} from '../../../src/terminal/text/style.ts';
import {schemeOf} from '../../../src/terminal/theme/themes.ts';
import {createReviewView} from '../../../src/ui/changes/review-view.ts';
import {createLogRenderer} from '../../../src/ui/logs/log-screen.ts';
import {bodyRows, drawLogScreen, gutter} from '../../../src/ui/logs/viewer/log-view.ts';
import {emptyViewer} from '../../../src/ui/logs/viewer/log-viewer-state.ts';
import {createTranscriptView} from '../../../src/ui/transcript/transcript-view.ts';
import {done, said, start, transcriptOf, used, user} from '../../core/records.ts';
import {twoHunks} from '../changes/reviewer.ts';
import {logOf, openLog, shop} from '../log-parts.ts';
import {runApp} from '../running-app.ts';

const size = {columns: 70, rows: 16};
const nothing = () => undefined;
const none = {invalidate: nothing, redraw: nothing, close: nothing, suspend: nothing};

/** Every view that has the whole window: a function that draws it each time with the same caches. */
const views: Readonly<Record<string, (palette: Palette) => () => readonly string[]>> = {
	transcript(palette) {
		const events = [start, user('Which *one*?'), said('The `first`, **surely**.\n\n- a', 'm1'), used('m1', 1, 1), done];
		const transcript = transcriptOf(...events);
		const view = createTranscriptView({
			...{...none, palette, renderMarkdown, transcript: () => transcript, ownKeys: () => noOwnKeys},
			...{copy: () => 'OSC 52', keepCopy: async () => undefined, openLogAt: () => false},
		});
		return () => view.draw(size);
	},
	'log viewer'(palette) {
		const log = logOf(['level=error msg="Not found" path=/', '{"level":"warn","msg":"slow"}', 'plain']);
		const renderer = createLogRenderer(palette, error => {
			throw error;
		});
		const known = {logs: [openLog({lines: 3})], focus: shop, viewer: emptyViewer};
		return () => {
			const rows = bodyRows(known, size.rows);
			const rendered = renderer.render({...known, log, rows, width: size.columns - gutter});
			return drawLogScreen({...known, ...rendered, palette, ownKeys: noOwnKeys, now: 0, notice: ''}, size);
		};
	},
	'help of the log viewer'(palette) {
		const renderer = createLogRenderer(palette, nothing);
		const known = {logs: [openLog()], focus: shop, viewer: {...emptyViewer, help: 0}};
		const rendered = renderer.render({...known, log: logOf([]), rows: 10, width: 60});
		return () => drawLogScreen({...known, ...rendered, palette, ownKeys: noOwnKeys, now: 0, notice: ''}, size);
	},
	'review of changes'(palette) {
		const about = {title: 'Changes', files: [twoHunks], isReadOnly: false, palette, fullScreen: none, suspend: nothing};
		const view = createReviewView({...about, ownKeys: () => noOwnKeys, onEnd: nothing});
		return () => view.draw(size);
	},
};

test.each(Object.entries(views))('the %s has the colours of another theme at its next drawing', (_, open) => {
	const palette = createPalette({color: true, scheme: terminalScheme});
	const draw = open(palette);
	const before = draw().join('\n');
	const scheme = schemeOf('dark', 'dark', 'rgb');
	recolor(palette, scheme);
	const after = draw().join('\n');
	expect(after).not.toBe(before);
	expect(after).toBe(open(createPalette({color: true, scheme}))().join('\n'));
});

const foreground = '\u001B[38;2;';

test('an open view and an open panel have the colours of a theme as soon as it changes', async () => {
	const {type, waitFor, settle, store, written} = runApp({
		env: {NO_COLOR: '', TERM: 'xterm-256color', COLORTERM: 'truecolor'},
	});
	await waitFor('Ask something');
	const colored = async (text: string) => {
		const from = written.length;
		store.getState().setTheme('dark');
		await expect.poll(() => written.slice(from).join(''), {interval: 5}).toContain(text);
		const drawn = written.slice(from).join('');
		store.getState().setTheme('terminal');
		await settle(20);
		return drawn.includes(foreground);
	};
	type('\u000f');
	await waitFor('Transcript');
	expect(await colored('Esc close')).toBe(true);
	type('q?');
	await waitFor('commands');
	expect(await colored('Keys')).toBe(true);
});
