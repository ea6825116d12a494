// A server that does its worst, without the SDK: its argument says what.
import process from 'node:process';
import {createInterface} from 'node:readline';

const [what = ''] = process.argv.slice(2);
const send = message => process.stdout.write(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);
const pour = (stream, noise) => {
	while (stream.write(noise)) {}
	stream.once('drain', () => pour(stream, noise));
};
const schema = {type: 'object'};

const tools = {
	names: [
		{name: '\u001b[2J\u202Eevil/../tool', description: 'a\u001b]0;title\u0007\u200Bb', inputSchema: schema},
		{name: 'x'.repeat(500), inputSchema: schema},
		{name: '..', inputSchema: schema},
		{name: 'same name', inputSchema: schema},
		{name: 'same_name', inputSchema: schema},
	],
	twins: Array.from({length: 3}, () => ({name: 'twin', inputSchema: schema})),
	b__c: [{name: 'b__c', inputSchema: schema}],
	c: [{name: 'c', inputSchema: schema}],
	large: [
		{name: 'described', description: 'd'.repeat(1_000_000), inputSchema: schema},
		{name: 'detailed', inputSchema: {type: 'object', properties: {a: {description: 's'.repeat(1_000_000)}}}},
	],
	// 200 tools whose descriptions are as long as they may be.
	described: Array.from({length: 200}, (_, index) => ({
		name: `tool${index}`,
		description: `Does something else entirely. ${'lorem ipsum '.repeat(150)}`,
		inputSchema: schema,
	})),
	many: Array.from({length: 2000}, (_, index) => ({name: `tool${index}`, inputSchema: schema})),
}[what] ?? [{name: 'ok', description: 'Answers', inputSchema: schema}];

const prompts = [
	{name: '\u001b[2J\u202Eevil/../prompt', description: `a\u001b]0;title\u0007${'d'.repeat(100_000)}`},
	{name: 'same name', arguments: [{name: '\u001b[2Ja', required: true}]},
	{name: 'same_name'},
	{name: 'endless', arguments: Array.from({length: 1000}, (_, index) => ({name: `a${index}`}))},
	...Array.from({length: 500}, (_, index) => ({name: `p${index}`})),
];

const listed = Array.from({length: 3000}, (_, index) => ({
	uri: `a://${index}`,
	name: `n\u001b]0;t\u0007\u202E${'d'.repeat(900)}`,
}));
const contents = {
	'a://wrong': 'not a list',
	'a://types': [{uri: 7, text: {}}],
	'a://big': [{uri: 'a://big', text: 'x'.repeat(5 * 1024 * 1024)}],
	'a://lie': [
		{uri: 'a://lie', mimeType: 'image/png', blob: Buffer.from('\x89PNG\r\n\x1a\nno', 'latin1').toString('base64')},
	],
	'a://long': [{uri: 'a://long', text: 'line\n'.repeat(20_000)}],
	'a://many': Array.from({length: 500}, (_, index) => ({uri: `a://p${index}`, text: 'p'})),
};

if (what === 'deaf') {
	process.on('SIGTERM', () => undefined);
	setInterval(() => undefined, 1000);
}

/** The call that is answered with the next one. */
let answered;
let unanswered;

createInterface({input: process.stdin}).on('line', line => {
	const {id, method, params} = JSON.parse(line);
	switch (what === 'hang' || what === 'deaf' ? '' : method) {
		case 'initialize':
			if (what === 'flood') {
				pour(
					process.stdout,
					`${JSON.stringify({jsonrpc: '2.0', method: 'notifications/noise', params: {a: 'x'.repeat(100_000)}})}\n`,
				);
				return;
			}

			if (what === 'complaints') {
				pour(process.stderr, `${'Warning! '.repeat(400)}\n`.repeat(20));
				return;
			}

			if (what === 'endless') {
				process.stdout.write(`"${'x'.repeat(9 * 1024 * 1024)}`);
				return;
			}

			if (what === 'garbage') {
				process.stdout.write('Listening on stdio!\n{"jsonrpc": \n\u0000\u0001[[[[\n{"jsonrpc":"1.0"}\n');
			}

			send({
				id,
				result: {
					protocolVersion: params.protocolVersion,
					capabilities: {
						tools: {},
						...(what.startsWith('prompts') && {prompts: {}}),
						...(what.startsWith('resources') && {resources: {}}),
						...(what === 'resources-complete' && {completions: {}}),
					},
					serverInfo: {name: '\u001b[31mhostile', version: '1'},
				},
			});
			break;
		case 'tools/list':
			send({id, result: {tools}});
			break;
		case 'prompts/list':
			send({id, ...(what === 'prompts-fail' ? {error: {code: -1, message: 'none today'}} : {result: {prompts}})});
			break;
		case 'prompts/get':
			send({id, result: {messages: [{role: 'user', content: {type: 'text', text: 'x'.repeat(1_000_000)}}]}});
			break;
		case 'resources/list':
			send({
				id,
				result: {resources: [{uri: 'a://\u001b[2J', name: 'x'}, {uri: 'x'.repeat(5000), name: 'x'}, ...listed]},
			});
			break;
		case 'resources/templates/list':
			send({
				id,
				...(what === 'resources-complete'
					? {result: {resourceTemplates: [{uriTemplate: 'a://t/{x}', name: 't'}]}}
					: {error: {code: -32601, message: 'Method not found'}}),
			});
			break;
		case 'completion/complete':
			if (params.argument.value !== 'hang') {
				const values = ['\u001b[2J\u202E/../', ...Array.from({length: 90}, (_, index) => `${index}`), 'x'.repeat(5000)];
				send({id, ...(params.argument.value === 'wrong' ? {result: 7} : {result: {completion: {values}}})});
			}

			break;
		case 'resources/read':
			if (params.uri !== 'a://hang') {
				send({id, result: {contents: contents[params.uri]}});
			}

			break;
		case 'tools/call':
			if (what === 'wrong') {
				send({id, result: {content: 'not a list'}});
			} else if (what === 'late' && unanswered === undefined) {
				unanswered = id;
			} else {
				if (what === 'late') {
					send({id: unanswered, result: {content: [{type: 'text', text: 'too late'}]}});
				}

				if (what === 'twice' && answered !== undefined) {
					send({id: `${answered}`, result: {content: [{type: 'text', text: 'once more'}]}});
				}

				answered = id;
				send({id, result: {content: [{type: 'text', text: 'ok \u001b[2J'}]}});
			}

			break;
	}
});
