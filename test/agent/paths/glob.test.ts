import {expect, test} from 'vitest';
import {compileGlob} from '../../../src/agent/paths/glob.ts';
import {expectLinear} from '../../growth.ts';

test.each([
	['*.ts', 'src/deep/a.ts', true],
	['*.ts', 'a.tsx', false],
	['/a.ts', 'a.ts', true],
	['src/*.ts', 'src/a.ts', true],
	['src/*.ts', 'src/deep/a.ts', false],
	['src/**/*.ts', 'src/a.ts', true],
	['src/**/*.ts', 'src/x/y/a.ts', true],
	['**/test/**', 'a/test/b/c.ts', true],
	['src/**', 'src/a', true],
	['src/**', 'other/a', false],
	['{a,b}/{c,d}.ts', 'b/c.ts', true],
	['{a,b}/{c,d}.ts', 'c/c.ts', false],
	['?.md', 'ä.md', true],
	['a*b*c', 'aXbYbZc', true],
	['a.b', 'axb', false],
])('%s and %s: %s', (pattern, path, expected) => {
	expect(compileGlob(pattern)(path)).toBe(expected);
});

test('a pattern that fails late takes linear time', () => {
	expect(compileGlob(`${'*a'.repeat(140)}b`)('a'.repeat(4000))).toBe(false);
	expect(compileGlob('{a,b}'.repeat(50))('a'.repeat(50))).toBe(false);
	expect(compileGlob(`${'**/'.repeat(90)}x`)('a/'.repeat(2000))).toBe(false);
	const glob = compileGlob(`${'*a'.repeat(20)}b`);
	expectLinear(size => glob('a'.repeat(size)), 1000);
});
