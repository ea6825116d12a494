import type {JsonObject} from '../../src/core/json.ts';
import type {ProviderRequest} from '../../src/providers/provider.ts';

type Buckets = {readonly read: number; readonly written: number; readonly rest: number; readonly output: number};
type Call = {readonly id: string; readonly name: string; readonly word: string};
type Wire = 'anthropic' | 'google' | 'openai' | 'custom';
type Blocks = ReadonlyArray<JsonObject & {readonly cache_control?: object}>;

const tokens = (text: string) => Math.ceil(text.length / 4);
const minute = 60_000;

/**
 * Creates a vendor that caches as its wire format says: Anthropic up to each mark, if one of the 20 blocks before it was
 * marked in an earlier request; the others the longest beginning that they saw, in steps, OpenAI for each cache key apart.
 * Entries are at least 1024 tokens long and live for some minutes after they were read. Every second answer is a call.
 */
export function cachingVendor(wire: Wire) {
	const seen = new Map<string, number>();
	const reported: Buckets[] = [];
	let clock = 0;

	const remember = (prefix: string) => void (tokens(prefix) >= 1024 && seen.set(prefix, clock));
	const isKnown = (prefix: string, lifeMs: number) => clock - (seen.get(prefix) ?? Number.NEGATIVE_INFINITY) <= lifeMs;

	const readMarked = (body: JsonObject) => {
		const turns = body['messages'] as ReadonlyArray<{readonly content: Blocks}>;
		const blocks = [
			...((body['tools'] ?? []) as Blocks),
			...((body['system'] ?? []) as Blocks),
			...turns.flatMap(({content}) => content),
		];
		const marks = blocks.flatMap((block, index) => (block.cache_control ? [index] : []));
		if (marks.length > 4) {
			throw new Error('Anthropic allows four marks.');
		}

		const texts = blocks.map(({cache_control: _, ...block}) => JSON.stringify(block));
		const upTo = (index: number) => texts.slice(0, index + 1).join('');
		const places = marks
			.toReversed()
			.flatMap(mark => Array.from({length: Math.min(20, mark + 1)}, (_, back) => mark - back));
		const hit = places.find(place => isKnown(upTo(place), 5 * minute));
		const last = marks.at(-1);
		const read = hit === undefined ? 0 : tokens(upTo(hit));
		const whole = tokens(texts.join(''));
		const marked = last === undefined ? 0 : tokens(upTo(last));
		const written = marked >= 1024 ? Math.max(0, marked - read) : 0;
		for (const place of [...marks, ...(hit === undefined ? [] : [hit])]) {
			remember(upTo(place));
		}

		return {read, written, rest: whole - read - written};
	};

	const readPrefix = (text: string, {step, lifeMs}: {readonly step: number; readonly lifeMs: number}) => {
		let longest = 0;
		for (const [known] of [...seen].filter(([each]) => isKnown(each, lifeMs))) {
			let length = 0;
			while (length < Math.min(text.length, known.length) && text[length] === known[length]) {
				length++;
			}

			longest = Math.max(longest, length);
		}

		const found = Math.floor(longest / 4 / step) * step;
		const read = found >= 1024 ? found : 0;
		remember(text);
		return {read, written: 0, rest: tokens(text) - read};
	};

	const buckets = (body: JsonObject) => {
		const json = (...names: readonly string[]) => names.map(name => JSON.stringify(body[name] ?? null)).join('');
		switch (wire) {
			case 'anthropic':
				return readMarked(body);
			case 'google':
				return readPrefix(json('systemInstruction', 'tools', 'contents'), {step: 1, lifeMs: 10 * minute});
			case 'openai':
				return readPrefix(json('prompt_cache_key', 'tools', 'instructions', 'input'), {step: 128, lifeMs: 10 * minute});
			default:
				return readPrefix(json('tools', 'messages'), {step: 128, lifeMs: 10 * minute});
		}
	};

	const transport: ProviderRequest['transport'] = async ({body}) => {
		clock += 20_000;
		const number = reported.length;
		const usage = {...buckets(JSON.parse(String(body))), output: 30};
		reported.push(usage);
		const isCall = number % 2 === 0 && !String(body).includes('Stop here');
		const call = isCall ? {id: `call_${number}`, name: 'echo', word: `${number} `.repeat(200)} : undefined;
		const bytes = new TextEncoder().encode(answers[wire](usage, call));
		return {
			status: 200,
			headers: {},
			body: (async function* () {
				yield bytes;
			})(),
		};
	};

	return {
		transport,
		reported: reported as readonly Buckets[],
		/** Lets time pass. */
		wait(ms: number) {
			clock += ms;
		},
	};
}

const sse = (...chunks: readonly object[]) => chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');
const said = 'It is done, and here is what was found: all that was asked for, in order.';

const answers: Readonly<Record<Wire, (usage: Buckets, call: Call | undefined) => string>> = {
	anthropic: ({read, written, rest, output}, call) =>
		sse(
			{
				type: 'message_start',
				message: {
					usage: {
						input_tokens: rest,
						cache_read_input_tokens: read,
						cache_creation_input_tokens: written,
						output_tokens: 1,
					},
				},
			},
			call
				? {
						type: 'content_block_start',
						index: 0,
						content_block: {type: 'tool_use', id: call.id, name: call.name, input: {word: call.word}},
					}
				: {type: 'content_block_start', index: 0, content_block: {type: 'text', text: said}},
			{type: 'content_block_stop', index: 0},
			{type: 'message_delta', delta: {stop_reason: call ? 'tool_use' : 'end_turn'}, usage: {output_tokens: output}},
			{type: 'message_stop'},
		),
	google: ({read, rest, output}, call) =>
		sse({
			candidates: [
				{
					content: {parts: [call ? {functionCall: {name: call.name, args: {word: call.word}}} : {text: said}]},
					finishReason: 'STOP',
				},
			],
			usageMetadata: {promptTokenCount: read + rest, cachedContentTokenCount: read, candidatesTokenCount: output},
		}),
	openai: ({read, rest, output}, call) =>
		sse({
			type: 'response.completed',
			response: {
				output: [
					call
						? {
								type: 'function_call',
								id: call.id,
								call_id: call.id,
								name: call.name,
								arguments: JSON.stringify({word: call.word}),
							}
						: {type: 'message', id: 'm', content: [{type: 'output_text', text: said}]},
				],
				usage: {input_tokens: read + rest, input_tokens_details: {cached_tokens: read}, output_tokens: output},
			},
		}),
	custom: ({read, rest, output}, call) =>
		sse(
			{
				choices: [
					{
						delta: call
							? {
									tool_calls: [
										{index: 0, id: call.id, function: {name: call.name, arguments: JSON.stringify({word: call.word})}},
									],
								}
							: {content: said},
						finish_reason: call ? 'tool_calls' : 'stop',
					},
				],
			},
			{
				choices: [],
				usage: {prompt_tokens: read + rest, prompt_tokens_details: {cached_tokens: read}, completion_tokens: output},
			},
		),
};
