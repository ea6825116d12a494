import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import reasons from '../.scripts/dependencies.json' with {type: 'json'};
import {renderFaults, renderReadme} from '../.scripts/page-tables.ts';
import {faults} from './faults/faults.ts';
import faultFigures from './faults/figures.json' with {type: 'json'};

const readme = readFileSync('README.md', 'utf8');
const manifest: {
	readonly dependencies: Record<string, string>;
	readonly devDependencies: Record<string, string>;
	readonly optionalDependencies: Record<string, string>;
	readonly scripts: Record<string, string>;
} = JSON.parse(readFileSync('package.json', 'utf8'));

test('the tables of the README match the code and the stored figures: npm run docs', () => {
	expect(readme).toBe(renderReadme(readme));
});

test('the table of faults is that of the stored figures, which are of every fault: npm run faults -- --write', () => {
	const page = readFileSync('.github/FAULTS.md', 'utf8');
	expect(page).toBe(renderFaults(page));
	expect(faultFigures.figures.map(({name}) => name)).toEqual(faults.map(({name}) => name));
});

test('the README has at most 160 lines, and the commands that start and test the program', () => {
	expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(160);
	expect(readme).toContain('npm ci && npm start');
	expect(readme).toContain('npm ci && npm test');
});

test('every dependency has a reason, and every reason a dependency', () => {
	expect(Object.keys(reasons.dependencies).sort()).toEqual(Object.keys(manifest.dependencies).sort());
	expect(Object.keys(reasons.devDependencies).sort()).toEqual(Object.keys(manifest.devDependencies).sort());
	expect(Object.keys(reasons.optionalDependencies)).toEqual(Object.keys(manifest.optionalDependencies));
});

test('dependencies are pinned to exact versions', () => {
	const versions = Object.values({
		...manifest.dependencies,
		...manifest.devDependencies,
		...manifest.optionalDependencies,
	});
	expect(versions.filter(version => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test('a README without the markers of a section is refused', () => {
	expect(() => renderReadme(readme.replace('<!-- /topics -->', ''))).toThrow(
		'README.md needs <!-- topics --> and <!-- /topics -->.',
	);
});

test('text around the markers stays unchanged', () => {
	const outside = (text: string) => text.replace(/(<!-- ([a-z-]+) -->)[\s\S]*?(<!-- \/\2 -->)/g, '$1$3');
	const changed = readme.replaceAll('| --- |', '| stale |');
	expect(outside(renderReadme(changed))).toBe(outside(readme));
	expect(renderReadme(changed)).toBe(readme);
});

const guides = readdirSync('.github').map(name => `.github/${name}`);

test.each(guides)('every path that %s names exists', guide => {
	const named = readFileSync(guide, 'utf8').matchAll(
		/(?<![\w/.-])(?:(?:src|commands|test|\.scripts|\.github|\.ci)\/[\w./-]*[\w/]|(?:package\.json|\.vitest\.config\.ts))/g,
	);
	const missing = [...named].map(([path]) => path).filter(path => !existsSync(path));
	expect(missing).toEqual([]);
});

test('the safety rules are numbered without gaps, and tests cite only them', () => {
	const rules = [...readFileSync('.github/SAFETY.md', 'utf8').matchAll(/^(\d+)\. /gm)].map(([, number]) =>
		Number(number),
	);
	expect(rules).toEqual(rules.map((_, index) => index + 1));
	const cited = readdirSync('test', {recursive: true, encoding: 'utf8'})
		.filter(name => /\.test\.tsx?$/.test(name))
		.flatMap(name => [
			...readFileSync(`test/${name}`, 'utf8').matchAll(/\btest(?:\.\w+\([^\n]*\))?\(\s*['`]\[(\d+)\]/g),
		])
		.map(([, number]) => Number(number));
	expect(cited.length).toBeGreaterThan(100);
	expect(cited.filter(number => !rules.includes(number))).toEqual([]);
});
