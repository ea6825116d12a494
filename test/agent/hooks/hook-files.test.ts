import {chmodSync, readFileSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {describe, expect, test} from 'vitest';
import {judgeByRules} from '../../../src/agent/approval/judge-by-rules.ts';
import {hookFiles} from '../../../src/agent/hooks/hook-files.ts';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import {createCommandSession} from '../../../src/agent/tools/command/command-session.ts';
import {createRunCommand} from '../../../src/agent/tools/run-command.ts';
import {createWriteFile} from '../../../src/agent/tools/write-file.ts';
import {hasBubblewrap, skipped} from '../sandbox/needs-bubblewrap.ts';
import {makeWorkspace, writeAll} from '../tools/workspace.ts';

const files = {
	'scripts/check.sh': '. "$(dirname "$0")/lib.sh"\nnode lint.mjs\n',
	'scripts/lib.sh': 'exit 0\n',
	'lint.mjs': "import {rules} from './rules.mjs';\nimport {more} from './more';\n",
	'rules.mjs': 'export const rules = [];\n',
	'more.js': 'exports.more = [];\n',
	'bin/run': 'true\n',
	'package.json': '{"scripts": {"prelint": "sh before", "lint": "eslint . && node lint.mjs"}, "version": "1.0.0"}\n',
	before: 'true\n',
	'node_modules/.bin/eslint': '#!/usr/bin/env node\n',
	Makefile: 'lint:\n\t./scripts/lib.sh\n',
	'with space.sh': 'true\n',
	'data.txt': 'scripts/other.sh\n',
	'scripts/other.sh': 'true\n',
	'README.md': 'Text.\n',
};

const commands = ['./scripts/check.sh --all; (bin/run data.txt) && sh missing; ./absent.sh'];

async function withHooks(given: readonly string[] = commands) {
	const made = await makeWorkspace(files);
	const {workspace, stateFolder} = made;
	chmodSync(join(workspace, 'bin/run'), 0o755);
	const place = {folder: workspace, root: workspace};
	const named = (command: string) =>
		hookFiles(command, place)
			.files.map(({path}) => relative(workspace, path))
			.sort();
	const places = {
		stateFolder,
		hookFiles: async () => given.flatMap(command => hookFiles(command, place).protectedPaths),
	};
	return {...made, named, places, place};
}

describe('the files of a hook', () => {
	test.each([
		['node "lint.mjs" README.md', ['README.md', 'lint.mjs', 'more.js', 'rules.mjs']],
		['./scripts/check.sh', ['lint.mjs', 'more.js', 'rules.mjs', 'scripts/check.sh', 'scripts/lib.sh']],
		['cd scripts && ./lib.sh', ['scripts/lib.sh']],
		['"$PWD/scripts/lib.sh" && $ROOT/bin/run', ['bin/run', 'scripts/lib.sh']],
		["sh -c './with\\ space.sh'", ['with space.sh']],
		['cat data.txt', ['data.txt']],
		['make lint', ['Makefile', 'scripts/lib.sh']],
		['npm run -s lint', ['before', 'lint.mjs', 'more.js', 'node_modules/.bin/eslint', 'package.json', 'rules.mjs']],
		['npx eslint .', ['node_modules/.bin/eslint', 'package.json']],
		['(sh ./before) < data.txt > /dev/null', ['before', 'data.txt']],
		['echo done', []],
		['cat ../outside.txt /etc/passwd ~/.bashrc', []],
		['if (((', []],
		["'unclosed ./scripts/lib.sh", ['scripts/lib.sh']],
	])('of “%s” are those that it names, and that they name in turn', async (command, expected) => {
		const {named} = await withHooks();
		expect(named(command)).toEqual(expected);
	});

	test('a package counts with its scripts only, which a new version of it does not change', async () => {
		const {place, workspace} = await withHooks();
		const hash = () => hookFiles('npm run lint', place).files.find(({path}) => path.endsWith('package.json'))?.hash;
		const before = hash();
		writeFileSync(join(workspace, 'package.json'), files['package.json'].replace('1.0.0', '1.0.1'));
		expect(hash()).toBe(before);
		writeFileSync(join(workspace, 'package.json'), files['package.json'].replace('eslint .', 'evil'));
		expect(hash()).not.toBe(before);
	});

	test('scripts that name each other, and thousands of words, end', async () => {
		const {named, workspace} = await withHooks();
		await writeAll(workspace, {
			'a.sh': `. ./b.sh\n${'./c.sh "$(x)" '.repeat(20_000)}`,
			'b.sh': '. ./a.sh',
			'deep.sh': '('.repeat(100_000),
		});
		expect(named('./a.sh; ./deep.sh')).toEqual(['a.sh', 'b.sh', 'deep.sh']);
	});
});

describe('[12] what a hook names', () => {
	test('is edited in no mode, existing or not', async () => {
		const {context, places, workspace} = await withHooks();
		const allowing = {...context, approve: async () => ({allowed: true}) as const};
		const tool = createWriteFile(places);
		for (const path of ['scripts/check.sh', 'scripts/lib.sh', 'rules.mjs', 'missing', 'absent.sh', 'data.txt']) {
			await expect(tool.run({path, content: 'evil\n'}, allowing)).rejects.toThrow('is protected');
		}

		expect(readFileSync(join(workspace, 'scripts/check.sh'), 'utf8')).toBe(files['scripts/check.sh']);
		expect(await tool.run({path: 'src/new.sh', content: 'fine\n'}, allowing)).toContain('Created');
	});

	test('is not covered by a rule for edits if a command without a sandbox redirects to it', async () => {
		const {places, workspace} = await withHooks();
		const rules = ['edit_file', 'run_command(echo *)'].map(rule => ({
			...{rule: parseRule(rule), effect: 'allow' as const, source: 'flag' as const},
		}));
		const judge = judgeByRules({
			book: {list: () => rules},
			workspace: () => workspace,
			places,
			hide: text => text,
		});
		const effectOf = async (command: string) =>
			(await judge({kind: 'command', command, folder: workspace, containment: 'none'})).effect;
		expect(await effectOf('echo x > notes.txt')).toBe('allow');
		for (const path of ['scripts/lib.sh', 'absent.sh', 'lint.mjs']) {
			expect([path, await effectOf(`echo x > ${path}`)]).toEqual([path, 'ask']);
		}
	});

	test.skipIf(!hasBubblewrap)(`is not changed by a command in the sandbox${skipped}`, async () => {
		const {context, places, workspace} = await withHooks();
		const session = createCommandSession({places});
		const approve: typeof context.approve = async ({act}) => ({
			allowed: act.kind === 'command' && act.containment === 'sandbox',
		});
		const allowing = {...context, approve};
		try {
			const command =
				'mv scripts s && cp -r s scripts; echo evil > scripts/check.sh; echo evil > scripts/lib.sh; echo evil > lint.mjs; rm bin/run; echo evil > rules.mjs; true';
			await createRunCommand(session).run({command}, allowing);
		} finally {
			await session.end();
		}

		for (const path of ['scripts/check.sh', 'scripts/lib.sh', 'lint.mjs', 'rules.mjs', 'bin/run'] as const) {
			expect(readFileSync(join(workspace, path), 'utf8')).toBe(files[path]);
		}
	});
});
