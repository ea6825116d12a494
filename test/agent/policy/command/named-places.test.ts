import {symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, expect, test} from 'vitest';
import {openPolicy} from '../judging.ts';

const {workspace, judgeCommand} = openPolicy({'.env': 'KEY=1', 'a.txt': 'a', '.git/config': '', 'src/a.ts': ''});
beforeAll(() => symlinkSync('../outside.txt', join(workspace(), 'link')));

const allow = [
	'touch *',
	'cd src && touch *',
	'mkdir *',
	'git commit *',
	'git add *',
	'gofmt *',
	'tsc *',
	'npm test *',
].map(pattern => `run_command(${pattern})`);

test.each([
	'git commit -F .env',
	'git commit -F.env',
	'git commit --file=.env',
	'git commit -t .env -m x',
	'touch ../x',
	'touch /etc/x',
	'touch link',
	'touch .git/hooks/pre-commit',
	'touch .g*/hooks/pre-commit',
	'touch *.pem',
	'mkdir -p src/.git/hooks',
	'gofmt -w ../x.go',
	'gofmt -cpuprofile=.git/config a',
	'tsc --outFile ../x.js',
	'tsc --outDir .git/hooks',
	'cd src && touch ../../x',
	'npm test -- --config ../evil.js',
])('[14] a rule that ends in a star does not cover %j', async command => {
	expect(await judgeCommand(command, {allow})).toMatchObject({
		effect: 'ask',
		why: 'names a place that its rule does not cover',
	});
});

test.each([
	'git commit -m "Fix /etc and ../x"',
	'git commit -am "feat(api): a/b = c"',
	'git add -A',
	'git add *.ts',
	'touch src/b.ts',
	'mkdir -p src/deep/er',
	'tsc --noEmit -p tsconfig.json',
	'npm test -- src/a.ts --coverage=true',
])('it still covers %j', async command => {
	expect((await judgeCommand(command, {allow})).effect).toBe('allow');
});

test('a rule that names the place itself covers it, as does one for every command', async () => {
	expect((await judgeCommand('touch ../x', {allow: ['run_command(touch *)', 'run_command(touch ../x)']})).effect).toBe(
		'allow',
	);
	expect((await judgeCommand('touch ../x', {allow: ['run_command']})).effect).toBe('allow');
});

test('for such a command a rule of exactly its words is suggested', async () => {
	const suggested = async (command: string) => {
		const verdict = await judgeCommand(command);
		return verdict.effect === 'ask' ? verdict.suggestions : [];
	};
	expect(await suggested('touch ../x')).toEqual(['run_command(touch ../x)']);
	expect(await suggested('touch x')).toEqual(['run_command(touch *)']);
});
