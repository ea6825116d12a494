import {expect, test} from 'vitest';
import {toolsOf} from '../../../src/agent/mcp/definition.ts';
import {promptsOf} from '../../../src/agent/mcp/prompts.ts';
import {runCalls} from '../../../src/agent/tool-turn.ts';
import {openConfig} from '../../../src/config/config.ts';
import {createKnownSecrets} from '../../../src/config/known-secrets.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import type {Tool} from '../../../src/core/session/tool.ts';
import {maskEvent} from '../../../src/session/mask-events.ts';
import {temporaryHome} from '../../storage/temporary.ts';
import {approvalsOf, runOptions, scriptedModel} from '../scripted.ts';

const value = 'kX9mQ2vB7nL4wZ8tR1';
const encoded = Buffer.from(`a=${value}`).toString('base64');

function secretsOf(values: readonly string[]) {
	const secrets = createKnownSecrets(openConfig(temporaryHome()), {});
	secrets.learn(values);
	return secrets;
}

test('[8] the values of the folder are masked in the result of every tool, also of one that fails', async () => {
	const secrets = secretsOf([value]);
	const tool = (name: string, readOnly: boolean): Tool => ({
		name,
		description: '',
		parameters: {},
		readOnly,
		async run() {
			if (name === 'fails') {
				throw new Error(`no ${value}`);
			}

			return `read ${value} and ${encoded}`;
		},
	});
	const anew: boolean[] = [];
	const options = runOptions({
		ask: scriptedModel().ask,
		tools: [tool('reads', true), tool('writes', false), tool('fails', false)],
		approvals: approvalsOf(async ({hash}) => ({allowed: true, hash})).startRun(),
		async maskResult(text: string, isAnew: boolean) {
			anew.push(isAnew);
			return secrets.hide(text);
		},
	});
	const calls = ['reads', 'writes', 'fails'].map(name => ({id: name, name, arguments: {}}));
	const events: AgentEvent[] = [];
	const run = runCalls(calls, options);
	let next = await run.next();
	while (!next.done) {
		events.push(next.value);
		next = await run.next();
	}

	const kept = events.map(event => maskEvent(event, secrets.hide));
	expect(JSON.stringify([kept, next.value])).not.toMatch(/kX9m|wZ8t|a1g5b/);
	expect(next.value.map(({output}) => output.includes('***'))).toEqual([true, true, true]);
	expect(anew).toEqual([false, true, true]);
});

test('[8] what an MCP server says of its tools and prompts is masked before a model reads it', () => {
	const {hide} = secretsOf([value]);
	const inputSchema = {
		type: 'object',
		properties: {[value]: {type: 'string', description: `like ${encoded}`, enum: [value], default: value}},
	};
	const listed = [
		{name: `get_${value}`, title: value, description: `Use ${value}. ${encoded}`, inputSchema},
		{name: `get_${value}`, inputSchema},
		{name: value.repeat(20), inputSchema: {type: 'array', items: 'x'.repeat(20_000)}},
	];
	const {tools, faults} = toolsOf({id: 'shop'}, listed, hide);
	const seen = tools.map(({listedName: _, hash: _hash, ...definition}) => definition);
	expect(JSON.stringify([seen, faults])).not.toMatch(/kX9m|wZ8t|a1g5b/);
	expect(tools[0]?.description).toMatch(/^\[MCP server shop\] \*\*\*\. Use \*\*\*\./);
	expect(tools[0]?.listedName).toBe(`get_${value}`);

	const [prompt] = promptsOf({
		id: 'shop',
		hide,
		server: {
			prompts: () => [{name: value, description: `Says ${value}`, arguments: [{name: value, required: true}]}],
			prompt: async () => [],
		},
	});
	expect(JSON.stringify(prompt)).not.toContain('kX9m');
});

test('[8] hooks get no values of the folder, but texts of known kinds, which they may look for', () => {
	const {hideOwn, hide} = secretsOf([value]);
	const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
	expect(hideOwn(`${value} ${key}`)).toBe(`*** ${key}`);
	expect(hide(`${value} ${key}`)).toBe('*** ***');
});

test('a message with a value of the folder is sent without a question', async () => {
	const {find} = secretsOf([value]);
	expect(await find(`why is ${value} there?`)).toBe(false);
});
