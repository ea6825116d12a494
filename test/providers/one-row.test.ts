import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {commands} from '../../commands/index.ts';
import {isNoun} from '../../src/command/context.ts';
import {openConfig} from '../../src/config/config.ts';
import {temporaryHome} from '../storage/temporary.ts';
import {collect, fakeHost, requestOf} from './replay.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const row = `lab: {
	...chat,
	label: 'Lab',
	keyVariables: ['LAB_API_KEY'],
	baseVariable: 'LAB_BASE_URL',
	defaultBaseUrl: 'https://api.lab.test/v1',
	defaultModel: 'lab-1',
	quirks: {maxTokensField: 'max_completion_tokens'},
	checkPath: 'key',
},`;

/** The modules that read the rows. */
const exported = {
	parseProviderName: 'src/core/model.ts',
	parseModelId: 'src/core/model.ts',
	registry: 'src/providers/registry.ts',
	checkKey: 'src/providers/check-key.ts',
	resolveKey: 'src/config/provider-keys.ts',
	createKnownSecrets: 'src/config/known-secrets.ts',
	createCompletionValues: 'src/config/completion-values.ts',
	environmentRows: 'src/command/topics/tables.ts',
	commands: 'commands/index.ts',
};

const entry = Object.entries(exported)
	.map(([name, file]) => `export {${name}} from './${file}';`)
	.join('\n');

type Program = Pick<typeof import('../../src/core/model.ts'), 'parseProviderName' | 'parseModelId'> &
	Pick<typeof import('../../src/providers/registry.ts'), 'registry'> &
	Pick<typeof import('../../src/providers/check-key.ts'), 'checkKey'> &
	Pick<typeof import('../../src/config/provider-keys.ts'), 'resolveKey'> &
	Pick<typeof import('../../src/config/known-secrets.ts'), 'createKnownSecrets'> &
	Pick<typeof import('../../src/config/completion-values.ts'), 'createCompletionValues'> &
	Pick<typeof import('../../src/command/topics/tables.ts'), 'environmentRows'> & {
		readonly commands: typeof commands;
	};

let folder: string;
let program: Program;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'service-row-'));
	// Modules of that folder are imported without a transform.
	const outfile = join(folder, 'node_modules/program/index.mjs');
	await build({
		stdin: {contents: entry, resolveDir: root, loader: 'ts'},
		outfile,
		bundle: true,
		format: 'esm',
		platform: 'node',
		loader: {'.md': 'text'},
		logLevel: 'error',
		external: ['@vscode/ripgrep', '@napi-rs/keyring'],
		banner: {js: "import {createRequire as make} from 'node:module';const require=make(import.meta.url);"},
		plugins: [
			{
				name: 'one more row',
				setup({onLoad}) {
					onLoad({filter: /core\/provider-rows\.ts$/}, async ({path}) => {
						const text = await readFile(path, 'utf8');
						return {contents: text.replace('const rows = {', `const rows = {${row}`), loader: 'ts'};
					});
				},
			},
		],
	});
	program = await import(pathToFileURL(outfile).href);
});

afterAll(() => rm(folder, {recursive: true, force: true}));

const key = 'lab-key-0123456789';
const env = {LAB_API_KEY: key};
const lab = () => program.registry[program.parseProviderName('LAB')];

test('a new row is a provider with models, key variable and address', () => {
	expect(program.parseModelId('lab/lab-2')).toEqual({provider: 'lab', name: 'lab-2'});
	const found = program.resolveKey(lab().name, {data: openConfig(temporaryHome()).read(), env, row: lab()});
	expect([found?.key?.reveal(), found?.baseUrl]).toEqual([key, 'https://api.lab.test/v1']);
});

test('the key of a new row is hidden in typed commands', () => {
	expect(program.createKnownSecrets(openConfig(temporaryHome()), env).hide(`use ${key}`)).toBe('use ***');
});

test('a new row speaks Chat Completions with its quirks', async () => {
	const {transport, requests, bodyOf} = fakeHost({body: ''});
	await collect((await lab().load())(requestOf(transport, {baseUrl: 'https://api.lab.test/v1', maxOutputTokens: 9})));
	expect(requests.map(({url}) => url)).toEqual(['https://api.lab.test/v1/chat/completions']);
	expect(bodyOf(0)).toMatchObject({max_completion_tokens: 9});
});

test('the key of a new row is checked at its own path', async () => {
	const {transport, requests} = fakeHost({status: 401, body: '{"error":{"message":"Bad key"}}'});
	const check = program.checkKey(lab(), 'https://api.lab.test/v1', transport, new AbortController().signal);
	await expect(check).rejects.toThrow('Lab rejected the key (401): Bad key');
	expect(requests.map(({url}) => url)).toEqual(['https://api.lab.test/v1/key']);
});

test('a new row appears in completion, help and the environment table', () => {
	const values = program.createCompletionValues({
		config: openConfig(temporaryHome()),
		recents: {recall: () => []},
		profile: () => '',
		models: () => [],
	});
	expect(values('provider')).toContain('lab');
	const verbs = program.commands.flatMap(each => (each.name === 'keys' && isNoun(each) ? each.verbs : []));
	expect(verbs.find(({name}) => name === 'set')?.describe?.['provider']).toContain('lab, ');
	expect(program.environmentRows()).toContainEqual([
		'`LAB_API_KEY`, `LAB_BASE_URL`',
		'API key for Lab, and its base URL instead of https://api.lab.test/v1',
	]);
});
