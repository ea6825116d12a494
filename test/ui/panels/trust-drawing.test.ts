import {expect, test} from 'vitest';
import type {JudgedFile} from '../../../src/agent/project/project.ts';
import {trustDrawing} from '../../../src/command/views/project/trust-view.ts';
import {unseenDrawing} from '../../../src/command/views/project/unseen-drawing.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';

const style = {width: 80, palette: createPalette({color: false}), rows: 99};
const blanks = ' '.repeat(2000);

test('[4] long runs of blanks are counted in what the user is asked to trust', () => {
	const file = {
		path: `a${blanks}.md`,
		kind: 'settings',
		standing: 'new',
		sizeBytes: 1,
		isCut: false,
		text: '',
		settings: {
			hooks: [{event: 'after-edit', command: `true${blanks}; touch x`}],
			deny: [`run_command(a${blanks}b)`],
			ignored: [],
			fields: {},
		},
		mcp: {servers: [{name: 'm', type: 'stdio', command: 'node', args: [`a${blanks}; b`], env: {}}]},
	} as unknown as JudgedFile;
	const {shown} = trustDrawing([file], {root: '/repo'}).window(style);
	expect(shown).toHaveLength(4);
	expect(shown.filter(row => row.includes('⟨2,000 spaces⟩'))).toHaveLength(4);
});

test('[4] long runs of blanks are counted in the names of files that nobody saw', () => {
	const files = [{path: `/repo/a${blanks}b`, by: 'tool'}] as never;
	const {shown} = unseenDrawing({files} as never, '/repo', true).window(style);
	expect(shown[0]).toContain('a⟨2,000 spaces⟩b');
});

test('what nobody saw is shown by `/diff`, of an earlier session too, and by git only in a repository', () => {
	const files = [{path: '/repo/a.js', by: 'edit', isGone: false, count: 1}] as const;
	const hint = (isRepository: boolean) =>
		unseenDrawing({files}, '/repo', isRepository)
			.window({...style, width: 200})
			.shown.join('\n');
	expect(hint(false)).toContain('`/diff <session>` those of an earlier one.');
	expect(hint(true)).toContain('`/diff <session>` those of an earlier one, git those since the last commit.');
});
