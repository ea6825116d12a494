import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {inspect} from 'node:util';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {openConfig, readConfig} from '../../src/config/config.ts';
import {emptyConfig} from '../../src/config/config-data.ts';
import {setKey} from '../../src/config/provider-keys.ts';
import {saveSettings} from '../../src/config/settings/saved-settings.ts';
import {AppError} from '../../src/core/error.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {temporaryFolder, temporaryHome} from '../storage/temporary.ts';

test('without a file the configuration is empty, and reading creates none', () => {
	const home = temporaryHome();
	expect(readConfig(home)).toEqual(emptyConfig);
	expect(readdirSync(home.path)).toEqual([]);
});

test('a change is written to a private file, without leftovers [10]', async () => {
	const home = temporaryHome();
	const config = openConfig(home);
	await saveSettings(config, {model: 'openai/gpt'});
	expect(JSON.parse(readFileSync(home.configFile, 'utf8'))).toEqual({...emptyConfig, settings: {model: 'openai/gpt'}});
	expect(statSync(home.configFile).mode & 0o777).toBe(0o600);
	expect(readdirSync(home.path)).toEqual(['config.json']);
});

test('unknown fields are kept', async () => {
	const home = temporaryHome();
	const stored = {
		version: 1,
		settings: {theme: 'dark', model: 'a/b'},
		keys: {newvendor: {key: 'k-1234567890', savedAt: 'then', note: 1}},
		profiles: {p: {name: 'p', server: 'https://a.test', apiKey: 's-1234567890', savedAt: 'then', region: 'eu'}},
		later: [1],
	};
	writeFileSync(home.configFile, JSON.stringify(stored), {mode: 0o600});
	await saveSettings(openConfig(home), {model: 'c/d'});
	expect(JSON.parse(readFileSync(home.configFile, 'utf8'))).toEqual({
		...stored,
		settings: {theme: 'dark', model: 'c/d'},
	});
});

test('secrets are wrapped as soon as they are read [8]', async () => {
	const home = temporaryHome();
	const config = openConfig(home);
	await setKey(config, 'openai', secret('sk-0123456789abcdef'));
	const data = config.read();
	for (const text of [
		JSON.stringify(data),
		inspect(data, {depth: 9, showHidden: true}),
		String(data.keys['openai']?.key),
	]) {
		expect(text).not.toContain('0123456789');
	}

	expect(data.keys['openai']?.key?.reveal()).toBe('sk-0123456789abcdef');
});

test('a reader sees the changes of another writer', async () => {
	const home = temporaryHome();
	const [one, two] = [openConfig(home), openConfig(home)];
	expect(one.read()).toEqual(emptyConfig);
	expect(one.read()).toBe(one.read());
	await saveSettings(two, {model: 'x/y'});
	expect(one.read().settings).toEqual({model: 'x/y'});
});

test.each([
	['not JSON', '{"version": 1,', 'the file: not JSON'],
	['of another shape', '{"version": 1, "keys": []}', 'keys: '],
	[
		'with a profile without a server',
		'{"version": 1, "profiles": {"p": {"name": "p", "savedAt": ""}}}',
		'profiles.p.server: ',
	],
	[
		'with a server that is no address',
		'{"version":1,"profiles":{"p":{"name":"p","savedAt":"","server":"file:///etc"}}}',
		'server',
	],
	['not an object', 'null', 'the file: '],
])('a file that is %s is moved aside, never overwritten', (_, text, fault) => {
	const home = temporaryHome();
	writeFileSync(home.configFile, text, {mode: 0o600});
	let thrown: unknown;
	try {
		readConfig(home);
	} catch (error) {
		thrown = error;
	}

	const [aside = ''] = readdirSync(home.path);
	expect(aside).toMatch(/^config\.json\.invalid-/);
	expect(readFileSync(join(home.path, aside), 'utf8')).toBe(text);
	expect(thrown instanceof AppError && [thrown.code, thrown.message, thrown.hint]).toEqual([
		'failed',
		expect.stringContaining(fault),
		expect.stringContaining(join(home.path, aside)),
	]);
	expect(readConfig(home)).toEqual(emptyConfig);
});

test('the file of a newer version is left unchanged', () => {
	const home = temporaryHome();
	writeFileSync(home.configFile, '{"version": 2, "keys": "elsewhere"}', {mode: 0o600});
	expect(() => readConfig(home)).toThrow('newer version');
	expect(readdirSync(home.path)).toEqual(['config.json']);
});

test('a symbolic link is neither read nor written through [10]', async () => {
	const home = temporaryHome();
	const target = join(temporaryFolder(), 'target');
	writeFileSync(target, JSON.stringify(emptyConfig));
	symlinkSync(target, home.configFile);
	await expect(saveSettings(openConfig(home), {model: 'x/y'})).rejects.toThrow('symbolic link');
	expect(readFileSync(target, 'utf8')).toBe(JSON.stringify(emptyConfig));
});

test('concurrent changes by several processes lose nothing [18]', async () => {
	const home = temporaryHome();
	const worker = join(temporaryFolder(), 'worker.mjs');
	await build({
		entryPoints: [join(import.meta.dirname, 'settings-worker.ts')],
		outfile: worker,
		bundle: true,
		platform: 'node',
		format: 'esm',
		banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
	});
	const names = ['a', 'b', 'c', 'd'];
	await Promise.all(
		names.map(async name => {
			const child = spawn(process.execPath, [worker, home.path, name, '25'], {stdio: 'inherit'});
			expect(await once(child, 'exit')).toEqual([0, null]);
		}),
	);
	expect(Object.keys(readConfig(home).settings)).toHaveLength(100);
	expect(readdirSync(home.path)).toEqual(['config.json']);
});
