import * as z from 'zod/mini';
import {countArgument, taskArgument} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';

export default command({
	name: 'create',
	summary: 'Create a runtime that runs a task when it is resumed',
	args: z.object({
		name: z.string(),
		task: taskArgument,
		title: z.optional(z.string()),
		description: z.optional(z.string()),
		timeout: z.optional(countArgument()),
	}),
	positional: ['name', 'task'],
	describe: {
		name: 'its key in commands: lower-case letters, digits and dashes',
		task: '[org/]name[@version]',
		title: 'a longer display name; defaults to the key',
		description: 'what it is for',
		timeout: 'seconds it may run at once; defaults to the organization’s limit',
	},
	completes: {task: 'task'},
	examples: ['runtime create dev-box web-shop', 'runtime create dev-box web-shop --title "Ada’s box" --timeout 7200'],
	whileRunning: true,

	async run(
		{name, task, title, description, timeout},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {runtimeResult} = await import('../../src/command/views/runtime/runtime-view.ts');
		const {client, scope, project: projectOf} = await platform.open();
		const project = await projectOf();
		const body = {
			key: name,
			task_ref: task,
			...(title !== undefined && {name: title}),
			...(description !== undefined && {description}),
			...(project && {project_id: project}),
			...(timeout !== undefined && {timeout_sec: timeout}),
		};
		const runtime = await client.createRuntime({params: await scope('org', 'workspace'), body}, signal);
		return {
			kind: 'group',
			parts: [
				{kind: 'text', text: `Created ${name}.`, hint: `Start it: \`runtime resume ${name}\``},
				runtimeResult(runtime),
			],
			data: originalOf(runtime),
		};
	},
});
