import {execFileSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {createHooks} from '../../../src/agent/hooks.ts';
import {createStartGate, nameFile, type Unseen} from '../../../src/agent/unseen/start-gate.ts';
import type {Hook} from '../../../src/config/project/settings-file.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {hasBubblewrap, skipped} from '../sandbox/needs-bubblewrap.ts';
import {agentAtWork} from './agent-at-work.ts';

const live = new AbortController().signal;
const starting = {who: 'The hook “x”', later: 'send a message'};

/** A gate whose user gives these answers; without answers nobody can be asked. */
function gateOf(
	{folder, stateFolder}: {readonly folder: string; readonly stateFolder: string},
	answers?: boolean[],
	{trustsAll = false, meanwhile = () => {}} = {},
) {
	const asked: string[][] = [];
	const ask = async (_: unknown, {files, fault}: Unseen) => {
		asked.push(fault === undefined ? files.map(file => nameFile(file, folder)).sort() : [fault]);
		meanwhile();
		return answers?.shift() ?? false;
	};
	const gate = createStartGate({stateFolder, root: async () => folder, trustsAll, ask: () => answers && ask});
	return {...gate, asked, starts: async () => (await gate.whyNot(starting, live)) === undefined};
}

/** An agent beside a hook that runs outside the sandbox, and marks that as `$MARKER`. */
async function besideHook(files: Readonly<Record<string, string>>, command: string) {
	const agent = await agentAtWork(files);
	execFileSync('chmod', ['-R', 'a+x', agent.folder]);
	execFileSync('git', ['init', '-q', agent.folder]);
	const marker = join(temporaryFolder(), 'marker');
	const own = `export MARKER='${marker}' GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x`;
	const hook: Hook = {event: 'after-tool', command: `${own}; ${command}`, sandbox: false};
	return {
		...agent,
		hasRun: () => existsSync(marker),
		/** Runs the hook after a tool. Returns what the user was asked, and what they were told. */
		async runHook(answers?: boolean[]) {
			const gate = gateOf(agent, answers);
			const hooks = createHooks({
				hooks: [hook],
				session: 's',
				folder: agent.folder,
				root: agent.folder,
				hide: (text: string) => text,
				commands: agent.commands,
				mayLeave: async (_, __, signal) => ({refused: await gate.whyNot(starting, signal), notes: []}),
			});
			const after = {event: 'after-tool', tool: 'edit_file', arguments: {}, result: '', failed: false} as const;
			return {asked: gate.asked, warnings: (await hooks?.(after, live))?.warnings};
		},
	};
}

describe.skipIf(!hasBubblewrap)(`[12] what starts outside the sandbox${skipped}`, () => {
	test('starts unasked while only the user changes files, and asks about what the agent left', async () => {
		const agent = await agentAtWork({'a.js': '', 'b.js': ''});
		const gate = gateOf(agent, [false, true]);
		writeFileSync(join(agent.folder, 'a.js'), 'by the user');
		expect(await gate.starts()).toBe(true);
		await agent.write('a.js', 'by the agent');
		await agent.run('rm b.js');
		expect(await gate.whyNot(starting, live)).toBe(
			'It would run outside the sandbox, but the agent changed a.js, b.js (removed), and nobody saw that. Look at it, then send a message.',
		);
		// A no counts until something else changes.
		expect(await gate.starts()).toBe(false);
		expect(gate.asked).toEqual([['a.js', 'b.js (removed)']]);
		gate.forget();
		expect([await gate.starts(), await gate.starts()]).toEqual([true, true]);
		expect(gate.asked).toHaveLength(2);
		await agent.write('a.js', 'again');
		expect(await gate.starts()).toBe(false);
	});

	test('asks again about what changed while the user was asked', async () => {
		const agent = await agentAtWork({'a.js': ''});
		await agent.write('a.js', 'first');
		const job = await agent.start('until [ -e go ]; do :; done; echo x > b.js; touch done; sleep 1000');
		const meanwhile = () => writeFileSync(join(agent.folder, 'go'), '');
		const gate = gateOf(agent, [true, false, false], {meanwhile});
		await gate.starts();
		await expect.poll(() => existsSync(join(agent.folder, 'done'))).toBe(true);
		expect(await gate.starts()).toBe(false);
		expect(gate.asked[0]).toEqual(['a.js']);
		expect(gate.asked.at(-1)).toContain('b.js');
		expect(gate.asked.at(-1)).not.toContain('a.js');
		await job.stop();
	});

	test('does not start where nobody can be asked, unless the command line trusts the folder', async () => {
		const agent = await agentAtWork({'a.js': ''});
		await agent.write('a.js', 'x');
		expect(await gateOf(agent).whyNot(starting, live)).toContain(
			'Pass --trust to -p to start it, or start it in the app, which asks you.',
		);
		const trusting = gateOf(agent, undefined, {trustsAll: true});
		expect(await trusting.starts()).toBe(true);
		expect(trusting.takeNotes()).toEqual([
			'The hook “x” started outside the sandbox because of --trust: the agent changed a.js, and nobody saw that.',
		]);
		expect(await gateOf(agent).starts()).toBe(false);
	});

	test('asks if the ledger is damaged, and begins it anew after a yes', async () => {
		const agent = await agentAtWork({'a.js': ''});
		await agent.write('a.js', 'x');
		const [file = ''] = [join(agent.stateFolder, 'unseen')].flatMap(folder =>
			readdirSync(folder).map(name => join(folder, name, 'files.json')),
		);
		writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20));
		expect(await gateOf(agent).starts()).toBe(false);
		expect(await gateOf(agent, [true]).starts()).toBe(true);
		expect(await gateOf(agent).starts()).toBe(true);
	});
});

/** Ways in which programs find files that nobody names: hook, what the agent writes, and what has to be there. */
type Form = readonly [hook: string, path: string, text: string, there?: Readonly<Record<string, string>>];

const forms: readonly Form[] = [
	['npm test', 'package.json', '{"scripts":{"test":"touch $MARKER"}}'],
	[
		'npm test',
		'.npmrc',
		'script-shell=./evil\n',
		{'package.json': '{"scripts":{"test":"true"}}', evil: '#!/bin/sh\ntouch $MARKER'},
	],
	[
		'npm run -s lint',
		'node_modules/.bin/lint',
		'#!/bin/sh\ntouch $MARKER',
		{'package.json': '{"scripts":{"lint":"sh node_modules/.bin/lint"}}'},
	],
	['node --test', 'a.test.js', js()],
	['node --test', 'test/deep/a.js', js()],
	['node .', 'index.js', js()],
	['node .', 'package.json', '{"main":"x/evil.js"}', {'x/evil.js': js()}],
	['node src', 'src/index.js', js()],
	['node main', 'main.js', js()],
	['node -r ./setup main.js', 'setup.js', js(), {'main.js': ''}],
	['node --import ./setup.mjs main.js', 'setup.mjs', mjs(), {'main.js': ''}],
	[
		'node main.js',
		'node_modules/dep/index.js',
		js(),
		{'main.js': 'require("dep")', 'node_modules/dep/package.json': '{}'},
	],
	[
		'node main.js',
		'node_modules/dep/package.json',
		'{"main":"evil.js"}',
		{'main.js': 'require("dep")', 'node_modules/dep/index.js': '', 'node_modules/dep/evil.js': js()},
	],
	['node main.js', 'lib/data.json.js', js(), {'main.js': 'require("./lib/data.json")'}],
	[
		'node main.js',
		'.config.js',
		js(),
		{'main.js': 'require("fs").existsSync(".config.js") && require("./.config.js")'},
	],
	['node -e "require(\'./x\')"', 'x/index.js', js()],
	['make', 'Makefile', 'all:\n\ttouch $(MARKER)\n'],
	['make', 'GNUmakefile', 'all:\n\ttouch $(MARKER)\n', {Makefile: 'all:\n\ttrue\n'}],
	['make', 'rules.mk', 'all:\n\ttouch $(MARKER)\n', {Makefile: 'include *.mk\n'}],
	['make -C sub', 'sub/makefile', 'all:\n\ttouch $(MARKER)\n'],
	['python3 -m tool', 'tool.py', py()],
	['python3 -m tool', 'tool/__main__.py', py(), {'tool/__init__.py': ''}],
	['python3 main.py', 'helper.py', py(), {'main.py': 'import helper'}],
	['python3 main.py', 'json.py', py(), {'main.py': 'import json'}],
	['python3 -m unittest', 'test_a.py', py()],
	['python3 .', '__main__.py', py()],
	['PYTHONPATH=. python3 -c pass', 'sitecustomize.py', py()],
	['sh run', 'run', 'touch $MARKER'],
	['. ./env.sh', 'env.sh', 'touch $MARKER'],
	['sh run.sh', 'lib/common', 'touch $MARKER', {'run.sh': '. "$(ls -d lib/*)"'}],
	['for f in hooks.d/*; do sh "$f"; done', 'hooks.d/10-x', 'touch $MARKER'],
	['find . -name "*.check" -exec sh {} \\;', 'a/b/c.check', 'touch $MARKER'],
	['ENV=./rc sh -i -c true', 'rc', 'touch $MARKER'],
	['BASH_ENV=rc bash -c true', 'rc', 'touch $MARKER'],
	['PATH=./bin:$PATH tool', 'bin/tool', '#!/bin/sh\ntouch $MARKER'],
	['git -c include.path=$PWD/conf status', 'conf', '[core]\n\tfsmonitor = "touch $MARKER; false"\n'],
	['git -c core.hooksPath=hooks commit --allow-empty -m x', 'hooks/pre-commit', '#!/bin/sh\ntouch $MARKER'],
	['git -c alias.x="!sh ./x" x', 'x', 'touch $MARKER'],
	['xargs -a commands -I{} sh -c {}', 'commands', 'touch $MARKER'],
	['sh < orders', 'orders', 'touch $MARKER'],
	['cat orders | sh', 'orders', 'touch $MARKER'],
	['awk -f prog.awk', 'prog.awk', 'BEGIN { system("touch $MARKER") }'],
	['sed -f prog.sed data', 'prog.sed', 'e touch $MARKER', {data: 'x\n'}],
	['perl -I. -MTool -e 1', 'Tool.pm', 'system("touch \\$MARKER"); 1;'],
];

function js(): string {
	return 'require("fs").writeFileSync(process.env.MARKER, "")';
}

function mjs(): string {
	return 'import fs from "node:fs"; fs.writeFileSync(process.env.MARKER, "")';
}

function py(): string {
	return 'import os; open(os.environ["MARKER"], "w").close()';
}

describe.skipIf(!hasBubblewrap)(
	`[12] a file that the agent wrote does not run outside the sandbox unseen${skipped}`,
	() => {
		test.each(forms.map(([hook, path, text, there = {}]) => [hook, path, text, there] as const))(
			'%s, with %s',
			async (command, path, text, there) => {
				const {hasRun, runHook, run, write} = await besideHook({'other.txt': '', ...there}, command);
				await write(path, text);
				await run(`chmod +x '${path}'`);
				const {asked, warnings} = await runHook([false]);
				expect(asked).toEqual([[path]]);
				expect(warnings).toEqual([expect.stringContaining(path)]);
				expect(hasRun()).toBe(false);
				// It is a way that works.
				await runHook([true]);
				expect(hasRun()).toBe(true);
			},
		);

		test('of any name, written by any tool', async () => {
			const segment = fc
				.stringMatching(/^[\w.@ +-]{1,12}$/)
				.filter(name => !/^\.{1,2}$|^\.git$/i.test(name) && name.trim() === name);
			const path = fc.array(segment, {minLength: 1, maxLength: 4}).map(names => names.join('/'));
			const paths = fc.uniqueArray(path, {minLength: 1, maxLength: 4, selector: each => each.split('/')[0] ?? ''});
			await fc.assert(
				fc.asyncProperty(paths, fc.boolean(), async (names, byCommand) => {
					// The worst of hooks: it runs whatever there is.
					const all = 'find . -type f -not -path "./.git/*" -exec sh {} \\;';
					const {hasRun, runHook, run, write} = await besideHook({}, all);
					for (const name of names) {
						const text = 'touch "$MARKER"';
						await (byCommand
							? run(`mkdir -p "$(dirname './${name}')"; echo '${text}' > './${name}'`)
							: write(name, text));
					}

					const {asked} = await runHook([false]);
					expect(asked).toEqual([[...names].sort()]);
					expect(hasRun()).toBe(false);
				}),
				{numRuns: 15},
			);
		});
	},
);
