import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {anyText} from '../../../any-text.ts';
import {openPolicy} from '../judging.ts';
import {projectFiles, runInBash, snapshotOf} from './fixture.ts';

const {root, workspace, judgeCommand} = openPolicy(projectFiles);

/** Parts that write a file when a shell runs them: if one stands unquoted at any place, the command must not run unasked. */
const dangerous = [
	'touch x',
	'$(touch x)',
	'`touch x`',
	'<(touch x)',
	'> x',
	'>> x',
	'&> x',
	'>| x',
	'| tee x',
	'; touch x',
	'&& touch x',
];
const harmless = [
	'ls',
	'cat README.md',
	'src',
	'*.md',
	'-n',
	'--',
	"'a b'",
	'"c"',
	'|',
	'&&',
	';',
	'\n',
	'2>&1',
	'pwd',
	'#',
	'!',
	'\\',
	"'",
	'"',
	'{',
	'}',
	'(',
	')',
];
const separators = ['', ' ', '\t', '\n', '\\\n', ' \\\n'];

const fragment = fc.constantFrom(...harmless, ...dangerous);
const command = fc
	.array(fc.tuple(fragment, fc.constantFrom(...separators)), {minLength: 1, maxLength: 7})
	.map(parts => parts.flat().join(''));

test('[14] a command composed at random that runs unasked changes no file', async () => {
	await mkdir(join(workspace(), 'many'));
	await writeFile(join(workspace(), 'many/-o x'), '');
	const before = await snapshotOf(root());
	const runs = new Set<string>();
	await fc.assert(
		fc.asyncProperty(command, async text => {
			const {effect} = await judgeCommand(text);
			if (effect === 'allow' && /touch|tee|>/.test(text)) {
				runs.add(text);
			}
		}),
		{numRuns: 250},
	);
	for (const text of [...runs].slice(0, 30)) {
		await runInBash(text, workspace(), root());
		expect(await snapshotOf(root()), text).toEqual(before);
	}
});

test('[14] a dangerous part after any harmless command asks', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom('ls', 'cat README.md', 'grep -n a src/a.ts', 'echo "a"', 'cd src && pwd'),
			fc.constantFrom(' ', '\n', ' \\\n', '\t'),
			fc.constantFrom(...dangerous),
			fc.constantFrom('', ' | cat', ' # end', '\n', ' "a"'),
			async (before, separator, part, after) => {
				const text = `${before}${part.startsWith('touch') ? '\n' : separator}${part}${after}`;
				expect(await judgeCommand(text), text).toMatchObject({effect: 'ask'});
			},
		),
		{numRuns: 100},
	);
});

test('any text gets a verdict', async () => {
	await fc.assert(
		fc.asyncProperty(anyText({maxLength: 60}), async text => {
			const rules = {allow: ['run_command'], deny: ['run_command(rm *)', 'run_command(git push *)']};
			expect(['allow', 'ask', 'deny']).toContain((await judgeCommand(text, rules)).effect);
		}),
		{numRuns: 75},
	);
	// Deep and long texts, and those at which expressions could search for ever.
	const nested = ['(', '$(', '{ ', '"$(', '((', 'echo {a,', '! ', 'a&&', 'eval "', '|'].map(part => part.repeat(1500));
	const long = [
		`echo ${'{a,'.repeat(5000)}`,
		`awk '{print ${', '.repeat(5000)}x'`,
		`printf '%${'0'.repeat(9000)}z'`,
		`sed '${'/a/,/b/p;'.repeat(1500)}w'`,
		`ls ${'*a'.repeat(5000)}`,
		`ls ${'"a"'.repeat(5000)}$`,
	];
	for (const deep of [...nested, ...long]) {
		expect(['allow', 'ask']).toContain((await judgeCommand(deep, {deny: ['run_command(rm *)']})).effect);
	}
});
