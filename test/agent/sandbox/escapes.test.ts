import {existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openCommands} from '../tools/command/open-commands.ts';
import {git} from '../tools/workspace.ts';
import {hasBubblewrap, skipped} from './needs-bubblewrap.ts';
import {repository, sandboxed} from './open-sandbox.ts';

describe.skipIf(!hasBubblewrap)(`in the sandbox${skipped}`, () => {
	test('[15] secrets of the home folder and our own state cannot be read, even through links', async () => {
		const {run, home, stateFolder, path} = await sandboxed();
		for (const file of ['.ssh/id_ed25519', '.aws/credentials', '.cargo/credentials.toml', 'notes.txt', '.netrc']) {
			mkdirSync(join(home, file, '..'), {recursive: true});
			writeFileSync(join(home, file), 'a home secret');
		}

		mkdirSync(join(home, '.cargo', 'bin'));
		writeFileSync(join(home, '.cargo', 'bin', 'tool'), 'a tool of the user');
		symlinkSync(join(home, '.ssh'), path('link'));
		const result = await run(
			`cat link/id_ed25519 ${home}/.ssh/* ${home}/.aws/credentials ${home}/.cargo/credentials.toml ${home}/notes.txt \
			${home}/.netrc ${stateFolder}/config.json ${stateFolder}/work/*/tmp/x; find ${home} ${stateFolder} -type f; cat ${home}/.cargo/bin/tool`,
		);
		expect(result).not.toContain('a home secret');
		expect(result).not.toContain('a secret key');
		expect(result).toContain('a tool of the user');
	});

	test('[15] nothing outside the working folder can be written, and /tmp is private', async () => {
		const {run, root, home, path} = await sandboxed();
		symlinkSync(root, path('up'));
		const result = await run(
			`for f in ${root}/outside.txt up/outside.txt ${home}/.bashrc /etc/planted /usr/bin/planted /proc/sys/kernel/core_pattern; do
				(echo x > $f) 2>/dev/null && echo wrote $f; done; echo x > inside.txt; echo y > /tmp/private-file && echo own`,
		);
		// If the folder is in `/tmp`, what is beside it is in the private one.
		expect(result.replace(`wrote ${root}/outside.txt\nwrote up/outside.txt\n`, '')).toMatch(/^own\n\[/);
		expect(readFileSync(join(root, 'outside.txt'), 'utf8')).toBe('outside');
		expect(readdirSync(home)).toEqual([]);
		expect([existsSync('/tmp/private-file'), readFileSync(path('inside.txt'), 'utf8')]).toEqual([false, 'x\n']);
		expect(await run('cat /tmp/private-file')).toMatch(/^y\n/);
	});

	test('[13] git commits, but its hooks and settings are written in no way', async () => {
		const {inHome, path, head} = await repository();
		const before = readFileSync(path('.git/config'), 'utf8');
		const hooks = readdirSync(path('.git/hooks'));
		expect(await inHome('echo b >> a.txt && git commit -qam two && git status --short')).toMatch(
			/^\(no output\)\n\[exit status 0/,
		);
		expect(head()).toBe('2');
		const tricks = [
			'echo x > .git/hooks/pre-commit',
			'mkdir -p .git/hooks/x',
			'git config core.fsmonitor ./evil',
			'git config --global core.pager ./evil',
			'mv .git .moved && cp -r .moved .git && git config core.fsmonitor ./evil',
			'rm -rf .git/hooks .git/config && mkdir .git/hooks && echo x > .git/hooks/pre-commit',
			'mv .git/hooks .git/old',
			'ln -sfn /tmp .git/hooks',
			'mount --bind /tmp .git/hooks',
			'umount .git/hooks; echo x > .git/hooks/pre-commit',
			'unshare -rm sh -c "umount .git/hooks; echo x > .git/hooks/pre-commit"',
		];
		for (const trick of tricks) {
			await inHome(trick);
			expect([trick, readFileSync(path('.git/config'), 'utf8'), readdirSync(path('.git/hooks'))]).toEqual([
				trick,
				before,
				hooks,
			]);
		}
	});

	test('[13] a repository cannot be planted where there is none, and none is left behind', async () => {
		const {run, path, workspace} = await sandboxed({files: {'a.txt': 'a'}});
		await run('git init -q; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; rm -rf .git; mv .git x; ln -s x .git');
		expect(readdirSync(workspace)).toEqual(['a.txt']);
		expect(existsSync(path('.git'))).toBe(false);
	});

	test('[13] nor while another command runs, which already has an empty folder in its place', async () => {
		const {run, stop, workspace} = await openCommands({files: {'a.txt': 'a'}, answer: () => ({allowed: true})});
		await run('touch started; sleep 60', {background: true});
		await expect.poll(() => existsSync(join(workspace, 'started'))).toBe(true);
		expect(await run('mkdir .git/hooks || echo refused')).toContain('refused');
		await stop('1');
		expect(readdirSync(workspace)).toEqual(['a.txt', 'started']);
	});

	test('[13] what redirects git is removed after a command', async () => {
		const {inHome, path} = await repository();
		await inHome('mkdir evil; cp .git/HEAD evil; cp -r .git/objects .git/refs evil; printf "../evil" > .git/commondir');
		expect(existsSync(path('.git/commondir'))).toBe(false);
		const result = await inHome(
			'rm .git/HEAD; printf "ref: refs/heads/x" > HEAD; mkdir objects refs; printf "[core]\\n\\tbare = false\\n\\tfsmonitor = ./evil\\n" > config',
		);
		expect(existsSync(path('HEAD'))).toBe(false);
		expect(result).toContain('renamed HEAD to HEAD-untrusted-');
	});

	test('[13] git works in a worktree, whose settings stay as they are', async () => {
		const {root, workspace, session, context, run, home} = await repository();
		const tree = join(root, 'tree');
		git(workspace, 'worktree', 'add', '-q', tree);
		const before = readFileSync(join(workspace, '.git/config'), 'utf8');
		const inTree = (command: string) => run(`export HOME=${home}; ${command}`, {}, {...context, workspace: tree});
		expect(session).toBeDefined();
		expect(await inTree('echo b >> a.txt && git commit -qam two && git log --oneline | wc -l')).toMatch(
			/^2\n\[exit status 0/,
		);
		await inTree(
			`git config core.pager ./evil; echo x > ${workspace}/.git/hooks/pre-commit; echo x > ${workspace}/b.txt`,
		);
		await inTree('rm .git; echo "gitdir: /tmp" > .git');
		expect(readFileSync(join(workspace, '.git/config'), 'utf8')).toBe(before);
		expect(existsSync(join(workspace, '.git/hooks/pre-commit'))).toBe(false);
		expect(existsSync(join(workspace, 'b.txt'))).toBe(false);
		expect(lstatSync(join(tree, '.git')).isFile()).toBe(true);
	});

	test('[13] git works in a submodule, whose settings stay as they are', async () => {
		const {root, workspace, context, run, home} = await repository();
		git(root, 'clone', '-q', workspace, 'other');
		git(workspace, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', join(root, 'other'), 'sub');
		const config = join(workspace, '.git/modules/sub/config');
		const before = readFileSync(config, 'utf8');
		for (const folder of [workspace, join(workspace, 'sub')]) {
			const given = {...context, workspace: folder};
			const go = folder === workspace ? 'cd sub; ' : '';
			expect(await run(`${go}export HOME=${home}; echo b >> a.txt; git commit -qam more`, {}, given)).toMatch(
				/\[exit status 0/,
			);
			await run(
				`${go}git config core.fsmonitor ./evil; echo x > $(git rev-parse --git-dir)/hooks/pre-commit`,
				{},
				given,
			);
			expect(readFileSync(config, 'utf8')).toBe(before);
			expect(existsSync(join(workspace, '.git/modules/sub/hooks/pre-commit'))).toBe(false);
		}
	});

	test('[13] a file that claims to be a worktree opens no other folder', async () => {
		const {run, root, path} = await sandboxed();
		mkdirSync(join(root, 'other', '.git', 'worktrees', 'x'), {recursive: true});
		writeFileSync(join(root, 'other', '.git', 'worktrees', 'x', 'gitdir'), '/elsewhere/.git\n');
		writeFileSync(path('.git'), `gitdir: ${root}/other/.git/worktrees/x\n`);
		await run(`echo x > ${root}/other/.git/planted; echo x > ${root}/other/.git/worktrees/x/planted`);
		expect(readdirSync(join(root, 'other', '.git'))).toEqual(['worktrees']);
		expect(readdirSync(join(root, 'other', '.git', 'worktrees', 'x'))).toEqual(['gitdir']);
	});

	test('[15] other processes cannot be seen, read or traced', async () => {
		const {run} = await sandboxed();
		const result = await run(
			`ls /proc | grep -c '^[0-9]'; tr '\\0' '\\n' < /proc/1/environ | grep -c VITEST; kill -0 ${process.pid} && echo alive; cat /proc/${process.pid}/environ; ls /proc/self/fd | wc -l`,
		);
		expect(result).not.toContain('alive');
		expect(result).not.toContain('VITEST_');
		const [processes] = result.split('\n');
		expect(Number(processes)).toBeLessThan(10);
	});

	test('[15] no capability is left, and none can be gained', async () => {
		const {run} = await sandboxed();
		expect(await run('grep -E "^(CapEff|CapPrm|NoNewPrivs)" /proc/self/status')).toMatch(
			/^CapPrm:\t0{16}\nCapEff:\t0{16}\nNoNewPrivs:\t1\n/,
		);
	});

	test('[15] neither the network nor sockets of services are reachable, but its own loopback is', async () => {
		const {run, stateFolder} = await sandboxed({files: {'server.mjs': ownServer}});
		const port = await listening({host: '127.0.0.1', port: 0});
		const name = `\0service-test-${process.pid}`;
		await listening({path: name});
		await listening({path: join(stateFolder, 'socket')});
		const connect = (where: string) =>
			`node -e 'require("net").connect(${where}).on("connect",()=>{console.log("REACHED");process.exit()}).on("error",()=>process.exit(9))'`;
		const result = await run(
			[
				connect(`{port:${port},host:"127.0.0.1"}`),
				connect(`"\\0service-test-${process.pid}"`),
				connect(`"${stateFolder}/socket"`),
				connect('{port:80,host:"192.0.2.1"}'),
				'ls /run /var/run',
				'node server.mjs',
			].join('; '),
		);
		expect(result).not.toContain('REACHED');
		expect(result).not.toMatch(/docker|dbus|systemd/);
		expect(result).toContain('own server: hello');
	});

	test('[15] a command gets no descriptor of the program', async () => {
		const {run} = await sandboxed();
		const result = await run('for f in /proc/self/fd/*; do readlink $f; done | sort | uniq');
		expect(result.replace(/socket:\[\d+\]|pipe:\[\d+\]/g, 'output')).toMatch(
			/^(?:\/dev\/null\n|\/proc\/\d+\/fd\n|output\n)+\[exit status 0/,
		);
	});
});

const ownServer = `import {createServer} from 'node:http';
const server = createServer((request, response) => response.end('hello')).listen(0, '127.0.0.1', async () => {
	const response = await fetch('http://127.0.0.1:' + server.address().port);
	console.log('own server: ' + await response.text());
	server.close();
	server.closeAllConnections();
});`;

async function listening(
	where: {readonly host: string; readonly port: number} | {readonly path: string},
): Promise<number> {
	const server = createServer(socket => socket.destroy());
	onTestFinished(() => void server.close());
	await new Promise<void>(resolve => {
		server.listen(where, resolve);
	});
	const address = server.address();
	return typeof address === 'object' && address ? address.port : 0;
}
