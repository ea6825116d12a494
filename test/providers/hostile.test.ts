import fc from 'fast-check';
import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import type {Json} from '../../src/core/json.ts';
import {parseRecorded} from '../../src/core/session/event.ts';
import {adapterOf, fakeHost, requestOf, untilFailure} from './replay.ts';

const words = [
	...[
		'type',
		'index',
		'delta',
		'content',
		'content_block',
		'message',
		'usage',
		'text',
		'thinking',
		'signature',
		'input',
	],
	...['choices', 'tool_calls', 'function', 'name', 'arguments', 'id', 'finish_reason', 'reasoning_content', 'refusal'],
	...[
		'item',
		'output',
		'output_index',
		'response',
		'call_id',
		'encrypted_content',
		'summary',
		'error',
		'status',
		'part',
	],
	...[
		'candidates',
		'parts',
		'functionCall',
		'args',
		'thoughtSignature',
		'finishReason',
		'usageMetadata',
		'promptFeedback',
	],
	...['__proto__', 'constructor', 'length'],
];
const kinds = [
	...[
		'message_start',
		'content_block_start',
		'content_block_delta',
		'content_block_stop',
		'message_delta',
		'message_stop',
	],
	...['tool_use', 'text', 'thinking', 'redacted_thinking', 'function_call', 'reasoning', 'message', 'toString'],
	...['response.output_item.done', 'response.output_text.delta', 'response.reasoning_text.done', 'response.completed'],
];

const value: fc.Arbitrary<Json> = fc.letrec<{value: Json}>(tie => ({
	value: fc.oneof(
		{depthSize: 'medium', withCrossShrink: true},
		fc.constantFrom<Json>(null, true, 0, 1, -1, 1e308, '', 'x', 'STOP', 'stop', ...kinds),
		fc.array(tie('value'), {maxLength: 3}),
		fc.dictionary(fc.constantFrom(...words), tie('value'), {maxKeys: 6}),
	),
})).value;

const chunk = fc
	.tuple(fc.constantFrom(...kinds), fc.dictionary(fc.constantFrom(...words), value, {maxKeys: 8}))
	.map(([type, rest]) => JSON.stringify({...rest, type}));

test.each(['anthropic', 'openai-responses', 'openai-chat', 'gemini'])(
	'[24] chunks of %s in any shape give only events and readable errors',
	async wire => {
		const provider = await adapterOf(wire);
		await fc.assert(
			fc.asyncProperty(fc.array(chunk, {maxLength: 8}), async chunks => {
				const body = chunks.map(data => `data: ${data}\n\n`).join('');
				const {seen, error} = await untilFailure(provider(requestOf(fakeHost({body}).transport)));
				expect(error === undefined || error instanceof AppError).toBe(true);
				for (const event of seen.filter(({type}) => type !== 'finish')) {
					const whole = {...event, messageId: 'm', model: 'm'};
					expect(parseRecorded({v: 1, seq: 0, at: '', session: '', server: '', event: whole})).toBeDefined();
				}
			}),
			{numRuns: 100},
		);
	},
);
