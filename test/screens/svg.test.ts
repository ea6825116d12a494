import {expect, test} from 'vitest';
import {withFixedValues} from './fixed-values.ts';
import type {Run} from './runs.ts';
import {renderSvg} from './svg.ts';

const run = (text: string, column = 0): Run => ({
	text,
	column,
	width: text.length,
	color: undefined,
	isBold: false,
	isDim: false,
	isItalic: false,
	isUnderlined: false,
	isInverse: false,
});

test('text of the terminal is escaped', () => {
	const rows = [[run('<script>"a" & b</script>')]];
	const svg = renderSvg({title: 'a < b', description: '"both"', columns: 30, rows, cursor: {column: 0, row: 0}});
	expect(svg).toContain('>&lt;script&gt;&quot;a&quot; &amp; b&lt;/script&gt;</text>');
	expect(svg).toContain('aria-label="&quot;both&quot;"');
	expect(svg).not.toMatch(/<script|href|url\(/);
});

test('a fixed value moves what follows it in the row', () => {
	const runs = [run('· 123 ms · 9 B'), run('done', 15)];
	expect(withFixedValues(80)(runs, 0)).toEqual([run('· 24 ms · 9 B'), run('done', 14)]);
});

test('a longer duration cuts nothing else off a row that ends at the edge', () => {
	const fixed = withFixedValues(40);
	const row = (duration: string, path: string) => {
		const text = `${path} duration=${duration} agent=visitor`;
		return text.length > 40 ? [run(text.slice(0, 39)), run('…', 39)] : [run(text)];
	};
	for (const path of ['/a', '/orders', '/products', '/favicon.ico']) {
		expect(fixed(row('123.4ms', path), 0)).toEqual(fixed(row('2.4ms', path), 0));
	}
});
