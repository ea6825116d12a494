import {expect, test} from 'vitest';
import {createRuntime} from '../../../src/server/sandboxes/create-runtime.ts';
import {resumeRuntime} from '../../../src/server/sandboxes/resume-runtime.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, scope} from '../harness.ts';
import {eventually} from './sandbox.ts';
import {addTask, listener} from './task-folder.ts';

test('a runtime that its owner resumes while its deadline is handled keeps running', async () => {
	const server = await createTestServer();
	const {services, database, owner} = server;
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const workspace = await database.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();
	const id = await createRuntime(services, {
		...{organizationId: workspace.organization_id, workspaceId: workspace.id, projectId: null, createdBy: owner.id},
		...{key: 'dev', name: 'Development', taskReference: 'listens'},
	});
	await resumeRuntime(services, id, scope.org);
	server.advance(3_600_000);

	const {provider} = services.sandboxes;
	let isFirst = true;
	const late: typeof provider = {
		...provider,
		async pause(sandbox) {
			if (isFirst) {
				isFirst = false;
				await resumeRuntime(services, id, scope.org);
			}

			await provider.pause(sandbox);
		},
	};
	await updateSandboxes({...services, sandboxes: {...services.sandboxes, provider: late}});
	const {state, pause_reason, past_seconds} = await database
		.selectFrom('sandboxes')
		.selectAll()
		.executeTakeFirstOrThrow();
	expect({state, pause_reason, past_seconds}).toEqual({state: 'running', pause_reason: null, past_seconds: 3600});
	const {sandbox_id} = await database.selectFrom('runtimes').selectAll().executeTakeFirstOrThrow();
	await eventually(async () => (await provider.inspect(sandbox_id ?? '')).kind === 'running');
});
