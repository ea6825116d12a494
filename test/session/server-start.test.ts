import {chmodSync, existsSync, rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import type {Inquiry, Interaction} from '../../src/platform/interaction.ts';
import {official} from '../agent/mcp/servers.ts';
import {write} from '../agent/project/repository.ts';
import {connectedTo} from '../e2e/chat.ts';
import {runInProcess} from '../e2e/in-process.ts';
import {type Answer, startModelHost} from '../e2e/model-host.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {says} from './background-world.ts';
import {open} from './open-program.ts';

const serve = 'await import(process.env.OFFICIAL);\n';
const mark = 'import {writeFileSync} from "node:fs"; writeFileSync(process.env.MARKER, "");\n';
const shebang = `#!${process.execPath}\n`;
const servePy = 'import os\nos.execv(os.environ["NODE"], [os.environ["NODE"], os.environ["OFFICIAL"]])\n';
const markPy = 'open(os.environ["MARKER"], "w").close()\n';
const node = (...args: readonly string[]) => ({command: process.execPath, args});

type Form = {
	readonly entry: {readonly command: string; readonly args?: readonly string[]};
	readonly files: Readonly<Record<string, string>>;
	/** What the agent writes, which makes the server leave its mark. */
	readonly changed: string;
	readonly text: string;
	readonly links?: Readonly<Record<string, string>>;
};

/** The ways to start a server with a file that its command doesn't name, or does. */
const forms: Readonly<Record<string, Form>> = {
	'a script': {entry: node('server.mjs'), files: {'server.mjs': serve}, changed: 'server.mjs', text: mark + serve},
	'a program of node_modules/.bin': {
		entry: {command: 'node_modules/.bin/server'},
		files: {'node_modules/server/main.mjs': shebang + serve},
		links: {'node_modules/.bin/server': '../server/main.mjs'},
		changed: 'node_modules/server/main.mjs',
		text: shebang + mark + serve,
	},
	'a module of Python': {
		entry: {command: '/usr/bin/python3', args: ['-m', 'tool']},
		files: {'tool.py': servePy},
		changed: 'tool.py',
		text: servePy.replace('\n', `\n${markPy}`),
	},
	'a folder': {
		entry: node('.'),
		files: {'package.json': '{"main":"a.mjs"}', 'a.mjs': serve, 'b.mjs': mark + serve},
		changed: 'package.json',
		text: '{"main":"b.mjs"}',
	},
	'a file of settings found by its name': {
		entry: node('server.mjs'),
		files: {'server.mjs': `await import("./server.config.mjs").catch(() => undefined);\n${serve}`},
		changed: 'server.config.mjs',
		text: mark,
	},
	'a package': {
		entry: node('server.mjs'),
		files: {
			'server.mjs': `import "dep";\n${serve}`,
			'node_modules/dep/index.mjs': '',
			'node_modules/dep/package.json': '{"exports":"./index.mjs"}',
		},
		changed: 'node_modules/dep/index.mjs',
		text: mark,
	},
};

/** A trusted project with a stdio server, a host that the test scripts as its model, and starts of the program in it. */
async function projectWith({entry, files, links = {}}: Pick<Form, 'entry' | 'files' | 'links'>) {
	const host = await startModelHost();
	const place = temporaryFolder();
	const [home, folder, marker] = [join(place, 'home'), join(place, 'work'), join(place, 'marker')];
	const env = {OFFICIAL: official, MARKER: marker, NODE: process.execPath};
	const servers = {mcpServers: {docs: {...entry, env}}};
	write(folder, {...files, '.mcp.json': JSON.stringify(servers), '.git/HEAD': 'ref: refs/heads/main\n'});
	for (const [path, target] of Object.entries(links)) {
		write(folder, {[`${path}/x`]: ''});
		rmSync(join(folder, path), {recursive: true});
		symlinkSync(target, join(folder, path));
		chmodSync(join(folder, path), 0o755);
	}

	return {
		folder,
		/** True if what the agent wrote ran; forgets that. */
		hasRun() {
			const has = existsSync(marker);
			rmSync(marker, {force: true});
			return has;
		},
		/** Starts the program, sends a message, and ends it. Returns what the user was asked and told, and the tools of the server. */
		async startApp({
			answer = 'no',
			script = [says('Done.')],
		}: {
			answer?: string;
			script?: ((answer: Answer) => void)[];
		} = {}) {
			const {program, events} = open({home, folder, host, proxy: 'http://127.0.0.1:1'});
			const asked: string[] = [];
			const interaction: Pick<Interaction, 'inquire'> = {
				async inquire({question, subject}: Inquiry) {
					asked.push([question, ...(subject?.window({width: 200, rows: 50} as never).shown ?? [])].join('\n'));
					return answer;
				},
			};
			program.session.answerWith(async () => undefined, interaction as Interaction);
			const {files: found} = await program.project.files.load();
			await program.project.files.decide(true, found);
			await program.project.files.load();
			program
				.forCommand({ui: {live: {}, interact: {}}, flags: {}, signal: new AbortController().signal} as never)
				.program.store.getState()
				.setApprovalMode('edits');
			host.answerWith(...script);
			await program.session.conversation.send('Go on.');
			await program.close();
			const told = events.flatMap(event => (event.type === 'notice' ? [event.text] : []));
			return {asked, told, tools: toolsIn(host)};
		},
		/** Sends a message with `-p`. */
		async print(...flags: readonly string[]) {
			const {env: ofHost, args} = connectedTo(host);
			host.answerWith(says('Done.'));
			const {status, stderr} = await runInProcess([...args, ...flags, '-p', 'Go on.'], {env: ofHost, home, folder});
			return {status, stderr, tools: toolsIn(host)};
		},
	};
}

/** Returns how many tools of the server the last request offered. */
function toolsIn(host: Awaited<ReturnType<typeof startModelHost>>): number {
	const {body = '{}'} = host.received.findLast(({path}) => path.endsWith('/chat/completions')) ?? {};
	const {tools = []} = JSON.parse(body) as {
		readonly tools?: ReadonlyArray<{readonly function: {readonly name: string}}>;
	};
	return tools.filter(tool => tool.function.name.startsWith('mcp__docs__')).length;
}

/** A model that reads a file if it is there, and writes it. */
const rewrites = (path: string, content: string) => [
	({call, finish}: Answer) => {
		call('read_file', {path});
		finish();
	},
	({call, finish}: Answer) => {
		call('write_file', {path, content});
		finish();
	},
	says('Written.'),
];

test.each(Object.entries(forms))(
	'[12] a server whose files the agent changed in an earlier session asks before it starts: %s',
	async (_, form) => {
		const {changed, text} = form;
		const {startApp, print, hasRun} = await projectWith(form);
		const first = await startApp({script: rewrites(changed, text)});
		expect(first).toMatchObject({asked: [], told: []});
		expect([first.tools > 0, hasRun()]).toEqual([true, false]);

		const refused = await print();
		expect(refused).toMatchObject({tools: 0});
		expect(refused.stderr).toContain(
			`the agent changed ${changed}, and nobody saw that. Pass --trust to -p to start it, or start it in the app, which asks you.`,
		);
		expect(hasRun()).toBe(false);
		const trusting = await print('--trust');
		expect(trusting.stderr).toContain(
			`The MCP server docs started outside the sandbox because of --trust: the agent changed ${changed}, and nobody saw that.`,
		);
		expect([trusting.tools > 0, hasRun()]).toEqual([true, true]);

		const no = await startApp();
		expect(no.asked).toEqual([expect.stringContaining(changed)]);
		expect(no.asked[0]).toContain('The MCP server docs runs outside the sandbox. Start it with these files?');
		expect(no.told).toEqual([expect.stringContaining('`/mcp reconnect docs`')]);
		expect([no.tools, hasRun()]).toEqual([0, false]);
		const yes = await startApp({answer: 'yes'});
		expect(yes.asked).toHaveLength(1);
		expect([yes.tools > 0, hasRun()]).toEqual([true, true]);
		expect(await startApp()).toMatchObject({asked: [], told: []});
		expect(hasRun()).toBe(true);
	},
);

test('[15] a server by its bare name is never a program of the project', async () => {
	const files = {docs: `${shebang}${mark}${serve}`, 'bin/docs': `${shebang}${mark}${serve}`};
	const {folder, startApp, hasRun} = await projectWith({entry: {command: 'docs'}, files});
	for (const path of Object.keys(files)) {
		chmodSync(join(folder, path), 0o755);
	}

	const before = process.env['PATH'];
	onTestFinished(() => {
		process.env['PATH'] = before;
	});
	for (const path of [`.:${before}`, `bin:${before}`, `${folder}:${before}`, `${folder}/bin:${before}`, `:${before}`]) {
		process.env['PATH'] = path;
		const {tools, told} = await startApp();
		expect([path, tools, hasRun()]).toEqual([path, 0, false]);
		expect(told.join()).toContain('docs');
	}

	const outside = temporaryFolder();
	write(outside, {docs: `${shebang}${serve}`});
	chmodSync(join(outside, 'docs'), 0o755);
	process.env['PATH'] = `.:${folder}/bin:${outside}:${before}`;
	expect((await startApp()).tools).toBeGreaterThan(0);
	expect(hasRun()).toBe(false);
});
