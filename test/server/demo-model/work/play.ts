import type {JsonObject} from '../../../../src/core/json.ts';
import {chatSchema} from '../../../../src/server/demo-model/chat.ts';
import {type Reply, replyTo} from '../../../../src/server/demo-model/reply.ts';

type Call = Reply['calls'][number];

const toolNames = [
	'list_files',
	'read_file',
	'write_file',
	'edit_file',
	'run_command',
	'fetch_url',
	'environment_logs',
	'wait_for_log',
];
const tools = toolNames.map(name => ({type: 'function', function: {name}}));

/** Most turns of a piece of work; more means that it never ends. */
const maxTurns = 12;

/** Lets the demo model work on a prompt with these tools. Returns all calls and the last text. */
export async function play(prompt: string, run: (call: Call) => Promise<string>, offered: readonly object[] = tools) {
	const messages: JsonObject[] = [{role: 'user', content: prompt}];
	const calls: Call[] = [];
	for (let turn = 0; turn < maxTurns; turn += 1) {
		const reply = replyTo(chatSchema.parse({model: 'demo', messages, tools: offered}));
		if (reply.calls.length === 0) {
			return {calls, text: reply.text};
		}

		const called = reply.calls.map((call, index) => ({...call, id: `c${turn}-${index}`}));
		messages.push({
			role: 'assistant',
			content: reply.text,
			tool_calls: called.map(({id, name, arguments: args}) => ({
				...{id, type: 'function', function: {name, arguments: JSON.stringify(args)}},
			})),
		});
		for (const call of called) {
			calls.push(call);
			messages.push({role: 'tool', tool_call_id: call.id, content: await run(call)});
		}
	}

	throw new Error(`The work did not end after ${maxTurns} turns.`);
}
