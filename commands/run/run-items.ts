import * as z from 'zod/mini';
import {countArgument} from '../../src/command/argument-types.ts';
import {command} from '../../src/command/command.ts';
import {AppError} from '../../src/core/error.ts';

export default command({
	name: 'items',
	summary: 'Show what a run recorded',
	args: z.object({run: z.string(), type: z.optional(z.string()), limit: z._default(countArgument(1000), 200)}),
	positional: ['run'],
	describe: {
		run: 'its id or a unique prefix',
		type: 'only items of this type',
		limit: 'how many, 1 to 1000 (default 200)',
	},
	completes: {run: 'run'},
	examples: [
		'run items 0b5e0a1c-9c1f-4d4e-8b57-0123456789ab --project 1c7e0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11 --type findings',
	],
	whileRunning: true,

	async run(
		{run, type, limit},
		{
			program: {
				servers: {platform},
			},
			flags,
			signal,
		},
	) {
		const {runItemsResult} = await import('../../src/command/views/run-items-view.ts');
		const {client, scope, projectId} = await platform.open();
		const {project, ...place} = await scope('org', 'workspace', 'project');
		const query = {project_id: await projectId(), limit, ...(type !== undefined && {item_type: type})};
		const found = await client.listRunItems({params: {...place, runId: run}, query}, signal);
		if (flags.json || found.length === 0) {
			return runItemsResult(found, {schemas: [], limit});
		}

		try {
			const {schemas = []} = await client.getItemSchemas({params: {...place, project}}, signal);
			return runItemsResult(found, {schemas, limit});
		} catch (error) {
			// The items matter; the titles of their schemas are optional.
			if (error instanceof AppError) {
				return runItemsResult(found, {schemas: [], limit, trouble: error.message});
			}

			throw error;
		}
	},
});
