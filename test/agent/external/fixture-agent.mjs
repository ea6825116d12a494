// An agent that plays the scene which its prompt names. It is started as a process, and needs no package.
import {appendFileSync, readFileSync, writeFileSync} from 'node:fs';
import process from 'node:process';
import {createInterface} from 'node:readline';

const log = process.env.FIXTURE_LOG;
const pending = new Map();
let count = 0;
let session = 'none';
let cost = 0;
const write = message => process.stdout.write(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);
const update = given => write({method: 'session/update', params: {sessionId: session, update: given}});
const say = text => update({sessionUpdate: 'agent_message_chunk', content: {type: 'text', text}});
const ask = (toolCall, options) =>
	new Promise(resolve => {
		count++;
		pending.set(`q${count}`, resolve);
		write({id: `q${count}`, method: 'session/request_permission', params: {sessionId: session, toolCall, options}});
	});
const once = {optionId: 'third', name: 'Allow', kind: 'allow_once'};
const always = {optionId: 'second', name: 'Always allow everything', kind: 'allow_always'};
const no = {optionId: 'first', name: 'Reject', kind: 'reject_once'};
const cwd = process.cwd();

const scenes = {
	async hello() {
		update({sessionUpdate: 'agent_thought_chunk', content: {type: 'text', text: 'thinking'}});
		say('Hello ');
		say('world.');
		cost += 0.25;
		update({sessionUpdate: 'usage_update', used: 500, size: 1000, cost: {amount: cost, currency: 'USD'}});
	},
	async tools() {
		update({sessionUpdate: 'plan', entries: [{content: 'Do it', priority: 'medium', status: 'in_progress'}]});
		update({sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'bash', kind: 'execute', rawInput: {}});
		update({sessionUpdate: 'tool_call_update', toolCallId: 'c1', title: 'Run ls', rawInput: {command: 'ls'}});
		update({
			sessionUpdate: 'tool_call_update',
			toolCallId: 'c1',
			status: 'completed',
			content: [{type: 'content', content: {type: 'text', text: 'a.txt'}}],
		});
		update({sessionUpdate: 'tool_call', toolCallId: 'c2', title: 'new.txt', kind: 'edit', rawInput: {path: 'new.txt'}});
		update({
			sessionUpdate: 'tool_call_update',
			toolCallId: 'c2',
			status: 'completed',
			content: [{type: 'diff', path: `${cwd}/new.txt`, oldText: null, newText: 'one\ntwo\n'}],
		});
		say('Done.');
	},
	async edit() {
		const call = {
			toolCallId: 'e',
			title: 'Edit a.txt',
			kind: 'edit',
			locations: [{path: `${cwd}/a.txt`}],
			rawInput: {path: 'a.txt'},
		};
		say(JSON.stringify(await ask(call, [no, always, once])));
	},
	async asked() {
		const path = `${cwd}/a.txt`;
		const call = {toolCallId: 'w', kind: 'edit', locations: [{path}]};
		update({sessionUpdate: 'tool_call', ...call, title: 'write', status: 'pending', rawInput: {}});
		const diff = {type: 'diff', path, oldText: '', newText: 'hello\n'};
		await ask({...call, title: path, content: [diff], rawInput: {path}}, [no, always, once]);
		const done = {content: [{type: 'content', content: {type: 'text', text: 'Wrote the file.'}}]};
		update({sessionUpdate: 'tool_call_update', toolCallId: 'w', title: path.slice(1), status: 'completed', ...done});
	},
	/** Writes the lines of a file as they are. */
	async lines() {
		process.stdout.write(readFileSync(`${cwd}/lines.jsonl`, 'utf8').replaceAll('@session', session));
		say('Done.');
	},
	/** Changes a file without a question, as some agents do. */
	async unasked() {
		writeFileSync(`${cwd}/kept.txt`, 'changed\n');
		writeFileSync(`${cwd}/created.txt`, 'new\n');
		say('Done.');
	},
	async writes() {
		const results = JSON.parse(readFileSync(`${cwd}/paths.json`, 'utf8')).map(path => {
			try {
				writeFileSync(path, 'written');
				return 'written';
			} catch (error) {
				return error.code;
			}
		});
		say(results.join(' '));
	},
	async outside() {
		const call = {toolCallId: 'e', title: 'Edit passwd', kind: 'edit', locations: [{path: '/etc/passwd'}]};
		say(JSON.stringify(await ask(call, [no, once])));
	},
	async linked() {
		const call = {toolCallId: 'e', title: 'Edit link', kind: 'edit', locations: [{path: `${cwd}/link/b`}]};
		say(JSON.stringify(await ask(call, [no, once])));
	},
	async nowhere() {
		say(JSON.stringify(await ask({toolCallId: 'e', title: 'Edit', kind: 'edit'}, [no, once])));
	},
	async kindless() {
		say(
			JSON.stringify(
				await ask({toolCallId: 'e', title: 'Edit', kind: 'teleport', locations: [{path: `${cwd}/a.txt`}]}, [no, once]),
			),
		);
	},
	async run() {
		say(
			JSON.stringify(
				await ask({toolCallId: 'r', title: 'Run', kind: 'execute', rawInput: {command: 'rm -rf x'}}, [no, once]),
			),
		);
	},
	async onesided() {
		say(
			JSON.stringify(
				await ask({toolCallId: 'e', title: 'Edit', kind: 'edit', locations: [{path: `${cwd}/a.txt`}]}, [once, always]),
			),
		);
	},
	async unknownoptions() {
		const options = [
			{optionId: 'x', name: 'Yes', kind: 'allow_now'},
			{optionId: 'y', name: 'No', kind: 'deny'},
		];
		say(
			JSON.stringify(
				await ask({toolCallId: 'e', title: 'Edit', kind: 'edit', locations: [{path: `${cwd}/a.txt`}]}, options),
			),
		);
	},
	async strange() {
		process.stdout.write('A banner\n[1,2]\n{"half":\n{"jsonrpc":"2.0","id":999,"result":{}}\n');
		for (let index = 0; index < 5; index++) {
			update({sessionUpdate: 'hologram', depth: index});
		}
		update({sessionUpdate: 'agent_message_chunk', content: {type: 'smell', mimeType: 'x/rose'}});
		update('nothing');
		write({method: 'private/thing', params: 1});
		say(' Still here.');
	},
	async die() {
		say('Half an ans');
		process.stderr.write('warming up\nfatal: the disk is on fire\n');
		setTimeout(() => process.exit(7), 20);
		await new Promise(() => undefined);
	},
	async ignore() {
		say('I never stop.');
		await new Promise(() => undefined);
	},
	async dream() {
		return 'dreaming';
	},
	async cut() {
		say('A long ans');
		return 'max_tokens';
	},
	async refuse() {
		return 'refusal';
	},
	async long() {
		process.stdout.write(`{"jsonrpc":"2.0","method":"session/update","params":"${'x'.repeat(33 * 1024 * 1024)}`);
		await new Promise(() => undefined);
	},
	async double() {
		say('Once.');
		return 'twice';
	},
};

const handlers = {
	initialize: () => ({
		protocolVersion: Number(process.env.FIXTURE_VERSION ?? 1),
		agentInfo: {name: 'fixture', version: '1.2.3'},
		authMethods: [{id: 'key', name: 'An API key'}],
		agentCapabilities: {
			loadSession: process.env.FIXTURE_LOAD === '1',
			promptCapabilities: {image: true},
		},
	}),
	'session/new': () => {
		session = `s-${process.pid}`;
		return {
			sessionId: session,
			modes: {
				currentModeId: 'code',
				availableModes: [
					{id: 'code', name: 'Code'},
					{id: 'plan', name: 'Plan'},
				],
			},
			configOptions: [
				{
					id: 'm',
					name: 'Model',
					category: 'model',
					type: 'select',
					currentValue: 'small',
					options: [
						{value: 'small', name: 'Small'},
						{value: 'large', name: 'Large'},
					],
				},
			],
		};
	},
	'session/load': ({sessionId}) => {
		session = sessionId;
		say('replayed');
		return {};
	},
	'session/set_config_option': ({value}) => ({
		configOptions: [
			{
				id: 'm',
				name: 'Model',
				category: 'model',
				type: 'select',
				currentValue: value,
				options: [
					{value: 'small', name: 'Small'},
					{value: 'large', name: 'Large'},
				],
			},
		],
	}),
	'session/set_mode': () => ({}),
	'session/prompt': async ({prompt}) => {
		const words = prompt.map(({text}) => text).join('\n');
		const scene = /scene:(\w+)/g;
		const name = [...words.matchAll(scene)].at(-1)?.[1];
		if (!name) {
			say(words);
		}

		return {stopReason: (await scenes[name]?.()) ?? 'end_turn'};
	},
};

if (process.env.FIXTURE_HANG !== '1') {
	createInterface({input: process.stdin}).on('line', async line => {
		if (log) {
			appendFileSync(log, `${line}\n`);
		}

		const {id, method, params, result, error} = JSON.parse(line);
		if (method === undefined) {
			pending.get(id)?.(result ?? {error});
			return;
		}

		if (id === undefined) {
			return;
		}

		if (process.env.FIXTURE_AUTH === '1' && method === 'session/new') {
			write({id, error: {code: -32000, message: 'Authentication required'}});
			return;
		}

		const answer = await handlers[method](params);
		if (answer.stopReason === 'twice') {
			write({id, result: {stopReason: 'end_turn'}});
			write({id, result: {stopReason: 'refusal'}});
			return;
		}

		write({id, result: answer});
	});
} else {
	setInterval(() => undefined, 1000);
}
