import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {hasBubblewrap, skipped} from './needs-bubblewrap.ts';
import {repository, sandboxed} from './open-sandbox.ts';

describe.skipIf(!hasBubblewrap)(`files that other programs run${skipped}`, () => {
	test('[13] the user and the model are told which of them a command wrote, and who runs them', async () => {
		const {run, notices, path} = await sandboxed({
			files: {
				'.gitignore': '.vscode\nnode_modules\n',
				'package.json': '{"name": "a", "scripts": {"test": "true"}}',
				'conf/tasks.json': '{}',
				'.github/workflows/old.yml': 'on: push',
			},
		});
		for (const [command, told] of [
			[
				'mkdir .vscode; echo {} > .vscode/tasks.json',
				'wrote .vscode/tasks.json, which your editor runs when you open the folder',
			],
			[
				'mkdir -p .github/workflows; echo x > .github/workflows/ci.yml',
				'wrote .github/workflows/ci.yml, which your CI or hosting service runs after a push',
			],
			[
				'mkdir -p node_modules/.bin; ln -s /bin/true node_modules/.bin/tsc',
				'wrote node_modules/.bin/tsc, which your shell runs',
			],
			['ln -sf /bin/false node_modules/.bin/tsc', 'wrote node_modules/.bin/tsc'],
			['mkdir sub; mv conf sub/.vscode', 'wrote sub/.vscode/tasks.json'],
			[
				`sed -i 's/"test"/"postinstall": "x", "test"/' package.json`,
				'wrote package.json, which your package manager runs with your next install',
			],
			[
				'for i in 1 2 3 4 5 6; do echo x > .github/workflows/$i.yml; done',
				'wrote .github/workflows/1.yml, .github/workflows/2.yml, .github/workflows/3.yml and 3 more, which',
			],
		] as const) {
			notices.length = 0;
			const result = await run(command);
			expect([command, result]).toEqual([command, expect.stringContaining(`[The command ${told}`)]);
			expect([command, notices.join('\n')]).toEqual([command, expect.stringContaining(`The command ${told}`)]);
		}

		notices.length = 0;
		writeFileSync(path('note.txt'), 'x');
		for (const command of [
			'echo x > README.md; mkdir src; echo x > src/index.ts; ls',
			'cp .github/workflows/old.yml x; cp x .github/workflows/old.yml; touch .vscode/tasks.json',
			`sed -i 's/"name": "a"/"name": "b"/' package.json`,
			'rm .github/workflows/ci.yml',
		]) {
			const result = await run(command);
			expect([command, result.includes('[The command'), notices]).toEqual([command, false, []]);
		}
	});

	test('[13] what a link with such a name leads to is told, too', async () => {
		const {run, path} = await sandboxed({
			files: {'real/tasks.json': '{}', 'tmux.txt': 'a', 'node_modules/t/tsc': 'a', 'node_modules/.bin/a': 'a'},
		});
		symlinkSync('real', path('.vscode'));
		symlinkSync('tmux.txt', path('.tmux.conf'));
		symlinkSync('../t/tsc', path('node_modules/.bin/tsc'));
		for (const [command, told] of [
			['echo evil > real/tasks.json', 'wrote .vscode/tasks.json, which your editor runs'],
			['echo evil > real/launch.json', 'wrote .vscode/launch.json, which your editor runs'],
			['echo evil > tmux.txt', 'wrote .tmux.conf, which'],
			['echo evil > node_modules/t/tsc', 'wrote node_modules/.bin/tsc, which your shell runs'],
		] as const) {
			const result = await run(command);
			expect([command, result]).toEqual([command, expect.stringContaining(`[The command ${told}`)]);
		}

		expect(await run('touch real/tasks.json; mkdir real/more')).not.toContain('[The command');
	});

	test('[13] what a hook of git calls is told, too', async () => {
		const {inHome, notices, path} = await repository();
		mkdirSync(path('scripts'));
		writeFileSync(path('scripts/check.sh'), 'true\n');
		writeFileSync(path('.git/hooks/pre-commit'), '#!/bin/sh\nsh scripts/check.sh\n', {mode: 0o755});
		const told = 'The command wrote scripts/check.sh, which a hook of git runs with your next command';
		expect(await inHome('echo evil >> scripts/check.sh')).toContain(`[${told}.]`);
		expect(notices.at(-1)).toBe(`${told}.`);
	});

	test('[13] a job in the background says it in its output', async () => {
		const {run, output, path} = await sandboxed({files: {'a.txt': 'a'}});
		symlinkSync('a.txt', path('b'));
		await run('echo set -g x > .tmux.conf', {background: true});
		await expect.poll(() => output('1', {wait_sec: 5})).toContain('The command wrote .tmux.conf, which');
	});
});
