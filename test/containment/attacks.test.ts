import {describe, expect, test} from 'vitest';
import {findContainment} from '../../src/containment/containment.ts';
import {hasBubblewrap, skipped} from '../agent/sandbox/needs-bubblewrap.ts';
import {sandboxed} from '../agent/sandbox/open-sandbox.ts';
import {eventually, localSandboxes} from '../server/sandboxes/sandbox.ts';

const path = process.env['PATH'] ?? '';

/** Runs a line of a shell as a command of the agent does. */
async function asCommand(line: string): Promise<string> {
	const {run} = await sandboxed();
	return await run(line);
}

/** Runs a line of a shell as a task of the server does. */
async function asTask(line: string): Promise<string> {
	const containment = await findContainment(path, ['/tmp', '/root', '/home']);
	const {provider, shell, log} = await localSandboxes({path, containment});
	const id = await shell(line);
	await eventually(async () => (await provider.inspect(id)).kind === 'ended');
	return await log(id);
}

const sides = [
	['a command of the agent', asCommand],
	['a task of the server', asTask],
] as const;

describe.skipIf(!hasBubblewrap).each(sides)(`%s${skipped}`, (_, run) => {
	test('[15] writes no setting of the kernel', async () => {
		// It would write what is already there, so that success does no harm.
		const file = '/proc/sys/vm/overcommit_memory';
		const rest = '(: >>/proc/sysrq-trigger) 2>/dev/null && echo wrote; echo done';
		const result = await run(`(cat ${file} >${file}) 2>/dev/null && echo wrote; ${rest}`);
		expect(result).toContain('done\n');
		expect(result).not.toContain('wrote\n');
	});

	test('[15] puts no file into /dev, and those of /dev/shm have a size', async () => {
		const result = await run('(: >/dev/x) 2>/dev/null || echo closed; : >/dev/shm/x && echo open; cat /proc/mounts');
		expect(result).toContain('closed\n');
		expect(result).toContain('open\n');
		const [, type, options = ''] = /^\S+ \/dev\/shm (\S+) (\S+)/m.exec(result) ?? [];
		expect(type !== 'tmpfs' || /\bsize=\d+/.test(options)).toBe(true);
	});

	test('[15] mounts nothing, also in a user namespace of its own', async () => {
		const attempts = ['umount /tmp', 'mount -o remount,rw /', 'unshare -Urm umount /tmp', 'unshare -U true'];
		const result = await run(`${attempts.map(each => `${each} 2>/dev/null && echo did`).join('; ')}; echo done`);
		expect(result).toContain('done\n');
		expect(result).not.toContain('did\n');
	});

	test('[15] has no capability, and sees no other process', async () => {
		const result = await run(`grep CapEff /proc/self/status; kill -0 ${process.pid} 2>/dev/null && echo alive; true`);
		expect(result).toMatch(/^CapEff:\t0{16}$/m);
		expect(result).not.toContain('alive\n');
	});
});
