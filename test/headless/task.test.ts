import {expect, test} from 'vitest';
import {createTaskTools} from '../../src/agent/tools/tools.ts';
import type {Recorded} from '../../src/core/session/event.ts';
import {runOnce} from '../../src/headless/once.ts';
import {call, echo, finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';
import {output} from './output.ts';

const usage = {type: 'usage', usage: {input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0}} as const;

test.each(['json', 'stream-json'] as const)(
	'-p with %s has the answer and the calls of the agent, and the usage of its sub-agents',
	async format => {
		const listeners: ((record: Recorded) => void)[] = [];
		const start = call('task', {prompt: 'Look.', description: 'Look'});
		const {conversation, store} = scripted(
			[
				[start, usage, finish('tool-calls')],
				[call('echo', {word: 'x'}), usage, finish('tool-calls')],
				[text('Found.'), usage, finish('stop')],
				[text('It is found.'), usage, finish('stop')],
			],
			{
				loadTools: async () => [echo, ...createTaskTools()],
				onRecord: record => {
					for (const listener of listeners) {
						listener(record);
					}
				},
			},
		);
		const [stdout, stderr] = [output(), output()];
		const onRecord = (listener: (record: Recorded) => void) => void listeners.push(listener);
		const priceOf = async () => () => ({input: 1, cacheRead: 1, cacheWrite: 1, output: 1});
		expect(await runOnce('Hi', format, {store, conversation, onRecord, priceOf, stdout, stderr})).toBe(0);
		const lines = stdout
			.text()
			.trimEnd()
			.split('\n')
			.map(line => JSON.parse(line));
		expect(lines.at(-1)).toMatchObject({
			...{type: 'result', text: 'It is found.', tool_calls: [{name: 'task'}], stop_reason: 'end_turn'},
			usage: {input_tokens: 40, output_tokens: 20},
		});
		const ofTask = lines.flatMap(({event}) => (event?.type === 'task' ? [event.event.type] : []));
		expect(ofTask).toEqual(
			format === 'json' ? [] : ['run-start', 'user-message', 'tool-call', 'tool-result', 'text-delta', 'run-end'],
		);
	},
);
