import {expect, test} from 'vitest';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {fitParts, ranked} from '../../src/ui/status-line.tsx';

test('the last remaining part is cut in a narrower window', () => {
	const same = (text: string) => text;
	expect(fitParts([{text: 'not saved: input/output error', role: same, rank: 0}], 20)).toBe('not saved: input/ou…');
});

test('from 20 to 200 columns a wider status line has all parts of a narrower one, the important ones first', () => {
	const names = [
		'connection',
		'model',
		'state',
		'mode',
		'sandbox',
		'context',
		'input',
		'output',
		'cache',
		'cost',
	] as const;
	const parts = names.map(name => ({name, text: `${name} ${'x'.repeat(8)}`, role: (text: string) => text}));
	const shownAt = (columns: number) => {
		const line = fitParts(ranked(parts), columns);
		expect(lineWidth(line)).toBeLessThanOrEqual(columns);
		return new Set(names.filter(name => line.includes(`${name} x`)));
	};
	for (let columns = 20; columns < 200; columns++) {
		expect([...shownAt(columns)].filter(name => !shownAt(columns + 1).has(name))).toEqual([]);
	}

	expect([...shownAt(20)]).toEqual(['mode']);
	expect([...shownAt(50)]).toEqual(['state', 'mode', 'cost']);
	expect(shownAt(200).size).toBe(names.length);
});
