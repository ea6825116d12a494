import {expect, test} from 'vitest';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';

const draw = (source: string, width: number) => renderMarkdown(source, {width, palette: createPalette({color: false})});

test('a table is as wide as its cells and aligned as it says', () => {
	expect(draw('| a | bb | c |\n|---|:-:|--:|\n| 漢字 | x | 1 |\n| y | long | 22 |', 40)).toEqual([
		'┌──────┬──────┬────┐',
		'│ a    │  bb  │  c │',
		'├──────┼──────┼────┤',
		'│ 漢字 │  x   │  1 │',
		'│ y    │ long │ 22 │',
		'└──────┴──────┴────┘',
	]);
});

test('columns that are too wide shrink and their cells wrap', () => {
	expect(draw('| a | text |\n|---|---|\n| 1 | one two three four |', 20)).toEqual([
		'┌───┬──────────────┐',
		'│ a │ text         │',
		'├───┼──────────────┤',
		'│ 1 │ one two      │',
		'│   │ three four   │',
		'└───┴──────────────┘',
	]);
});

test('a table that does not fit becomes names and values', () => {
	expect(draw('| name | city | say |\n|---|---|---|\n| Ada | London | one two |\n| Bob | Berlin | hi |', 16)).toEqual([
		...['name: Ada', 'city: London', 'say: one two', '────────────', 'name: Bob', 'city: Berlin', 'say: hi'],
	]);
});

test('a cell may break its line', () => {
	expect(draw('| a |\n|---|\n| x<br>y |', 20)).toEqual(['┌───┐', '│ a │', '├───┤', '│ x │', '│ y │', '└───┘']);
});

test('a table without rows is drawn', () => {
	expect(draw('| a | b |\n|---|---|', 20)).toEqual(['┌───┬───┐', '│ a │ b │', '├───┼───┤', '└───┴───┘']);
	expect(draw(`|${' heading |'.repeat(9)}\n|${'---|'.repeat(9)}`, 20)[0]).toBe('heading, heading,');
});

test('columns that are cut share the whole width, and narrower ones stay as they are', () => {
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	const cells = [9, 54, 24, 24].map(length => 'word '.repeat(20).slice(0, length));
	const [rule = ''] = draw([row(['a', 'b', 'c', 'd']), '|-|-|-|-|', row(cells)].join('\n'), 80);
	const widths = rule.slice(1, -1).split('┬');
	expect(widths.map(part => part.length - 2)).toEqual([9, 19, 19, 19]);
});
