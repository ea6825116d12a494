import {readFile, writeFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {bubblewrapArguments, taskPolicy} from '../../src/containment/bubblewrap.ts';
import {findTaskBubblewrap} from '../../src/containment/containment.ts';
import {atRest} from '../at-rest.ts';
import {eventually, localSandboxes, temporaryFolder} from '../server/sandboxes/sandbox.ts';

const path = process.env['PATH'] ?? '';
const bubblewrap = await findTaskBubblewrap(path, ['/tmp']);
const reason = bubblewrap ? '' : ' (skipped: bubblewrap is missing or does not work here)';

test('[15] everything is read-only or hidden except the workspace, which is mounted last', () => {
	const found = {
		program: '/usr/bin/bwrap',
		hasSizes: true,
		userNamespace: ['--unshare-user', '--disable-userns'],
		takesFilter: true,
	};
	const options = {
		writable: ['/data/w', '/data/t'],
		hidden: ['/data/w/in', '/home', '/tmp', '/data', '/tmp/x'],
		temporary: '/data/t',
	};
	const args = bubblewrapArguments(
		found,
		taskPolicy(found, {...options, scratchBytes: 4096, resolver: ['/data/r', '/etc/resolv.conf']}),
	);
	const scratch = ['--perms', '1777', '--size', '4096', '--tmpfs'];
	const controls = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi'].map(name => `/proc/${name}`);
	expect(args).toEqual([
		...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...scratch, '/tmp'],
		...['--tmpfs', '/home', '--tmpfs', '/data', '--dir', dirname(process.execPath)],
		...['--ro-bind', process.execPath, process.execPath, '--dir', '/data', '--bind', '/data/w', '/data/w'],
		...['--dir', '/data', '--bind', '/data/t', '/data/t', '--dir', '/etc', '--ro-bind', '/data/r', '/etc/resolv.conf'],
		...['--remount-ro', '/dev', '--remount-ro', '/home', '--remount-ro', '/data', ...scratch, '/dev/shm'],
		...controls.flatMap(path => ['--ro-bind-try', path, path]),
		...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
		...['--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent', '--chdir', '/'],
	]);
	expect(
		bubblewrapArguments({...found, hasSizes: false}, taskPolicy(found, {...options, scratchBytes: 4096})).join(' '),
	).toContain('--bind /data/t /tmp');
});

test('a bwrap that fails counts as missing', async () => {
	const folder = await temporaryFolder();
	await writeFile(join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n', {mode: 0o755});
	expect(await findTaskBubblewrap(folder, [])).toBeUndefined();
	expect(await findTaskBubblewrap('relative:/nowhere', [])).toBeUndefined();
});

test.skipIf(!bubblewrap)(`bubblewrap is not tried again for each folder of PATH${reason}`, async () => {
	const folder = await temporaryFolder();
	const calls = join(folder, 'calls');
	const script = `#!/bin/sh\necho >>${calls}\nexec ${bubblewrap?.program} "$@"\n`;
	await writeFile(join(folder, 'bwrap'), script, {mode: 0o755});
	const callsWith = async (folders: readonly string[]) => {
		await writeFile(calls, '');
		expect(await findTaskBubblewrap([folder, ...folders, path].join(':'), [])).toBeDefined();
		return (await readFile(calls, 'utf8')).length;
	};
	expect(await callsWith(['/nowhere', '/usr/nowhere'])).toBe(await callsWith([]));
});

test.skipIf(!bubblewrap)(`[15] a task has the filter of system calls that commands have${reason}`, async () => {
	expect(bubblewrap?.takesFilter).toBe(true);
	const {provider, script, log} = await localSandboxes({path});
	const id = await script(
		"import {readFileSync} from 'node:fs'; console.log(readFileSync('/proc/self/status', 'utf8'));",
	);
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	expect(await log(id)).toMatch(/^Seccomp:\t2$/m);
});

test.skipIf(!bubblewrap)(`[15] in bubblewrap nothing outside can be read or written${reason}`, async () => {
	const secrets = await temporaryFolder();
	await writeFile(join(secrets, 'key'), 'secret');
	const {provider, script, log} = await localSandboxes({path});
	const program = `
		import {existsSync, readdirSync, writeFileSync} from 'node:fs';
		const attempt = path => { try { writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
		console.log(JSON.stringify({
			secret: existsSync(${JSON.stringify(join(secrets, 'key'))}),
			home: readdirSync(${JSON.stringify(homedir())}),
			etc: attempt('/etc/evil'),
			status: attempt('../status.json'),
			workspace: attempt('file'),
			temporary: attempt(process.env.TMPDIR + '/file'),
			processes: readdirSync('/proc').filter(name => /^\\d+$/.test(name)).length < 5,
		}));`;
	const id = await script(program);
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	const lines = (await log(id)).split('\n');
	expect(lines[0]).toMatch(/^\[sandbox] contained by bubblewrap/);
	expect(JSON.parse(lines[1] ?? '')).toEqual({
		secret: false,
		home: [],
		etc: 'EROFS',
		status: expect.stringMatching(/^(?:written|EROFS|ENOENT|EACCES)$/),
		workspace: 'written',
		temporary: 'written',
		processes: true,
	});
	// It can't reach its own supervisor's files: what it wrote is in a folder that only it sees.
	expect(await provider.inspect(id)).toMatchObject({kind: 'ended', status: 0});
});

test.skipIf(!bubblewrap)(`[15] not even root can remove a cover or write through it${reason}`, async () => {
	const hidden = await temporaryFolder();
	await writeFile(join(hidden, 'key'), 'secret');
	const {provider, script, log} = await localSandboxes({path});
	const program = `
		import {execFileSync} from 'node:child_process';
		import {existsSync, readFileSync} from 'node:fs';
		const attempt = (...command) => { try { execFileSync(command[0], command.slice(1), {stdio: 'ignore'}); return 'done'; } catch { return 'refused'; } };
		console.log(JSON.stringify({
			uncover: attempt('umount', '/tmp'),
			remount: attempt('mount', '-o', 'remount,rw', '/'),
			namespace: attempt('unshare', '-Urm', 'umount', '/tmp'),
			capabilities: /CapEff:\\s*(\\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1],
			processes: /Max processes\\s+(\\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))[1],
			secret: existsSync(${JSON.stringify(join(hidden, 'key'))}),
		}));`;
	const id = await script(program);
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	expect(JSON.parse((await log(id)).split('\n')[1] ?? '')).toEqual({
		uncover: 'refused',
		remount: 'refused',
		namespace: 'refused',
		capabilities: '0000000000000000',
		// Twice as many where a control group has the limit.
		processes: expect.stringMatching(/^(?:4096|8192)$/),
		secret: false,
	});
});

test.skipIf(!bubblewrap)(`in bubblewrap a sandbox is paused, resumed and ended as a whole${reason}`, async () => {
	const {provider, script, log} = await localSandboxes({path});
	const id = await script(
		'import {spawn} from "node:child_process";' +
			'spawn(process.execPath, ["-e", "setInterval(() => console.log(1), 10)"], {detached: true, stdio: "inherit"});' +
			'setInterval(() => {}, 1000);',
	);
	await eventually(async () => (await log(id)).includes('1\n1\n'));
	await provider.pause(id);
	expect(await provider.inspect(id)).toEqual({kind: 'paused'});
	const paused = await atRest(() => log(id));
	await provider.resume(id, {after: 60_000, action: 'end'});
	await eventually(async () => (await log(id)).length > paused.length);
	await provider.end(id);
	expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
});
