import {expect, test} from 'vitest';
import {indexManyPaths, indexPaths} from '../../src/core/fuzzy-paths.ts';
import {countSteps} from '../growth.ts';

const index = indexPaths([
	'src/ui/app.tsx',
	'src/ui/panels/picker.tsx',
	'src/agent/tools/read-file.ts',
	'test/agent/tools/read-file.test.ts',
	'README.md',
	'docs/Ünïcode name.md',
]);

test.each([
	['readf', 'src/agent/tools/read-file.ts'],
	['rft', 'src/agent/tools/read-file.ts'],
	['READ', 'README.md'],
	['uiapp', 'src/ui/app.tsx'],
	['src/ui/', 'src/ui/'],
	['panels', 'src/ui/panels/'],
	['test.ts', 'test/agent/tools/read-file.test.ts'],
	['ünï', 'docs/Ünïcode name.md'],
])('“%s” finds %s first', (query, path) => {
	expect(index.search(query, 5)[0]).toBe(path);
});

test('nothing typed lists what is near the top, and letters that no path has find nothing', () => {
	expect(index.search('', 10).filter(path => !/\/./.test(path))).toEqual(['src/', 'test/', 'docs/', 'README.md']);
	expect(index.search('zzz', 4)).toEqual([]);
});

test('what is found does not depend on what was typed before', () => {
	const typed = ['r', 're', 'rea', 'read', 'rea', 'u', 'ui', 'uia', '', 'x'];
	for (const query of typed) {
		expect(index.search(query, 3)).toEqual(
			indexPaths([
				'README.md',
				'src/ui/app.tsx',
				'src/ui/panels/picker.tsx',
				'src/agent/tools/read-file.ts',
				'test/agent/tools/read-file.test.ts',
				'docs/Ünïcode name.md',
			]).search(query, 3),
		);
	}
});

test('a key in a repository of 50,000 files takes few steps for each of them in the middle', async () => {
	const parts = ['core', 'agent', 'server', 'handlers', 'component', 'utils', 'model', 'view', 'controller', 'helper'];
	const part = (number: number) => parts[number % parts.length] ?? '';
	const paths = Array.from(
		{length: 50_000},
		(_, file) =>
			`${part(file)}/${part(file * 7)}${file % 97}/${part(file * 3)}-${file % 29}/${part(file + 4)}${file}.ts`,
	);
	let pauses = 0;
	const large = await indexManyPaths(paths, async () => {
		pauses++;
	});
	expect(pauses).toBeGreaterThan(40);
	const costs = ['e', 'co', 'con', 'cont', 'cont9', 'vws', 'vwsx', 's', 'handlers/v', 'zz', '9', 'helper499'].map(
		query => countSteps(() => large.search(query, 8)) / paths.length,
	);
	expect(costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)]).toBeLessThan(30);
	expect(Math.max(...costs)).toBeLessThan(60);
	expect(large.search('helper49999', 1)).toEqual([paths[49_999]]);
});
