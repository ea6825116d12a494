import {execFile} from 'node:child_process';
import {lstat, readdir, readFile, readlink} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {readOnlyEnvironment} from '../../../../src/agent/policy/command/git/git-environment.ts';

/** A small project with what commands stumble over: secrets, odd names, links (made by the tests), packages. */
export const projectFiles: Readonly<Record<string, string>> = {
	'README.md': '# Project\n\nSome text\nand more text\n',
	'package.json': '{"name": "project", "version": "1.0.0"}\n',
	'src/a.ts': 'export const a = 1;\n',
	'src/b.ts': "import {a} from './a.ts';\nconsole.log(a);\n",
	'src/data.csv': 'x,1\ny,2\nx,1\n',
	'docs/one.md': 'one\n',
	'config/key.pem': 'PRIVATE\n',
	'.env': 'KEY=secret\n',
	'node_modules/pkg/index.js': '1\n',
};

/** Commands of daily use that only read. */
export const readOnlyCommands: readonly string[] = [
	'ls',
	'ls -la src',
	'ls -R docs src',
	'ls *.md',
	'ls src/*.ts docs/*',
	'cat README.md src/a.ts',
	'cat < README.md',
	'cat missing.txt 2>/dev/null || cat README.md',
	'head -n 2 README.md',
	'head -20 README.md | tail -5',
	'tail -n +2 README.md',
	'wc -l src/*.ts',
	'stat src/a.ts',
	'pwd',
	'echo hello "big world"',
	"printf '%s\\n' a b",
	'grep -rn "const" src',
	"grep -rn 'text' . --include=*.md",
	'grep -c text README.md',
	"grep -nE 'a|b' src/a.ts",
	'find . -name "*.ts" -type f',
	'find docs/*',
	'find src -maxdepth 1 -not -name b.ts',
	"find . \\( -name '*.ts' -o -name '*.md' \\) -print",
	'find . -name "*.ts" | sort | uniq -c | sort -rn | head',
	'cut -d, -f1 src/data.csv',
	'tr a-z A-Z < README.md',
	'diff src/a.ts src/b.ts',
	'which ls',
	'command -v node',
	'type ls',
	'date',
	"date -u '+%Y'",
	'uname -a',
	"sed -n '1,2p' README.md",
	"sed -n '/Some/,/more/p' README.md",
	"sed 's/text/words/g' README.md",
	"awk -F, '{print $1}' src/data.csv",
	"awk 'NR==2 {print $1, $2}' README.md",
	'cd src && ls && cat a.ts',
	'cd src && cd .. && cat README.md',
	'ls; pwd; echo done',
	'(ls && pwd)',
	'{ ls; pwd; }',
	'! grep -q nothing README.md',
	'test -f README.md && echo yes',
	'basename src/a.ts .ts',
	'du -sh src',
	'sort src/data.csv',
	'node --version',
	'# what is here\nls\npwd # and where',
	'LC_ALL=C sort src/data.csv',
	'ls 2>&1 | cat',
	'git status',
	'git status --short',
	'git --no-pager log --oneline -5',
	'git log --oneline --graph --all --decorate -n 10',
	'git diff',
	'git diff --stat HEAD',
	'git diff HEAD -- src',
	'git show --stat HEAD -- src',
	'git branch -a',
	'git branch --show-current',
	'git rev-parse --show-toplevel',
	'git rev-parse HEAD',
	'git ls-files src',
	'git blame src/a.ts',
	'git remote -v',
	'git stash list',
	'git tag --list',
	'git log -- src/a.ts',
	'git -C src log -1 --format=%H',
];

const run = promisify(execFile);

/** Runs a command as the agent runs one that only reads. Its exit status doesn't matter. */
export async function runInBash(command: string, cwd: string, programs: string): Promise<void> {
	const env = {PATH: `${process.env['PATH']}`, HOME: programs, ...readOnlyEnvironment};
	await run('bash', ['--noprofile', '--norc', '-c', command], {cwd, env, timeout: 600_000}).catch(() => undefined);
}

/** Returns every path below a folder with its kind, mode and content. */
export async function snapshotOf(folder: string): Promise<Readonly<Record<string, string>>> {
	const found: Record<string, string> = {};
	// With types, links to folders are not followed.
	for (const {parentPath, name} of await readdir(folder, {recursive: true, withFileTypes: true})) {
		const path = join(parentPath, name);
		const stats = await lstat(path);
		const content = stats.isFile()
			? await readFile(path, 'latin1')
			: stats.isSymbolicLink()
				? await readlink(path)
				: '';
		found[path] = `${stats.mode} ${content}`;
	}

	return found;
}
