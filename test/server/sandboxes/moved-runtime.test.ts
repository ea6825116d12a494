import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {resumeRuntime} from '../../../src/server/sandboxes/resume-runtime.ts';
import {endRuntime} from '../../../src/server/sandboxes/runtime-state.ts';
import {inWorkspace, scope} from '../harness.ts';
import {onAnotherMachine, resume, serverWithRuntime} from './machines.ts';
import {addTask} from './task-folder.ts';

/** A runtime on the first machine, and a server on the second that knows its task. */
async function onTwoMachines() {
	const {server, runtimeId} = await serverWithRuntime();
	const other = onAnotherMachine(server);
	await addTask(other, 'sleeper', {command: ['sleep', '1000']});
	const {sandbox_id} = (await resume(server)).json.instance;
	const first = sandbox_id as string;
	onTestFinished(() => server.services.sandboxes.provider.remove(first));
	const moveTo = async () => {
		await resumeRuntime(other, runtimeId, scope.org);
		const {sandbox_id: id} = await server.database.selectFrom('runtimes').selectAll().executeTakeFirstOrThrow();
		onTestFinished(() => other.sandboxes.provider.remove(id ?? ''));
		return id ?? '';
	};
	return {server, runtimeId, other, first, moveTo};
}

test('a runtime whose sandbox has ended resumes on another machine, in a new workspace, and the log says so', async () => {
	const {server, runtimeId, other, first, moveTo} = await onTwoMachines();
	await endRuntime(server.services, runtimeId);
	const second = await moveTo();
	expect(second).not.toBe(first);
	const {json} = await server.send(`${inWorkspace}/runtimes/dev`);
	expect([json.status, json.instance.sandbox_id]).toEqual(['running', second]);
	expect((await other.sandboxes.provider.inspect(second)).kind).toBe('running');
	const [from, to] = await Promise.all([server.services, other].map(({sandboxes}) => sandboxes.provider.machine()));
	expect(server.entries.filter(({message}) => message === 'runtime moved')).toEqual([
		{level: 'warn', message: 'runtime moved', runtime: runtimeId, from, to, left: first},
	]);
	expect([server.folder, other.folder].map(folder => existsSync(join(folder, 'workspaces', runtimeId)))).toEqual([
		true,
		true,
	]);
});

test('a runtime that runs or is paused on another machine resumes there alone', async () => {
	const {server, runtimeId, other, first} = await onTwoMachines();
	const refused = {
		status: 502,
		message: 'The sandbox is on another machine. Only a server on that machine can resume it.',
	};
	await expect(resumeRuntime(other, runtimeId, scope.org)).rejects.toMatchObject(refused);
	await server.database.updateTable('sandboxes').set({state: 'paused'}).where('id', '=', first).execute();
	await server.database.updateTable('runtimes').set({status: 'paused'}).execute();
	await expect(resumeRuntime(other, runtimeId, scope.org)).rejects.toMatchObject(refused);
});
