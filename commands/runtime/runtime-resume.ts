import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {originalOf} from '../../src/contract/lenient.ts';

export default command({
	name: 'resume',
	summary: 'Resume a runtime and show its limits and credits',
	args: z.object({runtime: z.string(), yes: z.optional(z.boolean())}),
	positional: ['runtime'],
	describe: {runtime: 'key, id or unique prefix of the runtime', yes: 'skip the confirmation (only the app asks)'},
	completes: {runtime: 'runtime'},
	examples: ['runtime resume dev-box'],
	whileRunning: true,

	async run(
		{runtime, yes},
		{
			program: {
				servers: {platform},
				local: {sightings},
			},
			ui: {interact, live},
			signal,
		},
	) {
		const {stepsLine, withSteps} = await import('../../src/command/views/runtime/runtime-wake.ts');
		const {runtimeResult} = await import('../../src/command/views/runtime/runtime-view.ts');
		const {explainRuntimeRefusal} = await import('../../src/command/views/runtime/runtime-refusal.ts');
		const {findRuntime, wakePlan} = await import('../../src/command/views/runtime/runtime-plan.ts');
		const {client, scope, server, profile} = await platform.open();
		const params = {...(await scope('org', 'workspace')), runtimeId: runtime};
		const wake = () =>
			client.resumeRuntime({params}, signal).catch((error: unknown) => {
				throw explainRuntimeRefusal(error, runtime, params.org);
			});
		// Scripts rely on it not asking.
		if (!live) {
			return runtimeResult(await wake());
		}

		const {org, workspace} = params;
		const sighting = findRuntime(await sightings.recall(), runtime, {profile, server, org, workspace});
		const {question, title, facts} = wakePlan(runtime, sighting);
		if (question !== undefined && !yes && !(await interact.confirm(question, {title, facts}))) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		const {progress, say} = interact;
		const watch = {show: progress ?? say, isStill: !progress};
		const {answer, ...times} = await withSteps(`runtime ${runtime}`, wake, watch);
		const steps = stepsLine({server, ...times, status: answer.status});
		return {
			kind: 'group',
			parts: [
				...(facts.length > 0 ? [{kind: 'record', title, fields: facts, data: null} as const] : []),
				{kind: 'text', text: steps},
				runtimeResult(answer),
			],
			data: originalOf(answer),
		};
	},
});
