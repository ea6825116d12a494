import fc from 'fast-check';
import {expect, test} from 'vitest';
import {AppError} from '../../../src/core/error.ts';
import {parseTask} from '../../../src/server/tasks/parse-task.ts';

const least = 'name: shop\nversion: 1.0.0\ncommand: [node, server.mjs]\n';

test('a minimal task has a name, a version and a command, and the rest has defaults', () => {
	expect(parseTask(least, 'shop')).toEqual({
		name: 'shop',
		version: '1.0.0',
		public: false,
		description: '',
		inputs: {},
		instruction: '',
		build: [],
		command: ['node', 'server.mjs'],
		services: {},
	});
});

test('a complete task is read unchanged', () => {
	const task = parseTask(
		`${least}owner: acme
public: true
description: A shop
inputs:
  city: {type: string, required: true, choices: [Oslo, Bergen]}
  pace: {type: number, default: 1.5, minimum: 1}
instruction: |
  Go to {{inputs.city}} by {{ services.web.url }} or {{services.admin.port}}.
build:
  - [npm, ci]
services:
  web: {}
  admin: {env: ADMIN, path: /x, protocol: tcp}
image: registry.example:5000/tools/node:22@sha256:00ff
network: {allow: [api.example.com, '*.example.org']}
timeout_sec: 60
memory_mb: 512
verification: {kind: http}
`,
		'shop',
	);
	expect(task).toMatchObject({
		owner: 'acme',
		inputs: {city: {type: 'string', required: true, choices: ['Oslo', 'Bergen']}, pace: {default: 1.5}},
		instruction: 'Go to {{inputs.city}} by {{ services.web.url }} or {{services.admin.port}}.\n',
		build: [['npm', 'ci']],
		services: {web: {path: '/', protocol: 'http'}, admin: {env: 'ADMIN', path: '/x', protocol: 'tcp'}},
		image: 'registry.example:5000/tools/node:22@sha256:00ff',
		network: {allow: ['api.example.com', '*.example.org']},
		verification: {kind: 'http'},
	});
});

test.each<[string, string, string]>([
	['no command', 'name: a\nversion: 1.0.0\n', 'command is required'],
	['a command for a shell', 'name: a\nversion: 1.0.0\ncommand: node x\n', 'command must be a list'],
	['an empty command', 'name: a\nversion: 1.0.0\ncommand: []\n', 'command must have at least 1 entry'],
	['an image that is an option', `${least}image: --privileged\n`, 'image must be the reference of an image'],
	['an unknown network', `${least}network: host\n`, 'network '],
	['an allowed host that is a URL', `${least}network: {allow: ['https://a.example']}\n`, 'network'],
	['a name that is a path', 'name: ../a\nversion: 1.0.0\ncommand: [a]\n', 'name must be lower-case letters'],
	['a version that is a number', 'name: a\nversion: 1.0\ncommand: [a]\n', 'version must be text'],
	['a misspelt field', `${least}servces: {}\n`, 'servces is not known here'],
	['a wrong type of an input', `${least}inputs: {a: {type: text}}\n`, 'inputs.a.type must be one of string,'],
	['a wrong name of an input', `${least}inputs: {A-b: {type: string}}\n`, 'inputs.A-b has a name that must be lower'],
	['a wrong default', `${least}inputs: {a: {type: integer, default: x}}\n`, 'inputs.a.default must be a whole number'],
	[
		'a default out of bounds',
		`${least}inputs: {a: {type: number, default: 1, minimum: 2}}\n`,
		'default must be at least 2',
	],
	['an unknown placeholder', `${least}instruction: "{{inputs.a}}"\n`, 'instruction names {{inputs.a}}'],
	['an unknown service', `${least}instruction: "{{services.a.url}}"\n`, 'instruction names {{services.a.url}}'],
	['an inherited placeholder', `${least}instruction: "{{inputs.constructor}}"\n`, 'names {{inputs.constructor}}'],
	['a variable twice', `${least}services: {a: {env: P}, b: {env: P}}\n`, 'services have the same env'],
	['a variable with a sign', `${least}services: {a: {env: "A=B"}}\n`, 'services.a.env must be capital letters'],
	['a path with a blank', `${least}services: {a: {path: "/ x"}}\n`, 'services.a.path must begin with /'],
	['a time of nothing', `${least}timeout_sec: 0\n`, 'timeout_sec must be at least 1'],
	['a list', '- a\n', 'it must be an object'],
	['nothing', '', 'it must be an object'],
	['two documents', `${least}---\n${least}`, 'it is not valid YAML: '],
	['a name twice', `${least}name: b\n`, 'it is not valid YAML: Map keys must be unique'],
	['a tag that makes objects', `${least}verification: !!js/function "x"\n`, 'verification must be an object'],
	['a bomb of aliases', 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n', 'aliases are not allowed'],
	['a deep nest', `a: ${'['.repeat(30_000)}`, 'cannot be used: it is'],
	['a deep map', `${least}verification: ${'{a: '.repeat(40)}1${'}'.repeat(40)}\n`, 'nested deeper than 20 levels'],
	['too much', `${least}description: ${'x'.repeat(70_000)}\n`, 'it is larger than 65536 bytes'],
])('[24] %s is rejected, and the field is named', (_, text, reason) => {
	const message = expect.stringContaining(reason);
	expect(() => parseTask(text, 'bad')).toThrow(expect.objectContaining({constructor: AppError, message}));
});

test('[24] a field of the prototype is a field like others', () => {
	expect(() => parseTask(`${least}__proto__: {public: true}\n`, 'bad')).toThrow('__proto__ is not known here');
	expect(({} as {public?: boolean}).public).toBeUndefined();
});

test('[24] any text gives a task or an `AppError`', () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.string(), fc.string({unit: fc.constantFrom(...'{}[]:-&*!|>\n "a'), maxLength: 80})),
			text => {
				try {
					parseTask(text, 'any');
				} catch (error) {
					expect(error).toBeInstanceOf(AppError);
				}
			},
		),
		{numRuns: 300},
	);
});
