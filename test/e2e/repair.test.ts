import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openApp} from './app-in-process.ts';
import {answer, quit, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {folderWith} from './program.ts';
import {startWireHost, type Turn, wires} from './wire-host.ts';

const source = 'export const area = (width, height) => width + height;\n';
const fixed = source.replace('+', '*');
const check = `import assert from 'node:assert/strict';
import {test} from 'node:test';
import {area} from '../src/area.mjs';

test('an area is width times height', () => assert.equal(area(3, 4), 12));
`;

const runTests = {name: 'run_command', arguments: {command: 'node test/area.test.mjs'}};

/** A model that finds a bug: it looks around, runs the tests, edits, and runs them again. */
const turns: readonly Turn[] = [
	{
		calls: [
			{name: 'list_files', arguments: {}},
			{name: 'read_file', arguments: {path: 'src/area.mjs'}},
		],
	},
	{text: 'I run the tests.', calls: [runTests]},
	{
		text: 'The area is a sum.',
		calls: [
			{
				name: 'edit_file',
				arguments: {path: 'src/area.mjs', edits: [{old_text: 'width + height', new_text: 'width * height'}]},
			},
		],
	},
	{calls: [runTests]},
	{text: 'The bug is fixed.'},
];

function makeRepository(): string {
	const folder = folderWith({'package.json': '{"type": "module"}\n'});
	for (const name of ['src', 'test']) {
		mkdirSync(join(folder, name));
	}

	writeFileSync(join(folder, 'src/area.mjs'), source);
	writeFileSync(join(folder, 'test/area.test.mjs'), check);
	return folder;
}

const sourceIn = (folder: string) => readFileSync(join(folder, 'src/area.mjs'), 'utf8');

const allWires = Object.keys(wires) as (keyof typeof wires)[];

async function run(wire: keyof typeof wires, ...args: readonly string[]) {
	const host = await startWireHost(wire, turns);
	const folder = makeRepository();
	const stream = ['-p', 'fix the bug', '--output-format', 'stream-json'];
	const {status, stdout} = await runInProcess([...host.args, ...stream, ...args], {env: host.env, folder});
	const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
	return {status, result, source: sourceIn(folder), told: host.bodies.join('\n')};
}

test.each([
	...allWires.map(wire => [wire, ['--approve', 'all']] as const),
	['chat', ['--approve', 'edits', '--allow', 'run_command(node test/*)']],
] as const)('on the wire format %s, -p with %j finds the bug, fixes it and sees the tests pass', async (wire, args) => {
	const {status, result, source: after, told} = await run(wire, ...args);
	expect([status, after, result.text]).toEqual([0, fixed, 'The bug is fixed.']);
	expect(result.tool_calls.map(({name}: {name: string}) => name)).toEqual([
		...['list_files', 'read_file', 'run_command', 'edit_file', 'run_command'],
	]);
	expect(told).toMatch(/fail 1\b/);
	expect(told).toMatch(/pass 1\b/);
});

test('-p without approval changes nothing, and tells the model why', async () => {
	const {status, source: after, told} = await run('chat');
	expect([status, after]).toEqual([0, source]);
	expect(told).toContain("This run can't ask the user for approval.");
	expect(told).not.toMatch(/fail 1\b|pass 1\b/);
});

test('the app fixes the bug, shows the diff, and goes back to before', async () => {
	const host = await startWireHost('anthropic', turns);
	const folder = makeRepository();
	const terminal = openApp({folder, env: host.env, args: host.args, rows: 40});
	await waitForIdle(terminal);
	terminal.type('fix the bug\r');
	await answer(terminal, 'y', /\$ node test\/area\.test\.mjs/);
	await answer(terminal, 'y', /Change src\/area\.mjs/);
	await answer(terminal, 'y', /\$ node test\/area\.test\.mjs/);
	await terminal.waitFor('The bug is fixed.');
	await waitForIdle(terminal);
	expect(sourceIn(folder)).toBe(fixed);
	expect(terminal.text()).toContain('export const area = (width, height) => width * height;');

	terminal.type('/diff\r');
	await terminal.waitFor('Changes by the agent · 1 file, +1 −1');
	terminal.press('escape');
	await waitForIdle(terminal);
	terminal.type('/rewind\r');
	await terminal.waitFor(/❯ fix the bug .*1 file changed since/);
	terminal.press('enter');
	await terminal.waitFor('❯ Conversation and files');
	terminal.press('enter');
	await terminal.waitFor('Continues from before that message in a new session.');
	expect(sourceIn(folder)).toBe(source);
	await terminal.waitFor(() => terminal.screen().some(line => /^❯ fix the bug\s*$/.test(line)));
	terminal.press('ctrl+c');
	await quit(terminal);
});
