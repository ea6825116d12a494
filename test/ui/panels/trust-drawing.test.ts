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
	const {shown} = unseenDrawing({files} as never, '/repo').window(style);
	expect(shown[0]).toContain('a⟨2,000 spaces⟩b');
});
