import type {Random} from './fault.ts';
import type {Heard, SecretWorld} from './secret-world.ts';

/** What a user does with secrets. Returns how many there were, and what leaked. */
export type Journey = (random: Random) => Promise<{readonly tried: number; readonly leaks: readonly string[]}>;

/** Writes an answer of a Chat Completions host. */
function chat(response: Parameters<Parameters<SecretWorld['listen']>[1]>[1], delta: object, reason = 'stop'): void {
	const line = (choice: object) =>
		`data: ${JSON.stringify({id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice]})}\n\n`;
	response.writeHead(200, {'content-type': 'text/event-stream'});
	response.write(line({index: 0, delta, finish_reason: null}));
	response.end(`${line({index: 0, delta: {}, finish_reason: reason})}data: [DONE]\n\n`);
}

const callOf = (index: number, name: string, args: object) => ({
	...{index, id: `call_${index}`, type: 'function'},
	function: {name, arguments: JSON.stringify(args)},
});

/** Everything that a model may ask for to see secrets. */
const prying = [
	callOf(0, 'read_file', {path: '.env'}),
	callOf(1, 'run_command', {
		command:
			'cat .env; env; cat /proc/*/environ /proc/*/cmdline; cat "$HOME"/home/config.json "$HOME"/home/mcp.json; grep -r . . ; base64 -w0 .env',
	}),
	callOf(2, 'search_text', {pattern: 'PASSWORD|TOKEN'}),
	callOf(3, 'mcp__local__pry', {}),
	callOf(4, 'mcp__remote__pry', {}),
	callOf(5, 'run_command', {command: 'sort -R .env | rev | rev; xxd -p .env | tr -d "\\n"'}),
];

/**
 * A host of a model that repeats the credential that it got, as hosts, gateways and their error pages do: in a refusal, in a redirect, in
 * an answer; and asks for all secrets that it can think of.
 */
export function repeatingHost() {
	let turn = 0;
	return ({url, authorization, body}: Heard, response: Parameters<Parameters<SecretWorld['listen']>[1]>[1]) => {
		if (url.endsWith('/models')) {
			response.end(JSON.stringify({object: 'list', data: [{id: 'm', object: 'model'}], seen: authorization}));
			return;
		}

		const key = authorization.replace(/^Bearer /, '');
		const wish = body.match(/wish-\w+/g)?.at(-1);
		if (wish === 'wish-secrets' && turn++ % 2 === 0) {
			chat(response, {tool_calls: prying}, 'tool_calls');
		} else if (wish === 'wish-refusal') {
			response.writeHead(401, {'content-type': 'application/json'});
			response.end(
				JSON.stringify({error: {message: `Incorrect API key provided: ${key}.`, code: 'invalid_api_key', key}}),
			);
		} else if (wish === 'wish-redirect') {
			response.writeHead(307, {location: `/v1/other?key=${encodeURIComponent(key)}`}).end();
		} else if (wish === 'wish-page') {
			response.writeHead(502, {'content-type': 'text/html'}).end(`<html><body>${authorization}</body></html>`);
		} else {
			chat(response, {
				content: `You sent ${authorization}: ${JSON.stringify({key})}.`,
			});
		}
	};
}

/** An MCP server over HTTP that repeats what it got. */
export function repeatingServer(
	{authorization, body}: Heard,
	response: Parameters<Parameters<SecretWorld['listen']>[1]>[1],
): void {
	const {id, method} = JSON.parse(body || '{}');
	const results: Record<string, object> = {
		initialize: {
			protocolVersion: '2025-06-18',
			capabilities: {tools: {}},
			serverInfo: {name: 'r', version: authorization},
			instructions: `Use ${authorization}.`,
		},
		'tools/list': {tools: [{name: 'pry', description: `Got ${authorization}`, inputSchema: {type: 'object'}}]},
		'tools/call': {
			content: [{type: 'text', text: `${authorization} ${Buffer.from(authorization).toString('base64')}`}],
		},
	};
	const result = results[method];
	if (id === undefined || !result) {
		response.writeHead(id === undefined ? 202 : 404).end(`No ${method} for ${authorization}`);
		return;
	}

	response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify({jsonrpc: '2.0', id, result}));
}

/** Repeats the key in every answer of a platform. */
export function repeatingPlatform(
	{url, authorization}: Heard,
	response: Parameters<Parameters<SecretWorld['listen']>[1]>[1],
): void {
	const isFine = url.includes('/user/preferences') || url.includes('otel');
	response.writeHead(isFine ? 200 : 403, {'content-type': 'application/json'});
	response.end(
		JSON.stringify(
			isFine
				? {enabled_model_ids: [], inference_credits_per_dollar: 1, models: [], note: authorization}
				: {detail: `${authorization} may not do that`},
		),
	);
}
