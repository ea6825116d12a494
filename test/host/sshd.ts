import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished} from 'vitest';
import {folderWith, program} from '../e2e/program.ts';
import {freePort} from '../free-port.ts';

/** OpenSSH's server, as Debian installs it. */
const sshd = '/usr/sbin/sshd';

/** Whether ssh can be tested; tests that need it are skipped otherwise. */
export const hasSshd = existsSync(sshd);
if (!hasSshd) {
	console.warn('sshd is not installed (Debian: openssh-server): the tests of hosts behind ssh are skipped.');
}

export type TestSshd = {
	/** What `attach` gets as its place. */
	readonly place: string;
	/** The PATH of a terminal whose ssh has the keys of the test. */
	readonly path: string;
	/** Returns how many logins it has accepted so far. */
	readonly logins: () => number;
	/** Ends all connections, as a network does that goes. Returns how many it ended. */
	readonly cut: () => number;
	/** Gives the server another key, as a machine does that isn't the one it was. */
	readonly replaceKey: () => Promise<void>;
	/** Takes the key of the user away from those that may log in. */
	readonly refuse: () => void;
	/** Takes the program off the PATH of the machine. */
	readonly uninstall: () => void;
	readonly stop: () => Promise<void>;
	readonly start: () => Promise<void>;
};

/** Returns the direct children of a process. */
function childrenOf(pid: number): readonly number[] {
	try {
		return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
			.split(' ')
			.flatMap(id => Number(id) || []);
	} catch {
		return [];
	}
}

/**
 * Starts a server of OpenSSH on loopback, run by this user, with keys of its own: whoever logs in has this environment and the
 * program. It is ended after the test.
 */
export async function startSshd(env: Readonly<Record<string, string>>): Promise<TestSshd> {
	const folder = folderWith();
	const at = (name: string) => join(folder, name);
	const createKey = (name: string) =>
		execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)]);
	createKey('host');
	createKey('user');
	writeFileSync(at('authorized'), readFileSync(at('user.pub')), {mode: 0o600});
	const port = await freePort();
	const know = (key: string) => {
		writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${readFileSync(at(`${key}.pub`), 'utf8')}`);
	};
	know('host');
	const bin = at('bin');
	const clientBin = at('client-bin');
	mkdirSync(bin);
	mkdirSync(clientBin);
	const script = (path: string, line: string) => {
		writeFileSync(path, `#!/bin/sh\n${line}\n`);
		chmodSync(path, 0o755);
	};
	script(join(bin, 'service'), `exec '${process.execPath}' '${program}' "$@"`);
	script(
		join(clientBin, 'ssh'),
		`exec /usr/bin/ssh -F /dev/null -i '${at('user')}' -o IdentitiesOnly=yes -o IdentityAgent=none -o UserKnownHostsFile='${at('known_hosts')}' -o GlobalKnownHostsFile=/dev/null -o StrictHostKeyChecking=yes "$@"`,
	);
	const variables = {...env, PATH: `${bin}:/usr/bin:/bin`};
	const configure = (key: string) =>
		writeFileSync(
			at('config'),
			[
				`Port ${port}`,
				'ListenAddress 127.0.0.1',
				`HostKey ${at(key)}`,
				`AuthorizedKeysFile ${at('authorized')}`,
				'PidFile none',
				'UsePAM no',
				'StrictModes no',
				'PasswordAuthentication no',
				'KbdInteractiveAuthentication no',
				'PermitRootLogin yes',
				`SetEnv ${Object.entries(variables)
					.map(([name, value]) => `"${name}=${value}"`)
					.join(' ')}`,
			].join('\n'),
		);
	configure('host');
	if (process.getuid?.() === 0) {
		// What the package's service creates, and a machine without one lacks.
		mkdirSync('/run/sshd', {recursive: true, mode: 0o755});
	}

	let child: ChildProcess | undefined;
	let logins = 0;
	const start = async () => {
		const server = spawn(sshd, ['-D', '-e', '-f', at('config')], {stdio: ['ignore', 'ignore', 'pipe']});
		let said = '';
		server.stderr.setEncoding('utf8').on('data', (text: string) => {
			said += text;
			logins += text.match(/^Accepted publickey/gm)?.length ?? 0;
		});
		child = server;
		await expect.poll(() => said).toContain('Server listening');
	};
	const cut = () => {
		const connections = child?.pid === undefined ? [] : childrenOf(child.pid);
		for (const pid of connections) {
			// First what runs as the user, which the one above it would outlive.
			for (const each of [...childrenOf(pid), pid]) {
				try {
					process.kill(each, 'SIGKILL');
				} catch {
					// It ended with the one before.
				}
			}
		}

		return connections.length;
	};
	const stop = async () => {
		const server = child;
		child = undefined;
		if (server?.exitCode === null) {
			const ended = new Promise(resolve => server.once('exit', resolve));
			server.kill('SIGKILL');
			await ended;
		}
	};
	onTestFinished(async () => {
		cut();
		await stop();
	});
	await start();
	return {
		place: `ssh://${userInfo().username}@127.0.0.1:${port}`,
		path: `${clientBin}:${process.env['PATH']}`,
		logins: () => logins,
		cut,
		start,
		stop,
		async replaceKey() {
			cut();
			await stop();
			createKey('other');
			configure('other');
			await start();
		},
		refuse: () => writeFileSync(at('authorized'), ''),
		uninstall: () => script(join(bin, 'service'), 'exit 127'),
	};
}
