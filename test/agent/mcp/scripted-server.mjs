// A stdio server without the SDK. Its argument is JSON: what it answers to each method, as `{result}` or `{error}`, after `delayMs`,
// and what it prints before, once and before each answer to a call (`@id` is its id). A method without an answer gets the error
// “Method not found”; `null` gets no answer at all. Answers to a request with a cursor are those to `method cursor`, where it has
// some. With `batch`, each message is a list of one.
import {readFileSync} from 'node:fs';
import process from 'node:process';
import {createInterface} from 'node:readline';

const {
	answers = {},
	delayMs = 0,
	stdout = '',
	stderr = '',
	beforeCalls,
	exit,
	batch,
} = JSON.parse(process.argv[2] ?? '{}');
const usual = {
	initialize: {
		result: {protocolVersion: '2025-06-18', capabilities: {tools: {}}, serverInfo: {name: 'scripted', version: '1'}},
	},
	'tools/list': {result: {tools: [{name: 'ok', description: 'Answers', inputSchema: {type: 'object'}}]}},
	'tools/call': {result: {content: [{type: 'text', text: 'fine'}]}},
};
process.stdout.write(stdout);
process.stderr.write(stderr);
if (exit !== undefined) {
	process.exitCode = exit;
	process.stdin.destroy();
} else {
	createInterface({input: process.stdin}).on('line', line => {
		const {id, method, params} = JSON.parse(line);
		if (method === 'tools/call' && beforeCalls) {
			process.stdout.write(readFileSync(beforeCalls, 'utf8').replaceAll('"@id"', JSON.stringify(id)));
		}

		const all = {...usual, ...answers};
		const page = `${method} ${params?.cursor}`;
		const answer =
			page in all ? all[page] : method in all ? all[method] : {error: {code: -32601, message: 'Method not found'}};
		if (id !== undefined && answer !== null) {
			const {id: ownId = id, ...rest} = answer;
			const message = {jsonrpc: '2.0', id: ownId, ...rest};
			setTimeout(() => process.stdout.write(`${JSON.stringify(batch ? [message] : message)}\n`), delayMs);
		}
	});
}
