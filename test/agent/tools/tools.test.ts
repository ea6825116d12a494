import {readdirSync, readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {
	createFolderTools,
	createLogTools,
	createTaskTools,
	createUserTools,
	createWebTools,
} from '../../../src/agent/tools/tools.ts';
import {callVerb} from '../../../src/core/session/call-words.ts';

const tools = [
	...createFolderTools({stateFolder: '/home/a/.service'}),
	...createWebTools({
		send: () => Promise.reject(new Error('Nothing is fetched here.')),
		sandboxAt: () => undefined,
		insecureHttp: false,
		hide: text => text,
	}),
	...createUserTools(() => undefined),
	...createTaskTools(),
	...createLogTools(() => Promise.reject(new Error('No log is opened here.'))),
];

test('each file that defines a tool is listed', () => {
	const folder = new URL('../../../src/agent/tools/', import.meta.url);
	const texts = readdirSync(folder)
		.filter(name => name.endsWith('.ts') && name !== 'define-tool.ts')
		.map(name => readFileSync(new URL(name, folder), 'utf8'));
	const defined = texts.flatMap(text => /defineTool\(\{\s+name: '(\w+)'/.exec(text)?.[1] ?? []);
	expect(tools.map(({name}) => name).toSorted()).toEqual(defined.toSorted());
});

test('the calls of each tool have words: those of its file, or those that the screen has', () => {
	expect(tools.filter(({name, words}) => !words && callVerb(name) === name)).toEqual([]);
});

test('names and arguments of the tools are stable, because scripts and rules use them', () => {
	const signatures = tools.map(({name, parameters}) => {
		const {properties, required, additionalProperties} = parameters;
		return [name, Object.keys(Object(properties)), required ?? [], additionalProperties];
	});
	expect(signatures).toEqual([
		['list_files', ['path', 'pattern'], [], false],
		['read_file', ['path', 'offset', 'limit'], ['path'], false],
		['search_text', ['pattern', 'path', 'glob', 'literal', 'ignore_case'], ['pattern'], false],
		['edit_file', ['path', 'edits'], ['path', 'edits'], false],
		['write_file', ['path', 'content'], ['path', 'content'], false],
		['run_command', ['command', 'timeout_sec', 'background', 'description'], ['command'], false],
		['job_output', ['job', 'wait_sec'], ['job'], false],
		['job_stop', ['job'], ['job'], false],
		['fetch_url', ['url', 'method', 'headers', 'body'], ['url'], false],
		['todo', ['items'], ['items'], false],
		['ask_user', ['question', 'choices'], ['question'], false],
		['task', ['prompt', 'description', 'model', 'write'], ['prompt', 'description'], false],
		['environment_logs', ['environment', 'lines', 'since_line', 'pattern', 'level'], ['environment'], false],
		['wait_for_log', ['environment', 'pattern', 'timeout_seconds', 'since_line'], ['environment', 'pattern'], false],
	]);
});

test('each reading tool says how to get what a result left out', () => {
	expect(tools.filter(({readOnly, readOn}) => readOnly && readOn === undefined)).toEqual([]);
});
