import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {createAnswerSplitter} from '../../../src/providers/chat/answer-splitter.ts';
import {registry} from '../../../src/providers/registry.ts';
import {expectLinear} from '../../growth.ts';
import {collect, eventsOf, fakeHost, requestOf, summaryOf} from '../replay.ts';

const custom = await registry.custom.load();

const bodyOf = (pieces: readonly string[]) => {
	const chunks = pieces.map(content => `data: ${JSON.stringify({choices: [{delta: {content}}]})}\n\n`);
	return `${chunks.join('')}data: ${JSON.stringify({choices: [{delta: {}, finish_reason: 'stop'}]})}\n\ndata: [DONE]\n\n`;
};

/** Returns what is read from an answer whose text comes in these pieces. */
async function say(...pieces: readonly string[]) {
	const {reasoning, text} = summaryOf(await eventsOf(custom, bodyOf(pieces)));
	return [reasoning, text];
}

/** Cuts a text into pieces of random lengths. */
const cut = (text: string, sizes: readonly number[]) => {
	const pieces: string[] = [];
	for (let at = 0, index = 0; at < text.length; index++) {
		const size = sizes[index % sizes.length] ?? 1;
		pieces.push(text.slice(at, at + size));
		at += size;
	}

	return pieces;
};

const pairs = [
	['<think>', '</think>'],
	['<thinking>', '</thinking>'],
	['<thought>', '</thought>'],
	['<reasoning>', '</reasoning>'],
	['<seed:think>', '</seed:think>'],
	['<mm:think>', '</mm:think>'],
	['[THINK]', '[/THINK]'],
	['◁think▷', '◁/think▷'],
	['<|begin_of_thought|>', '<|end_of_thought|>'],
	['<|START_THINKING|>', '<|END_THINKING|>'],
	['<|channel>thought\n', '<channel|>'],
	['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
	['<|start|>assistant<|channel|>analysis<|message|>', '<|end|>'],
] as const;

describe('reasoning between tags', () => {
	test.each(pairs)('%s … %s is separated from the answer', async (open, close) => {
		expect(await say(`\n${open}\nHm.\n${close}\n\nYes.`)).toEqual(['Hm.\n', 'Yes.']);
	});

	const ends = pairs.map(([, close]) => close).filter(close => !close.startsWith('<|end|>'));
	test.each(ends)('%s without a tag that opens it ends what precedes it', async close => {
		expect(await say(`Hm, 1 < 2.\n${close}\n\nYes.`)).toEqual(['Hm, 1 < 2.\n', 'Yes.']);
		expect(await say('Hm.', close, 'Yes.')).toEqual(['Hm.', 'Yes.']);
	});

	test.each<[string, string, readonly [string, string]]>([
		['two blocks', '<think>a</think>\n<think>b</think>\nYes.', ['ab', 'Yes.']],
		['one more tag in the answer', '<think>a</think>draft\n</think>Yes.', ['adraft\n', 'Yes.']],
		['only its end', '</think>\n\nYes.', ['', 'Yes.']],
		[
			'the answer between marks',
			'<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>Yes.<|end_of_solution|>',
			['a', 'Yes.'],
		],
		['a final message alone', '<|channel|>final<|message|>Yes.<|return|>', ['', 'Yes.']],
		[
			'a preamble',
			'<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>final<|message|> Yes.',
			['', 'I look. Yes.'],
		],
	])('with %s', async (_, text, expected) => {
		expect(await say(text)).toEqual(expected);
	});

	test.each([
		'The tag `</think>` ends it.',
		'The tag </think> ends it.',
		'It ends with "</think>" or ‘[/THINK]’.',
		'Models write <think> first and </think> last.',
		'```\n<think>\nHm.\n</think>\n```\nYes.',
		'~~~xml\n</think>\n~~~\nYes.',
		'Use `<think>` at first.\n\n    - `</think>`',
		'a <b> c </b> [x] [/x] <',
		'An array: [THIN',
		'```json\n{"a": 1}\n```',
		'[1, 2]',
		'{"name": 1}',
	])('is not read into %j', async text => {
		expect(await say(text)).toEqual(['', text]);
		expect(await say(...text)).toEqual(['', text]);
	});

	test('is read from the beginning of the next answer of a model that leaves out its first tag', async () => {
		const {transport} = fakeHost(
			{body: bodyOf(['Hm.', '</think>', 'Yes.'])},
			{body: bodyOf(['Hm.', '</think>', 'Yes.'])},
			{body: bodyOf(['No thought.'])},
			{body: `data: ${JSON.stringify({choices: [{delta: {reasoning: 'Hm.'}}]})}\n\n${bodyOf(['Yes.'])}`},
		);
		const answers: unknown[] = [];
		for (let count = 0; count < 4; count++) {
			const events = await collect(custom(requestOf(transport)));
			answers.push(events.flatMap<unknown>(event => ('text' in event ? [[event.type, event.text]] : event.type)));
		}

		expect(answers).toEqual([
			[['text-delta', 'Hm.'], 'reclassify', ['text-delta', 'Yes.'], 'finish'],
			[['reasoning-delta', 'Hm.'], ['text-delta', 'Yes.'], 'finish'],
			[['reasoning-delta', 'No thought.'], ['text-delta', 'No thought.'], 'finish'],
			[['reasoning-delta', 'Hm.'], ['text-delta', 'Yes.'], 'finish'],
		]);
	});
});

const token = fc.constantFrom(
	...pairs.flat(),
	...['<', '>', '[', '/', '`', '```', '\n', ' ', 'a', 'Hm.', 'é', '«', '"', '~~~', '</', '<|end|>', '<|return|>', '<|'],
);

test('any text in pieces of any size is read as the whole is', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(token, {maxLength: 14}),
			fc.array(fc.integer({min: 1, max: 9}), {minLength: 1, maxLength: 5}),
			async (tokens, sizes) => {
				const text = tokens.join('');
				expect(await say(...cut(text, sizes))).toEqual(await say(text));
			},
		),
		{numRuns: 600},
	);
});

test('no word is lost or said twice, whatever a text is made of', async () => {
	const words = (text: string) => text.match(/Hm|é/g) ?? [];
	await fc.assert(
		fc.asyncProperty(fc.array(token, {maxLength: 12}), async tokens => {
			const text = tokens.join('');
			expect(words((await say(text)).join('')).toSorted()).toEqual(words(text).toSorted());
		}),
		{numRuns: 400},
	);
});

test('what stands in code stays text', async () => {
	const line = fc.array(fc.constantFrom(...pairs.flat().filter(tag => !tag.includes('\n')), 'a', ' '), {maxLength: 6});
	await fc.assert(
		fc.asyncProperty(
			fc.array(line, {minLength: 1, maxLength: 4}),
			fc.integer({min: 1, max: 9}),
			async (lines, size) => {
				const block = lines.map(tokens => tokens.join('')).join('\n');
				const fenced = `So:\n\`\`\`\n${block}\n\`\`\`\nDone.`;
				expect(await say(...cut(fenced, [size]))).toEqual(['', fenced]);
				const spans = lines.map(tokens => `See \`${tokens.join('')}x\`, too.`).join('\n');
				expect(await say(...cut(spans, [size]))).toEqual(['', spans]);
			},
		),
		{numRuns: 200},
	);
});

test('a long answer of marks, of any kind, is read in time that grows with its length', () => {
	for (const mark of [
		'a </think> a',
		'`',
		'<think>a',
		'</',
		'[TOOL_CALLS] ',
		'<tool_call> a\n',
		'</think>',
		'<|end|>',
	]) {
		for (const times of [1, 64]) {
			const read = (count: number) => {
				const splitter = createAnswerSplitter({assumesReasoning: false, holdsCalls: true});
				for (let left = count; left > 0; left -= times) {
					splitter.read(mark.repeat(times));
				}

				return splitter.end();
			};
			expectLinear(read, 1024);
		}
	}
});
