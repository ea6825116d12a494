import {httpServer} from '../net/servers.ts';

/** One message of a scripted model: what it says, then what it calls. */
export type Turn = {
	readonly text?: string;
	readonly calls?: readonly {readonly name: string; readonly arguments: object}[];
};

type Call = NonNullable<Turn['calls']>[number] & {readonly id: string};

/** How a vendor streams a message: each entry is the data of one event. */
type Wire = {
	/** The environment with which the program talks to a host of this wire. */
	readonly env: (origin: string) => Readonly<Record<string, string>>;
	readonly model: string;
	readonly events: (text: string, calls: readonly Call[]) => readonly object[];
};

/** Splits a text in two, so that nothing works only because it comes whole. */
function halves(text: string): readonly string[] {
	const middle = Math.ceil(text.length / 2);
	return [text.slice(0, middle), text.slice(middle)].filter(Boolean);
}

const anthropic: Wire = {
	env: origin => ({ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: 'sk-ant-e2e'}),
	model: 'anthropic/claude-sonnet-5',
	events(text, calls) {
		const blocks = [
			...(text
				? [{block: {type: 'text', text: ''}, deltas: halves(text).map(piece => ({type: 'text_delta', text: piece}))}]
				: []),
			...calls.map(({id, name, arguments: args}) => ({
				block: {type: 'tool_use', id, name, input: {}},
				deltas: halves(JSON.stringify(args)).map(piece => ({type: 'input_json_delta', partial_json: piece})),
			})),
		];
		return [
			{
				type: 'message_start',
				message: {id: 'm', role: 'assistant', content: [], usage: {input_tokens: 9, output_tokens: 1}},
			},
			...blocks.flatMap(({block, deltas}, index) => [
				{type: 'content_block_start', index, content_block: block},
				...deltas.map(delta => ({type: 'content_block_delta', index, delta})),
				{type: 'content_block_stop', index},
			]),
			{
				type: 'message_delta',
				delta: {stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn'},
				usage: {output_tokens: 7},
			},
			{type: 'message_stop'},
		];
	},
};

const responses: Wire = {
	env: origin => ({OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: 'sk-e2e'}),
	model: 'openai/gpt-5.4',
	events(text, calls) {
		const offset = text ? 1 : 0;
		const item = ({id, name, arguments: args}: Call) => ({
			...{id: `fc_${id}`, type: 'function_call', call_id: id, name, arguments: JSON.stringify(args)},
		});
		const message = {id: 'msg', type: 'message', role: 'assistant', content: [{type: 'output_text', text}]};
		const place = {item_id: 'msg', output_index: 0, content_index: 0};
		return [
			...(text
				? [
						{type: 'response.output_item.added', output_index: 0, item: {...message, content: []}},
						...halves(text).map(delta => ({type: 'response.output_text.delta', ...place, delta})),
						{type: 'response.output_item.done', output_index: 0, item: message},
					]
				: []),
			...calls.flatMap((call, index) => [
				{
					type: 'response.output_item.added',
					output_index: index + offset,
					item: {...item(call), arguments: ''},
				},
				...halves(JSON.stringify(call.arguments)).map(delta => ({
					type: 'response.function_call_arguments.delta',
					item_id: `fc_${call.id}`,
					output_index: index + offset,
					delta,
				})),
				{type: 'response.output_item.done', output_index: index + offset, item: item(call)},
			]),
			{
				type: 'response.completed',
				response: {
					status: 'completed',
					output: [...(text ? [message] : []), ...calls.map(item)],
					usage: {input_tokens: 9, output_tokens: 7},
				},
			},
		];
	},
};

const chat: Wire = {
	env: origin => ({CUSTOM_BASE_URL: `${origin}/v1`, CUSTOM_API_KEY: 'sk-e2e'}),
	model: 'custom/alpha',
	events(text, calls) {
		const chunk = (delta: object, finish: string | null = null) => ({
			choices: [{index: 0, delta, finish_reason: finish}],
		});
		return [
			...halves(text).map(content => chunk({content})),
			...calls.flatMap(({id, name, arguments: args}, index) => [
				chunk({tool_calls: [{index, id, type: 'function', function: {name, arguments: ''}}]}),
				...halves(JSON.stringify(args)).map(piece => chunk({tool_calls: [{index, function: {arguments: piece}}]})),
			]),
			chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
			{choices: [], usage: {prompt_tokens: 9, completion_tokens: 7}},
		];
	},
};

const gemini: Wire = {
	env: origin => ({GOOGLE_BASE_URL: origin, GOOGLE_API_KEY: 'e2e-key'}),
	model: 'google/gemini-3-pro',
	events(text, calls) {
		const chunk = (part: object) => ({candidates: [{index: 0, content: {role: 'model', parts: [part]}}]});
		return [
			...halves(text).map(piece => chunk({text: piece})),
			...calls.map(({name, arguments: args}) => chunk({functionCall: {name, args}})),
			{
				candidates: [{index: 0, content: {role: 'model', parts: []}, finishReason: 'STOP'}],
				usageMetadata: {promptTokenCount: 9, candidatesTokenCount: 7},
			},
		];
	},
};

/** The four wire formats. */
export const wires = {anthropic, responses, chat, gemini} as const;

/** Starts a host that speaks a wire format and gives these turns, one a request; the last one stays. */
export async function startWireHost(wire: keyof typeof wires, turns: readonly Turn[]) {
	const bodies: string[] = [];
	const {origin, seen} = await httpServer(async (request, response) => {
		let body = '';
		for await (const piece of request.setEncoding('utf8')) {
			body += piece;
		}

		if (request.method !== 'POST') {
			response.writeHead(404).end();
			return;
		}

		const {text = '', calls = []} = turns[Math.min(bodies.length, turns.length - 1)] ?? {};
		const called = calls.map((call, index) => ({...call, id: `call_${bodies.length}_${index}`}));
		bodies.push(body);
		response.writeHead(200, {'content-type': 'text/event-stream'});
		for (const event of wires[wire].events(text, called)) {
			const name = 'type' in event ? `event: ${event.type}\n` : '';
			response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
		}

		response.end(wire === 'chat' ? 'data: [DONE]\n\n' : '');
	});
	const {env, model} = wires[wire];
	return {
		env: env(origin),
		args: ['--model', model],
		origin,
		/** Every request, in order. */
		seen,
		/** The body of every request, in order. */
		bodies,
	};
}
