import {expect, test} from 'vitest';
import {runAgent} from '../../../src/agent/run.ts';
import {createTaskTools} from '../../../src/agent/tools/tools.ts';
import type {Tool} from '../../../src/core/session/tool.ts';
import {call, collect, echo, finish, type Script} from '../scripted.ts';
import {answers, ends, ofTasks, starts, task, used, world, writes} from './task-world.ts';

test('a sub-agent calls none but its own tools, even after those of the agent were read again [14]', async () => {
	let isWritten = false;
	const careless: Tool = {
		...writes,
		async run() {
			isWritten = true;
			return 'written';
		},
	};
	const tools = [echo, careless, ...createTaskTools()];
	const steals: Script = [call('write_it', {}, 'inner-1'), used, finish('tool-calls')];
	const {options} = world([starts, ends], [[steals, answers]], {tools, nextTools: async () => tools});
	const events = await collect(runAgent(options));
	expect(ofTasks(events).find(({event}) => event.type === 'tool-result')?.event).toMatchObject({
		failed: true,
		output: 'Unknown tool “write_it”. Available: echo.',
	});
	expect(isWritten).toBe(false);
});

test('a sub-agent with a model of its own is compacted for its window', async () => {
	const sizes: string[] = [];
	const looks: Script = [call('echo', {word: 'x'}, 'inner-1'), used, finish('tool-calls')];
	const delegates: Script = [task({model: 'custom/small'}), used, finish('tool-calls')];
	const {options} = world([delegates, ends], [[looks, answers]], {
		compaction: {
			usedTokens: 0,
			pinned: () => [],
			async windowSize(model) {
				sizes.push(model);
				return 1_000_000;
			},
		},
	});
	await collect(runAgent(options));
	expect(new Set(sizes)).toEqual(new Set(['custom/demo', 'custom/small']));
});

test('the warnings of a run are not repeated by its sub-agents', async () => {
	const {options} = world([starts, ends], [[answers]], {warnings: [{text: 'The MCP server docs is not running.'}]});
	const events = await collect(runAgent(options));
	expect(events.filter(({type}) => type === 'notice')).toHaveLength(1);
	expect(ofTasks(events).filter(({event}) => event.type === 'notice')).toEqual([]);
});
