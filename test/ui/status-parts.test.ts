import fc from 'fast-check';
import {expect, test} from 'vitest';
import {fitParts} from '../../src/terminal/text/fit-parts.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {ranked} from '../../src/ui/status-line.tsx';

test('the last remaining part is cut in a narrower window', () => {
	const same = (text: string) => text;
	expect(fitParts([{text: 'not saved: input/output error', role: same, rank: 0}], 20)).toBe('not saved: input/ou…');
});

test('from 20 to 200 columns a wider status line has all parts of a narrower one, the important ones first', () => {
	const names = ['connection', 'model', 'state', 'mode', 'sandbox', 'context', 'cost'] as const;
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

test('counts are left out before a name is cut, and a name is cut before it is left out', () => {
	const same = (text: string) => text;
	const parts = [
		{name: 'model', text: 'custom/a-model-with-a-long-name', role: same},
		{name: 'state', text: '○ idle', role: same},
		{name: 'context', text: 'context 9%', role: same},
	] as const;
	const at = (columns: number) => fitParts(ranked(parts), columns);
	expect([60, 45, 30, 20].map(at)).toEqual([
		'custom/a-model-with-a-long-name · ○ idle · context 9%',
		'custom/a-model-with-a-long-name · ○ idle',
		'custom/a-model-… · ○ idle',
		'○ idle',
	]);
});

const byImportance = [
	...(['unsaved', 'vim', 'mode', 'watching', 'jobs', 'state', 'silence', 'ending sandbox', 'drafts', 'cost'] as const),
	...(['model', 'context', 'connection', 'sandbox'] as const),
] as const;

const leastOf = {connection: 16, model: 16, unsaved: 24} as const;
const isCut = (name: string): name is keyof typeof leastOf => Object.hasOwn(leastOf, name);

// fast-check takes longer to make these than many of their values.
const anyName = fc.stringMatching(/^[a-z\u4E00-\u4E20/.-]{1,90}$/);
const anyCount = fc.constantFrom('● working 12 m 04 s', 'plan mode', 'watching 12: reconnecting', '3 jobs', 'out 1.2M');

/** Parts of any state: counts, times and words of ours, and names of folders, models and servers of any length. */
const anyParts = fc
	.subarray([...byImportance], {minLength: 1})
	.chain(names =>
		fc.tuple(
			...names.map(name =>
				(isCut(name) ? anyName : anyCount).map(text => ({name, text, role: (drawn: string) => drawn})),
			),
		),
	);

test.each([20, 40, 60, 80, 100, 120])(
	'in %i columns the line never wraps, keeps what is most important, and cuts no word without a sign',
	columns => {
		fc.assert(
			fc.property(anyParts, parts => {
				const line = fitParts(ranked(parts), columns);
				expect(lineWidth(line)).toBeLessThanOrEqual(columns);
				const shown = line.split(' · ');
				const rows = parts.map(part => ({...part, rank: byImportance.indexOf(part.name)}));
				// What is shown is a beginning of the list by importance, in the order of the line.
				const kept = rows.toSorted((a, b) => a.rank - b.rank).slice(0, shown.length);
				const expected = rows.filter(row => kept.includes(row));
				for (const [index, text] of shown.entries()) {
					const whole = expected[index]?.text ?? '';
					expect(text === whole || (text.endsWith('…') && whole.startsWith(text.slice(0, -1)))).toBe(true);
					const {name = 'state'} = expected[index] ?? {};
					expect(
						text === whole || shown.length === 1 || lineWidth(text) >= (isCut(name) ? leastOf[name] : columns) - 1,
					).toBe(true);
				}
			}),
			{numRuns: 50},
		);
	},
);
