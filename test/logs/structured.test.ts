import fc from 'fast-check';
import {expect, test} from 'vitest';
import {readStructured} from '../../src/logs/structured.ts';

const at = Date.UTC(2026, 2, 2, 9, 41, 7, 352);

test.each([
	['pino', '{"level":50,"time":1772444467352,"pid":1,"msg":"no rate"}', [at, 'error', 'no rate', [['pid', '1']]]],
	['zap', '{"level":"warn","ts":1772444467.352,"msg":"slow","ms":812}', [at, 'warn', 'slow', [['ms', '812']]]],
	[
		'ECS',
		'{"@timestamp":"2026-03-02T09:41:07.352Z","log.level":"info","message":"up","labels":{"shop":"a","n":[1]}}',
		[
			at,
			'info',
			'up',
			[
				['labels.shop', 'a'],
				['labels.n', '[1]'],
			],
		],
	],
	[
		'logfmt',
		'ts=2026-03-02T09:41:07.352Z level=info msg="request done" method=POST path=/checkout empty= q="a=b \\"c\\""',
		[
			at,
			'info',
			'request done',
			[
				['method', 'POST'],
				['path', '/checkout'],
				['empty', ''],
				['q', 'a=b "c"'],
			],
		],
	],
	['nanoseconds', '{"t":1772444467352000000,"msg":"x"}', [at, undefined, 'x', []]],
	['a time of its own', '{"time":"yesterday","msg":"x"}', ['yesterday', undefined, 'x', []]],
	[
		'a stack',
		'{"level":"error","msg":"no","err":{"stack":"E: no\\n at a"}}',
		[undefined, 'error', 'no', [['err.stack', 'E: no\n at a']]],
	],
	['no message', 'level=debug a=1', [undefined, 'debug', '', [['a', '1']]]],
] as const)('a line of %s is taken apart', (_, line, [time, level, message, fields]) => {
	expect(readStructured(line)).toEqual({time, level, message, fields});
});

test.each([
	'plain text with a=1',
	'a=1 b=2',
	'level=info',
	'level=info msg=x and text',
	'level=info msg="open',
	'{"a":1}',
	'{"msg":{"nested":true}}',
	'{"msg":"x"',
	'[1,2]',
	'\u001B[32mlevel=info\u001B[0m msg=x',
	'',
])('%j stays as it is', line => {
	expect(readStructured(line)).toBe(undefined);
});

test('what a hostile line can make is bounded', () => {
	const many = JSON.stringify({
		msg: 'x',
		...Object.fromEntries(Array.from({length: 900}, (_, index) => [`k${index}`, 1])),
	});
	expect(readStructured(many)?.fields).toHaveLength(41);
	const deep = `{"msg":"x","a":${'['.repeat(7000)}${']'.repeat(7000)}}`;
	expect(readStructured(deep)?.fields).toEqual([['a', '…']]);
	expect(readStructured(JSON.stringify({msg: 'x', a: 'y'.repeat(9000)}))?.fields[0]?.[1]).toHaveLength(401);
	expect(readStructured(JSON.stringify({msg: 'x'.repeat(1_000_000)}))).toBe(undefined);
	expect(readStructured('{"level":"constructor","msg":"x","__proto__":{"a":1}}')?.level).toBe('constructor');
	expect(readStructured(`level=info msg=x ${'a="\\'.repeat(4000)}`)).toBe(undefined);
});

test('any line is read or left, and never throws', () => {
	const pair = fc.tuple(fc.constantFrom('level', 'msg', 'ts', 'a b', '"', '__proto__', 'x'), fc.json());
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string(),
				fc.json(),
				fc.array(pair).map(pairs => pairs.map(([key, value]) => `${key}=${value}`).join(' ')),
			),
			line => {
				const read = readStructured(line);
				expect(read === undefined || typeof read.message === 'string').toBe(true);
			},
		),
	);
});
