import {createTaskTools} from '../../../src/agent/tools/tools.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import type {Tool} from '../../../src/core/session/tool.ts';
import {call, echo, finish, type RunSettings, runOptions, type Script, scriptedModel, text} from '../scripted.ts';

const usage = {input: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0};
export const used = {type: 'usage', usage} as const;
export const task = (more = {}, id = 'call-1') =>
	call('task', {prompt: 'Find it.', description: 'Find the parser', ...more}, id);
export const starts: Script = [task(), used, finish('tool-calls')];
export const ends: Script = [text('Thanks.'), used, finish('stop')];
export const answers: Script = [text('It is in a.ts:1.'), used, finish('stop')];

export const writes: Tool = {
	...echo,
	name: 'write_it',
	readOnly: false,
	run: async (_, {approve}) => {
		const act = {kind: 'edit', path: '/a.txt'} as const;
		const {allowed} = await approve({act, summary: 'Write a.txt?', subject: 'a.txt'});
		return allowed ? 'written' : 'refused';
	},
};

/** Runs an agent with these scripts, whose sub-agents follow others, one after another. */
export function world(
	agent: readonly Script[],
	subAgents: readonly (readonly Script[])[],
	more: Partial<RunSettings> = {},
) {
	const model = scriptedModel(...agent);
	const models = subAgents.map(scripts => scriptedModel(...scripts));
	const opened: {model: string | undefined; tools: readonly string[]}[] = [];
	const options = runOptions({
		ask: model.ask,
		tools: [echo, writes, ...createTaskTools()],
		async openTask(wanted, tools) {
			opened.push({model: wanted, tools: tools.map(({name}) => name)});
			return {model: wanted ?? 'custom/demo', ask: models[opened.length - 1]?.ask ?? model.ask};
		},
		...more,
	});
	return {options, model, models, opened};
}

/** Returns the events of sub-agents. */
export const ofTasks = (events: readonly AgentEvent[]) =>
	events.flatMap(event => (event.type === 'task' ? [event] : []));
