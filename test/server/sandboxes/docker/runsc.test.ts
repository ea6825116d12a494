import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {eventually} from '../sandbox.ts';
import {engineSandboxes, hasRunsc, type Podman, runsc, runscReason, startPodman} from './podman.ts';

describe.skipIf(!hasRunsc)(`sandboxes with gVisor${runscReason}`, () => {
	let podman: Podman;
	beforeAll(async () => {
		podman = await startPodman(runsc);
	});
	afterAll(() => podman?.close());

	test('have its kernel, and start, pause, resume and end as others do', async () => {
		const {provider, shell, log} = engineSandboxes(podman.socket);
		const build = [{name: 'build step 1', command: ['true']}];
		const id = await shell('cat /proc/version; n=0; while :; do n=$((n + 1)); echo "tick $n"; sleep 0.1; done', {
			build,
		});
		await eventually(async () => (await log(id)).includes('tick 3\n'));
		expect(await log(id)).toMatch(/^Linux version 4\.4\.0 #1 SMP/m);
		expect(await provider.inspect(id)).toEqual({kind: 'running'});

		await provider.pause(id);
		expect(await provider.inspect(id)).toEqual({kind: 'paused'});
		const paused = (await log(id)).length;
		await provider.resume(id, {after: 60_000, action: 'end'});
		await eventually(async () => (await log(id)).length > paused);

		await provider.end(id);
		expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
		expect(await log(id)).toMatch(/\[sandbox\] stopped by the server\n/);
	});

	test('reach no network, and their program ends with its own status', async () => {
		const {provider, shell, log} = engineSandboxes(podman.socket);
		const id = await shell('cat /proc/net/dev; exit 7');
		await eventually(async () => (await provider.inspect(id)).kind === 'ended');
		expect(await provider.inspect(id)).toMatchObject({status: 7, requested: false});
		expect(await log(id)).not.toMatch(/eth|tap|wl/);
	});
});
