import {chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {fillIn, installedTargets, parseTargets} from './targets.mjs';

test('a program needs only its name, its command and how it looks when it is ready', () => {
	expect(parseTargets('[{"name":"a","command":"a","ready":">"}]', 'x.json')).toEqual([
		{
			name: 'a',
			command: 'a',
			args: [],
			version: ['--version'],
			once: ['-p', '{prompt}'],
			ready: '>',
			env: {},
			files: {},
		},
	]);
});

test.each([
	['no JSON', '[', "x.json isn't JSON"],
	['no list', '{}', 'x.json: Invalid input: expected array'],
	['no command', '[{"name":"a","ready":">"}]', 'x.json: 0 command Invalid input'],
	[
		'an empty readiness, which every output has',
		'[{"name":"a","command":"a","ready":""}]',
		'x.json: 0 ready Too small',
	],
	['a misspelt field', '[{"name":"a","command":"a","ready":">","arg":[]}]', 'Unrecognized key: "arg"'],
	[
		'a file outside of its home',
		'[{"name":"a","command":"a","ready":">","files":{"../x":""}}]',
		'x.json: 0 files ../x',
	],
	[
		'two of a name',
		'[{"name":"a","command":"a","ready":">"},{"name":"a","command":"b","ready":">"}]',
		'two programs are named “a”',
	],
])('a file with %s is refused', (_, source, message) => {
	expect(() => parseTargets(source, 'x.json')).toThrow(message);
});

test('only programs in PATH are measured, no folder and no file that cannot run', () => {
	const folder = mkdtempSync(join(tmpdir(), 'service-targets-'));
	onTestFinished(() => rmSync(folder, {recursive: true}));
	writeFileSync(join(folder, 'here'), '');
	chmodSync(join(folder, 'here'), 0o755);
	writeFileSync(join(folder, 'text'), '');
	mkdirSync(join(folder, 'directory'));
	const names = ['here', 'text', 'directory', 'nowhere'];
	const path = join(folder, 'targets.json');
	writeFileSync(path, JSON.stringify(names.map(name => ({name, command: name, ready: '>'}))));
	const {installed, missing} = installedTargets(path, {PATH: `/nonexistent:${folder}`});
	expect(installed.map(({name}: {readonly name: string}) => name)).toEqual(['here']);
	expect(missing).toEqual(['text', 'directory', 'nowhere']);
});

test('the places of a run are filled in, and other braces stay', () => {
	const places = {home: '/h', project: '/h/p', host: 'http://127.0.0.1:1', prompt: 'Hi'};
	const source = '{"a":{"{project}":"{host}/v1"}} {prompt}{home}';
	expect(fillIn(source, places)).toBe('{"a":{"/h/p":"http://127.0.0.1:1/v1"}} Hi/h');
});

test('the stored file of programs is valid', () => {
	expect(installedTargets('test/bench/targets.json', {PATH: ''}).missing).toEqual(['claude', 'codex', 'pi']);
});
