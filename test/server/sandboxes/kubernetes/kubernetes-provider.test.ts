import {describe, expect, test} from 'vitest';
import {eventually} from '../sandbox.ts';
import {clusterSandboxes} from './cluster-sandboxes.ts';
import {stubCluster} from './stub-cluster.ts';
import {containersReason, hasContainers, startContainer} from './stub-container.ts';

describe.skipIf(!hasContainers)(`sandboxes as pods${containersReason}`, () => {
	test('a paused sandbox has no processes, and resumes with its files, its log and without its build steps', async () => {
		const cluster = await stubCluster({startContainer, hasSandboxes: true});
		const {provider, shell, log} = await clusterSandboxes(cluster);
		expect(await provider.summary()).toContain('Sandbox objects');
		expect(provider.supportsPause).toBe(true);
		const id = await shell('cat runs 2>/dev/null; echo run >> runs; echo "as $NAME"; exec sleep 1000', {
			build: [{name: 'build step 1', command: ['sh', '-c', 'echo built']}],
			environment: {NAME: 'ada'},
		});
		await eventually(async () => (await log(id)).includes('as ada\n'));
		const before = await log(id);
		await provider.pause(id);
		await provider.pause(id);
		expect(await provider.inspect(id)).toEqual({kind: 'paused'});
		expect([...cluster.storeOf('pods').keys()]).toEqual([]);
		expect((await provider.list()).filter(({hasEnded}) => !hasEnded)).toHaveLength(1);
		// Another server, which has read nothing of the log before.
		const other = await clusterSandboxes(cluster);
		await other.provider.summary();
		await other.provider.resume(id, {after: 60_000, action: 'end'});
		await other.provider.resume(id, {after: 90_000, action: 'end'});
		// The cluster looks again whether its build steps have ended.
		await eventually(async () => (await other.provider.inspect(id)).kind === 'running');
		await eventually(async () => (await log(id)).length > before.length + 200);
		const whole = await log(id);
		expect(whole.startsWith(before)).toBe(true);
		const later = whole.slice(whole.indexOf('[sandbox] contained', before.length));
		await eventually(async () => (await log(id)).endsWith('run\nas ada\n'));
		expect(later).not.toContain('built\n');
		const from = Buffer.byteLength(whole) - Buffer.byteLength(later);
		await eventually(async () =>
			((await other.provider.readLog(id, {after: from}))?.text ?? '').endsWith('run\nas ada\n'),
		);
		expect(await other.provider.readLog(id, {after: from})).toEqual(await provider.readLog(id, {after: from}));
		await provider.end(id);
		expect(await provider.inspect(id)).toMatchObject({kind: 'ended', requested: true});
		await provider.remove(id);
		expect([...cluster.storeOf('sandboxes').keys(), ...cluster.storeOf('pods').keys()]).toEqual([]);
		expect(cluster.violations).toEqual([]);
	});

	test('a pod that somebody else created again doesn’t begin by itself, and a lost one is gone', async () => {
		const cluster = await stubCluster({startContainer, hasSandboxes: true});
		const {provider, shell, log} = await clusterSandboxes(cluster);
		const id = await shell('echo begun; exec sleep 1000');
		await eventually(async () => (await log(id)).includes('begun\n'));
		await cluster.losePod(`service-${id}`);
		await eventually(() => cluster.storeOf('pods').has(`service-${id}`));
		expect(await provider.inspect(id)).toEqual({kind: 'gone'});
		expect((await log(id)).match(/begun/g)).toHaveLength(1);
		await provider.remove(id);
	});
});
