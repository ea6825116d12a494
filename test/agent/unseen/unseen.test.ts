import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {openWindow} from '../../../src/agent/unseen/change-window.ts';
import {ledgerFolder} from '../../../src/agent/unseen/unseen-ledger.ts';
import {hasBubblewrap, skipped} from '../sandbox/needs-bubblewrap.ts';
import {git, writeAll} from '../tools/workspace.ts';
import {agentAtWork} from './agent-at-work.ts';

const files = {
	'package.json': '{}\n',
	'src/a.js': 'a\n',
	'src/b.js': 'b\n',
	'lib/deep/c.js': 'c\n',
	'node_modules/dep/index.js': 'dep\n',
};

describe.skipIf(!hasBubblewrap)(`[12] what the agent leaves in a folder is unseen${skipped}`, () => {
	test.each<[string, string, readonly string[]]>([
		['changes a file', 'echo x >> src/a.js', ['src/a.js']],
		['creates one', 'echo x > src/new.js', ['src/new.js']],
		['creates folders', 'mkdir -p x/y; echo x > x/y/z.js', ['x/y/z.js']],
		['removes a file', 'rm src/a.js', ['src/a.js (removed)']],
		['removes a folder', 'rm -r lib', ['lib (removed)']],
		['renames a file', 'mv src/a.js src/z.js', ['src/a.js (removed)', 'src/z.js']],
		['renames over a file', 'mv src/a.js src/b.js', ['src/a.js (removed)', 'src/b.js']],
		['renames a folder', 'mv lib other', ['lib (removed)', 'other/deep/c.js']],
		['changes a package', 'echo x > node_modules/dep/index.js', ['node_modules/dep/index.js']],
		['makes a program of a file', 'chmod +x src/a.js', ['src/a.js']],
		['makes a link', 'ln -s src/a.js link', ['link']],
		['replaces a folder by a link', 'mv lib lib2; ln -s lib2 lib', ['lib', 'lib2/deep/c.js']],
		['replaces a file by a folder', 'rm src/a.js; mkdir src/a.js; echo x > src/a.js/index.js', ['src/a.js/index.js']],
		['forges the time of a file', 'echo x > src/a.js; touch -d 2001-01-01 src/a.js', ['src/a.js']],
		['forges the time of a folder', 'rm src/a.js; touch -d 2001-01-01 src', ['src/a.js (removed)']],
		['copies with an old time', 'cp -a src/a.js src/b.js', ['src/b.js']],
		['takes an odd name', "echo x > '__proto__'; echo x > $'new\\nline'", ['__proto__', 'new\nline']],
		['hides behind permissions', 'mkdir p; echo x > p/x.js; chmod 000 p', [process.getuid?.() === 0 ? 'p/x.js' : 'p']],
		['writes a bare folder of git', 'mkdir -p r/objects; echo x > r/objects/x.js', ['r/objects/x.js']],
		['hides in the folder of git', 'mkdir -p .git/objects; echo x > .git/objects/x.js; echo x > .git/x.js', []],
		['writes nothing', 'cat src/a.js; ls -R > /dev/null; git status', []],
		['writes to /tmp only', 'echo x > /tmp/x', []],
	])('if a command %s', async (_, command, expected) => {
		const {run, unseen} = await agentAtWork(files);
		await run(command);
		expect(await unseen()).toEqual([...expected].sort());
	});
});

describe.skipIf(!hasBubblewrap)(`[12] what the user saw, or changed, is not unseen${skipped}`, () => {
	test('what only the user changed', async () => {
		const {run, unseen, folder} = await agentAtWork(files);
		await run('cat package.json');
		// The clock of a file system may stand still for a moment.
		await sleep(20);
		await writeAll(folder, {'src/a.js': 'by the user\n', 'src/new.js': 'new\n'});
		rmSync(join(folder, 'src/b.js'));
		expect(await unseen()).toEqual([]);
	});

	test('an edit counts as seen only if the user was asked about it', async () => {
		const {write, edit, unseen} = await agentAtWork(files);
		await write('src/a.js', 'seen\n', {seen: true});
		expect(await unseen()).toEqual([]);
		await write('src/a.js', 'unseen\n');
		await write('src/new.js', 'unseen\n');
		expect(await unseen()).toEqual(['src/a.js', 'src/new.js']);
		// The rest of the file is still what nobody saw.
		await edit('src/a.js', 'unseen', 'unseen, and more', {seen: true});
		expect(await unseen()).toEqual(['src/a.js', 'src/new.js']);
	});

	test('what the user changes afterwards, but not what an undo brings back', async () => {
		const {write, unseen, folder} = await agentAtWork(files);
		await write('src/a.js', 'one\n');
		await write('src/a.js', 'two\n');
		writeFileSync(join(folder, 'src/a.js'), 'one\n');
		expect(await unseen()).toEqual(['src/a.js']);
		writeFileSync(join(folder, 'src/a.js'), 'two, by the user\n');
		expect(await unseen()).toEqual([]);
	});

	test('what the user commits, but not what the agent commits or checks out', async () => {
		const {run, unseen, folder} = await agentAtWork(files);
		git(folder, 'init');
		git(folder, 'add', '-A');
		git(folder, 'commit', '-m', 'first');
		git(folder, 'checkout', '-b', 'other');
		await writeAll(folder, {'src/b.js': 'of a branch\n'});
		git(folder, 'commit', '-am', 'other');
		git(folder, 'checkout', '-');
		const commit = 'git -c user.name=a -c user.email=a@b commit --date 2035-01-01T00:00:00';
		await run(
			`echo x > src/a.js; echo y > src/y.js; rm package.json; GIT_COMMITTER_DATE=2035-01-01T00:00:00 ${commit} -am x`,
		);
		expect(await run('git log --format=%s')).toBe('x\nfirst');
		expect(await unseen()).toEqual(['package.json (removed)', 'src/a.js', 'src/y.js']);
		await run('git checkout -q other -- src/b.js; git stash -q; git stash pop -q; git gc -q');
		expect(await unseen()).toEqual(['package.json (removed)', 'src/a.js', 'src/b.js', 'src/y.js']);
		await writeAll(folder, {'mine.txt': 'x'});
		git(folder, 'add', 'mine.txt', 'src/y.js');
		git(folder, 'commit', '-m', 'only these', '--', 'mine.txt', 'src/y.js');
		expect(await unseen()).toEqual(['package.json (removed)', 'src/a.js', 'src/b.js']);
		git(folder, 'add', '-A');
		git(folder, 'commit', '-m', 'mine', '--amend');
		expect(await unseen()).toEqual(['package.json (removed)', 'src/a.js']);
	});
});

describe('[12] a commit is of whoever made it, however late it is noted', () => {
	test('the user’s after the end of a command is not the command’s', async () => {
		const {folder, stateFolder, unseen} = await inRepository();
		const window = await openWindow({folder, stateFolder}, 'command');
		writeFileSync(join(folder, 'src/a.js'), 'of the agent\n');
		await window.end();
		git(folder, 'commit', '-am', 'mine');
		await window.close();
		expect(await unseen()).toEqual([]);
	});

	test('the agent’s is its own, if a command that ended before it is noted after it', async () => {
		const {folder, stateFolder, unseen} = await inRepository();
		const first = await openWindow({folder, stateFolder}, 'command');
		writeFileSync(join(folder, 'src/b.js'), 'of the agent\n');
		await first.end();
		const second = await openWindow({folder, stateFolder}, 'command');
		writeFileSync(join(folder, 'src/a.js'), 'of the agent\n');
		git(folder, 'commit', '-am', 'of the agent');
		await second.close();
		await first.close();
		expect(await unseen()).toEqual(['src/a.js', 'src/b.js']);
	});
});

describe.skipIf(!hasBubblewrap)(
	`[12] a commit of the agent is not the user's, wherever the agent leaves HEAD${skipped}`,
	() => {
		const commit = 'git -c user.name=a -c user.email=a@b commit -qam x';
		test.each([
			['detached', `${commit}; git checkout -q --detach HEAD~1`],
			['unborn', `${commit}; git symbolic-ref HEAD refs/heads/none`],
			['on another branch', `git branch old; ${commit}; git symbolic-ref HEAD refs/heads/old`],
		])('%s', async (_, command) => {
			const {run, unseen, folder} = await inRepository();
			git(folder, 'branch', '-M', 'main');
			await run(`echo x > src/a.js; ${command}; echo x > src/a.js`);
			expect(await unseen()).toContain('src/a.js');
			git(folder, 'symbolic-ref', 'HEAD', 'refs/heads/main');
			expect(await unseen()).toContain('src/a.js');
		});
	},
);

describe.skipIf(!hasBubblewrap)(`[12] changes are found wherever they come from${skipped}`, () => {
	test('a job that still runs, and one after the last look', async () => {
		const {start, unseen, folder} = await agentAtWork(files);
		const job = await start('echo 1 > one; until [ -e go ]; do :; done; echo 2 > two; touch done; sleep 1000');
		await expect.poll(() => existsSync(join(folder, 'one'))).toBe(true);
		expect(await unseen()).toEqual(['one']);
		writeFileSync(join(folder, 'go'), '');
		await expect.poll(() => existsSync(join(folder, 'done'))).toBe(true);
		expect(await unseen()).toEqual(expect.arrayContaining(['one', 'two']));
		await job.stop();
	});

	test('a file that a job changes all the time', async () => {
		const {start, unseen, folder} = await agentAtWork(files);
		const job = await start('while :; do echo $((n++)) > src/a.js; done');
		await expect.poll(() => readFileSync(join(folder, 'src/a.js'), 'utf8')).not.toBe('a\n');
		for (let look = 0; look < 30; look++) {
			expect(await unseen()).toEqual(['src/a.js']);
		}

		await job.stop();
		await job.ended;
		expect(await unseen()).toEqual(['src/a.js']);
	});

	test('sessions below the folder and above it', async () => {
		const {session, unseen, folder} = await agentAtWork(files);
		await session({at: 'lib'}).run('echo x > deep/c.js');
		await session({at: 'src'}).write('a.js', 'x\n');
		expect(await unseen()).toEqual(['lib/deep/c.js', 'src/a.js']);
		expect(await unseen(join(folder, 'lib'))).toEqual(['deep/c.js']);
		expect(await unseen(join(folder, 'node_modules'))).toEqual([]);
	});

	test('a process that was killed in the middle of a command', async () => {
		const {unseen, folder, stateFolder} = await agentAtWork(files);
		await openWindow({folder, stateFolder}, 'command');
		await leaveToDead(ledgerFolder({folder, stateFolder}));
		rmSync(join(folder, 'src/a.js'));
		writeFileSync(join(folder, 'src/b.js'), 'left');
		expect(await unseen()).toEqual(['src/a.js (removed)', 'src/b.js']);
		expect(await unseen()).toEqual(['src/a.js (removed)', 'src/b.js']);
	});

	test('nothing, if somebody looks while a command that left nothing ends', async () => {
		const places = await Promise.all(Array.from({length: 12}, () => agentAtWork(files)));
		await sleep(20);
		for (const [index, {folder, stateFolder, unseen}] of places.entries()) {
			const {close} = await openWindow({folder, stateFolder}, 'command');
			mkdirSync(join(folder, 'x'));
			rmdirSync(join(folder, 'x'));
			await Promise.all([close(), unseen(), sleep(index).then(() => unseen())]);
			expect(await unseen()).toEqual([]);
		}
	});

	test('more files than can be listed are found by their folder', async () => {
		const {run, unseen} = await agentAtWork(files);
		await run('cd node_modules; for i in $(seq 3000); do : > f$i; done');
		expect(await unseen()).toEqual([expect.stringMatching(/^node_modules\/ \(300\d files\)$/)]);
	});

	test('a ledger that is damaged, or can not be read, names itself', async () => {
		const {write, unseen, stateFolder} = await agentAtWork(files);
		await write('src/a.js', 'x\n');
		const [name = ''] = readdirSync(join(stateFolder, 'unseen'));
		writeFileSync(join(stateFolder, 'unseen', name, 'files.json'), '{');
		expect(await unseen()).toEqual([expect.stringMatching(/nobody knows what the agent changed: .*is damaged/)]);
	});
});

async function inRepository() {
	const work = await agentAtWork(files);
	git(work.folder, 'init');
	git(work.folder, 'add', '-A');
	git(work.folder, 'commit', '-m', 'first');
	return work;
}

/** Makes a process that has ended the owner of the windows of a ledger. */
async function leaveToDead(ledger: string): Promise<void> {
	const {pid} = spawnSync('true');
	for (const name of readdirSync(ledger).filter(each => each.startsWith('window-'))) {
		const path = join(ledger, name, 'window.json');
		const note = JSON.parse(readFileSync(path, 'utf8'));
		writeFileSync(path, JSON.stringify({...note, owner: {...note.owner, pid}}));
	}
}
