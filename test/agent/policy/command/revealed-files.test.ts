import {rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {openPolicy} from '../judging.ts';

const {workspace, judgeCommand} = openPolicy({
	'a.ts': 'a\n',
	'plain/b.ts': 'b\n',
	'app/.env': 'KEY=secret\n',
	'app/c.ts': 'c\n',
	'app/.keys/server.pem': 'key\n',
	'.git/config': '',
});

const effectOf = async (command: string) => (await judgeCommand(command)).effect;

test('[14] ripgrep asks if its patterns reach hidden secret files', async () => {
	for (const options of [
		"-g '.env'",
		"-g '*'",
		"--glob '**/.e*'",
		"--iglob '.ENV'",
		"-g '.e[n]v'",
		"-g '{.env,x}'",
		"-g '.git/**'",
		"-g '.keys'",
		'-t pem -g x',
	]) {
		expect([options, await effectOf(`rg ${options} KEY`)]).toEqual([options, 'ask']);
	}

	for (const options of ['', "-g '*.ts'", "-g '!*.md'", "-g 'app/*.ts'", '--type-not json']) {
		expect([options, await effectOf(`rg ${options} KEY`)]).toEqual([options, 'allow']);
	}

	expect(await effectOf("rg -g '*' b plain")).toBe('allow');
});

test.each(['.gitignore', '.ignore', '.rgignore', 'app/.gitignore'])(
	'[14] ripgrep asks if %s reveals one',
	async name => {
		const path = join(workspace(), name);
		onTestFinished(() => rm(path, {force: true}));
		await writeFile(path, '# comment\n!.env\n');
		expect([await effectOf('rg KEY'), await effectOf('rg KEY app')]).toEqual(['ask', 'ask']);
		await writeFile(path, 'node_modules\n.env\n!kept.txt\n');
		expect([await effectOf('rg KEY'), await effectOf('rg KEY app')]).toEqual(['allow', 'allow']);
	},
);

test('[21] hostile patterns take no time', async () => {
	const path = join(workspace(), '.ignore');
	onTestFinished(() => rm(path, {force: true}));
	await writeFile(path, `!${'a*'.repeat(50_000)}\n${'!*x\n'.repeat(10_000)}`);
	await writeFile(join(workspace(), `.${'a'.repeat(200)}`), '');
	expect(await effectOf('rg KEY')).toBe('allow');
});
