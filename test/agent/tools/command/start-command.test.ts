import process from 'node:process';
import {expect, onTestFinished, test} from 'vitest';
import {startCommand} from '../../../../src/agent/tools/command/start-command.ts';
import {signalGroup} from '../../../../src/containment/processes.ts';
import {isRunning} from '../../../../src/storage/lock-owner.ts';
import {makeWorkspace} from '../workspace.ts';

/**
 * Stands for bubblewrap on a busy machine: its process has left the group, is not yet named, and does not yet end with
 * bubblewrap.
 */
const slowSandbox = `setsid sh -c 'echo $$; sleep 0.05; printf "{\\"child-pid\\": %s\\n}" $$ >&3; exec sleep 60' & wait`;

test('what keeps a command from starting is in its output', async () => {
	const {workspace} = await makeWorkspace({});
	let output = '';
	const {ended} = startCommand({
		...{command: 'true', shell: '/bin/sh', folder: workspace, maxProcesses: 100},
		env: {PATH: process.env['PATH'] ?? ''},
		// As the shell says it under a limit for processes.
		sandbox: ['/bin/sh', '-c', 'echo "sh: 1: Cannot fork" >&2; exit 2', 'sandbox'],
		onData: chunk => {
			output += chunk;
		},
	});
	expect(await ended).toMatchObject({status: 2});
	expect(output).toBe('sh: 1: Cannot fork');
});

test('a command that is stopped while its sandbox starts leaves nothing running', async () => {
	const {workspace} = await makeWorkspace({});
	let output = '';
	const {stop, ended} = startCommand({
		...{command: 'true', shell: '/bin/sh', folder: workspace, maxProcesses: 100},
		env: {PATH: process.env['PATH'] ?? ''},
		sandbox: ['/bin/sh', '-c', slowSandbox, 'sandbox'],
		onData: chunk => {
			output += chunk;
		},
	});
	await expect.poll(() => output, {interval: 5}).toMatch(/\d\n/);
	onTestFinished(() => signalGroup(Number(output), 'SIGKILL'));
	await stop();
	expect(isRunning(Number(output))).toBe(false);
	expect(await ended).toMatchObject({status: expect.any(Number)});
});
