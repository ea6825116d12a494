import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {startCommand} from '../../src/agent/tools/command/start-command.ts';
import {hasLostMount, reportOptions, setupTries} from '../../src/containment/bubblewrap-report.ts';
import {findTaskBubblewrap} from '../../src/containment/containment.ts';
import {eventually, localSandboxes, temporaryFolder} from '../server/sandboxes/sandbox.ts';

// Containers of others mount and unmount at any time, also while bubblewrap makes the mounts of the machine read-only.

const path = process.env['PATH'] ?? '';
const bubblewrap = await findTaskBubblewrap(path, ['/tmp']);
const reason = bubblewrap ? '' : ' (skipped: bubblewrap is missing or does not work here)';

const complaint =
	'bwrap: Can\'t bind mount /oldroot/ on /newroot/: Unable to apply mount flags: remount "/newroot/x/merged": No such file or directory';

/** Writes a bubblewrap that loses a mount in each start that `loses` (a condition of the shell on `$n`) names, counted from 1. */
async function losingBubblewrap(loses: string) {
	const folder = await temporaryFolder();
	const [program, starts] = [join(folder, 'bwrap'), join(folder, 'starts')];
	const lines = [
		'#!/bin/sh',
		`case " $* " in *' --ro-bind '*) echo >>${starts}; n=$(wc -l <${starts})`,
		`if [ ${loses} ]; then cat >&2 <<'end'`,
		complaint,
		'end',
		'exit 1; fi;; esac',
		`exec ${bubblewrap?.program} "$@"`,
	];
	await writeFile(program, lines.join('\n'), {mode: 0o755});
	return {folder, program, starts: async () => (await readFile(starts, 'utf8')).length};
}

async function run(program: string, command: string) {
	let output = '';
	const folder = await temporaryFolder();
	const {ended} = startCommand({
		...{command, shell: '/bin/sh', folder, maxProcesses: 4096},
		env: {PATH: path},
		sandbox: [program, ...reportOptions, '--ro-bind', '/', '/', '--dev', '/dev', '--'],
		onData: chunk => {
			output += chunk;
		},
	});
	return {...(await ended), output};
}

test.skipIf(!bubblewrap)(`a sandbox is found though a mount goes away at each first try${reason}`, async () => {
	const {folder, program} = await losingBubblewrap('$((n % 2)) = 1');
	expect(await findTaskBubblewrap(`${folder}:${path}`, [])).toMatchObject({program});
});

test.skipIf(!bubblewrap)(`a command runs once though a mount went away before${reason}`, async () => {
	const {program, starts} = await losingBubblewrap('$n -lt 3');
	expect(await run(program, 'echo ran; exit 5')).toMatchObject({status: 5, output: 'ran\n'});
	expect(await starts()).toBe(3);
});

test.skipIf(!bubblewrap)(
	`a sandbox that always loses a mount is given up, in bubblewrap's words${reason}`,
	async () => {
		const {program, starts} = await losingBubblewrap('$n -gt 0');
		await expect(run(program, 'true')).rejects.toThrow(
			/^Couldn't start the sandbox: Can't bind mount .*: No such file/,
		);
		expect(await starts()).toBe(setupTries);
	},
);

test.skipIf(!bubblewrap)(`a command that itself fails with such words isn't run again${reason}`, async () => {
	const {program, starts} = await losingBubblewrap('$n = 0');
	const said = complaint.replaceAll("'", "'\\''");
	expect(await run(program, `printf '%s\\n' '${said}' >&2; exit 1`)).toMatchObject({
		status: 1,
		output: `${complaint}\n`,
	});
	expect(await starts()).toBe(1);
});

test.skipIf(!bubblewrap)(`each step of a task runs once though mounts go away${reason}`, async () => {
	const {folder} = await losingBubblewrap('$((n % 2)) = 1');
	const {provider, script, log} = await localSandboxes({path: `${folder}:${path}`});
	const id = await script("console.log('ran');", {build: [{name: 'build', command: ['sh', '-c', 'echo built']}]});
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	const text = await log(id);
	expect(text.match(/^(?:ran|built)$/gm)).toEqual(['built', 'ran']);
	expect(text).toContain('[sandbox] command starts again: a mount of the machine went away\n');
	expect(await provider.inspect(id)).toMatchObject({kind: 'ended', status: 0});
});

test('only a mount that went away is worth another try', () => {
	expect(hasLostMount(complaint)).toBe(true);
	expect(hasLostMount(complaint.replace('No such file or directory', 'Invalid argument'))).toBe(true);
	expect(hasLostMount(complaint.replace('No such file or directory', 'Permission denied'))).toBe(false);
	expect(hasLostMount("bwrap: Can't find source path /nowhere: No such file or directory")).toBe(false);
	expect(hasLostMount('bwrap: execvp nothing: No such file or directory')).toBe(false);
});
