import * as z from 'zod/mini';
import {repeatable} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';

const list = command({
	name: 'list',
	summary: 'List the agents that can answer, added or on PATH',
	args: z.object({}),
	examples: ['agent list', 'agent list --json'],
	whileRunning: true,

	run(_, {program}) {
		const agents = program.agents.list();
		return {
			kind: 'table',
			columns: [
				{label: 'agent', whole: true},
				{label: 'command', cut: 'middle'},
				{label: 'from'},
				{label: 'sandbox', spare: true},
			],
			rows: agents.map(({name, command: words, isAdded, isContained}) => [
				name,
				words.join(' '),
				isAdded ? 'added' : 'PATH',
				isContained ? 'yes' : 'no',
			]),
			empty: 'No agents yet. Add one that speaks ACP: `agent add opencode -- opencode acp`',
			data: agents.map(({name, command: words, isAdded, isContained, env}) => ({
				name,
				command: [...words],
				added: isAdded,
				sandbox: isContained === true,
				env: Object.keys(env ?? {}),
			})),
		};
	},
});

const add = command({
	name: 'add',
	summary: 'Add an agent that speaks the Agent Client Protocol',
	args: z.object({
		name: z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,29}$/, 'must be up to 30 letters, digits, “-”, “_” and “.”')),
		command: z.array(z.string()),
		env: repeatable,
		sandbox: z._default(z.boolean(), false),
	}),
	positional: ['name', 'command'],
	rest: true,
	usage: '<name> [flags] -- <command> [arguments]',
	letters: {env: 'e'},
	describe: {
		name: 'what the screen calls it',
		command: 'what starts it, after --',
		env: 'or -e: NAME=value, or NAME to pass on your own; keys of vendors are passed on only so',
		sandbox: "hold it in a sandbox: --approve never can't stop an agent that doesn't ask",
	},
	asks: {name: 'Name, such as opencode:', command: 'Command, such as opencode acp:'},
	examples: [
		'agent add opencode -- opencode acp',
		'agent add mine --env OPENAI_API_KEY --sandbox -- npx -y @example/agent',
	],

	async run({name, command: words, env = [], sandbox}, {program}) {
		if (words.length === 0) {
			throw new AppError('usage', 'The command is missing.', {
				hint: 'Put it behind --: `agent add opencode -- opencode acp`',
			});
		}

		const variables = Object.fromEntries(
			[env].flat().map(text => {
				const [, key, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
				if (key === undefined) {
					throw new AppError('usage', `Invalid variable “${text}”.`, {hint: 'Write NAME=value, or NAME alone.'});
				}

				return [key, value];
			}),
		);
		const hasVariables = Object.keys(variables).length > 0;
		await program.agents.add({
			name,
			command: words,
			...(hasVariables && {env: variables}),
			...(sandbox && {isContained: true}),
		});
		return {
			kind: 'text',
			text: `Added the agent ${name}.`,
			hint: `See if it works: \`agent check ${name}\``,
			data: {name, command: [...words], sandbox},
		};
	},
});

const check = command({
	name: 'check',
	summary: 'Start an agent, and show what it offers',
	args: z.object({name: z.string()}),
	positional: ['name'],
	describe: {name: 'as `agent list` shows it, or a command in quotes'},
	examples: ['agent check qwen'],
	whileRunning: true,

	async run({name}, {program, signal}) {
		const {checkedAgent} = await import('../src/command/views/checked-agent.ts');
		const agent = program.agents.find(name);
		return checkedAgent(agent, await program.agents.check(agent, signal));
	},
});

const remove = command({
	name: 'remove',
	summary: 'Remove an agent that you added',
	args: z.object({name: z.string()}),
	positional: ['name'],
	describe: {name: 'as `agent list` shows it'},
	examples: ['agent remove qwen'],

	async run({name}, {program}) {
		if (!(await program.agents.remove(name))) {
			throw new AppError('not-found', `You added no agent “${name}”.`, {hint: 'See them all: `agent list`'});
		}

		return {kind: 'text', text: `Removed the agent ${name}.`, data: {name}};
	},
});

const use = command({
	name: 'use',
	summary: 'Select which agent answers in this session',
	args: z.object({agent: z.optional(z.string())}),
	positional: ['agent'],
	describe: {agent: 'its name or its command in quotes; own for our agent; omit it to select one'},
	examples: ['agent use qwen'],
	where: 'app',

	async run({agent}, context) {
		const {switchAgent} = await import('../src/command/views/switch-agent.ts');
		return (await switchAgent(agent, context)) ?? unchanged;
	},
});

const mode = command({
	name: 'mode',
	summary: 'Select a mode of the agent that answers',
	args: z.object({mode: z.optional(z.string())}),
	positional: ['mode'],
	describe: {mode: 'as the agent calls it; omit it to select one'},
	examples: ['agent mode plan'],
	where: 'app',

	async run({mode: wanted}, context) {
		const {setAgentMode} = await import('../src/command/views/switch-agent.ts');
		return (await setAgentMode(wanted, context)) ?? unchanged;
	},
});

export default noun({
	name: 'agent',
	summary: 'Agents of other makers, which answer in this screen',
	verbs: [use, list, add, check, remove, mode],
	fallback: 'use',
});
