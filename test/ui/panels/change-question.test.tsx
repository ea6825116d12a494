import {expect, test} from 'vitest';
import {App} from '../../../src/ui/app.tsx';
import {openPanel} from '../../../src/ui/panels/panels.ts';
import {drawingOf} from '../../../src/ui/transcript/diff-lines.ts';
import {draw, panelOf} from '../frame.ts';

const diff = `@@ -1 +1 @@\n first\n-second\n+${Array.from({length: 40}, (_, index) => `line ${index + 2}`).join('\n+')}`;
const change = drawingOf({path: 'src/a\u001b[2J.ts', added: 40, removed: 1, diff});
const answers = [{key: 'y', label: 'Yes, once', value: 'once'}];
const asked = ['? Change src/a.ts?', '  y  Yes, once', '❯ n  No'];

/** Opens the question in the app. */
async function open(columns: number, rows: number) {
	const drawn = draw(<App />, {columns, rows, answer: () => undefined});
	openPanel(drawn.store, {kind: 'confirm', question: 'Change src/a.ts?', subject: change, answers, askedAt: 0});
	const panelLines = () => panelOf(drawn.lines());

	await expect.poll(() => panelLines().at(-1), {interval: 5}).toBe(asked.at(-1));
	return {...drawn, panelLines};
}

test.each([
	[80, 24],
	[60, 12],
])(
	'a question shows the beginning of its change and how much is left out, in %i columns and %i rows [4]',
	async (columns, rows) => {
		const {panelLines, lines} = await open(columns, rows);
		const shown = panelLines();
		const title = rows > 12 ? ['src/a␛[2J.ts · +40 −1'] : [];
		expect(shown.slice(0, 2 + title.length)).toEqual([...title, '  1   first', '  2 - second']);
		expect(shown.slice(-5, -3)).toEqual([
			`  ⋯ ${42 - (shown.length - 4 - title.length)} lines ⋯ PgDn`,
			' 41 + line 41',
		]);
		expect(shown.slice(-3)).toEqual(asked);
		expect(lines().length).toBeLessThan(rows);
	},
);

test('a long change scrolls to its end, and no row stays empty', async () => {
	const {panelLines, store} = await open(80, 24);
	const height = panelLines().length;
	store.getState().scrollBy(500);
	await expect
		.poll(() => panelLines().slice(-6), {interval: 5})
		.toEqual([' 40 + line 40', expect.stringMatching(/^ {2}⋯ \d+ lines above ⋯ PgUp$/), ' 41 + line 41', ...asked]);
	expect([panelLines().length, panelLines().includes('')]).toEqual([height, false]);
	store.getState().scrollBy(-500);
	await expect.poll(() => panelLines()[1], {interval: 5}).toBe('  1   first');
});
