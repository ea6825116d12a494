import {readFileSync} from 'node:fs';
import {register} from 'node:module';
import {dirname, join, relative, resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath, pathToFileURL} from 'node:url';

/*
 * Lists the source files that five things pass, in the order in which they do first: a key, a token, an edit that was
 * approved, `/env list` and a line of a log. The app runs in this process, with a scripted model and the server that it
 * starts itself. All ends once the effect is on the screen.
 *
 * - Passed: a function of the file got the thing as an argument, awaited it, iterated over it, returned or yielded it: as
 *   text, as bytes, or up to four levels deep in objects of at most 24 members, which leaves out the state as a whole.
 * - A leaf imports no other file that was passed, and one of them imports it: a helper that hands the thing back.
 * - Entered: a function of the file ran that did not run in the second before, when nothing was done.
 *
 * `npm run journeys -- <folder>` lists those of another working copy, which has its packages and its build.
 */
const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const {compileModules, compiledPath} = await import(pathToFileURL(join(root, '.scripts/compile-modules.mjs')));
const outdir = dirname(compiledPath('src.ts'));

const maxDepth = 4;
const maxMembers = 24;

/** What the program reports to. */
const values = {
	on: false,
	cleanups: [],
	markers: [],
	entered: new Map(),
	passed: new Set(),
	enter(file, at, ...given) {
		const functions = values.entered.get(file) ?? new Set();
		values.entered.set(file, functions.add(at));
		values.pass(file, given);
	},
	pass(file, value) {
		if (values.on && !values.passed.has(file) && values.markers.length > 0 && carries(value, 0)) {
			values.passed.add(file);
		}

		return value;
	},
};
globalThis.$values = values;

function carries(value, depth) {
	if (typeof value === 'string') {
		return values.markers.some(marker => value.includes(marker));
	}

	if (typeof value !== 'object' || value === null) {
		return false;
	}

	if (value instanceof Uint8Array) {
		const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
		return values.markers.some(marker => bytes.includes(marker));
	}

	if (depth > maxDepth) {
		return false;
	}

	if (value instanceof Map || value instanceof Set) {
		return [...value.values()].some(each => carries(each, depth + 1));
	}

	if (Array.isArray(value)) {
		return value.some(each => carries(each, depth + 1));
	}

	// Reading a getter could do something.
	const members = Object.values(Object.getOwnPropertyDescriptors(value));
	return members.length <= maxMembers && members.some(each => carries(each.value, depth + 1));
}

/** Prints the files that a thing passes from an act until `isThere`: what has one of the markers in it is the thing. */
async function follow(name, markers, act, isThere) {
	const record = async what => {
		values.entered = new Map();
		values.passed = new Set();
		values.on = true;
		await what();
		values.on = false;
		return values;
	};
	const {entered: before} = await record(() => delay(1000));
	values.markers = markers;
	const {entered, passed} = await record(async () => {
		await act();
		await terminal.waitFor(isThere);
	});
	values.markers = [];
	const files = [...passed];
	const imports = new Map(files.map(file => [file, importsOf(file)]));
	const isApart = (file, other) => file === other || !imports.get(file).has(other);
	const leaves = files.filter(
		file => files.every(other => isApart(file, other)) && !files.every(other => isApart(other, file)),
	);
	const way = files.filter(file => !leaves.includes(file));
	const ran = [...entered].filter(([file, functions]) => [...functions].some(at => !before.get(file)?.has(at)));
	console.log(`\n${name}: ${way.length} files and ${leaves.length} leaves passed, ${ran.length} entered`);
	console.log(way.map((file, index) => `${String(index + 1).padStart(4)}  ${file}`).join('\n'));
	console.log(`      leaves: ${leaves.join(' ')}`);
}

/** Returns the files that a compiled module imports when it runs; types are gone from it. */
function importsOf(file) {
	const path = join(outdir, `${file}.mjs`);
	const code = readFileSync(path, 'utf8');
	return new Set(
		[...code.matchAll(/\b(?:from|import)\s*\(?\s*"(\.\.?\/[^"]+)\.mjs"/g)].map(([, target]) =>
			relative(outdir, join(dirname(path), target)),
		),
	);
}

await compileModules();
register('./trace-values.mjs', import.meta.url);
const importHelper = path => import(pathToFileURL(compiledPath(path)));
const {openChat} = await importHelper('test/e2e/app-in-process.ts');
const {waitForIdle} = await importHelper('test/e2e/chat.ts');
const {folderWith} = await importHelper('test/e2e/program.ts');
const folder = folderWith({'poem.txt': 'violets are blu\n'});
const {host, terminal} = await openChat({folder, columns: 100, rows: 30});
const isOn = text => () => terminal.screen().join('\n').includes(text);

/** Sends a line, and waits for an answer that shows the text. */
async function send(line, text) {
	terminal.type(line);
	await terminal.waitFor(isOn(`❯ ${line}`));
	terminal.press('enter');
	await terminal.waitFor(isOn(text));
}

async function followAll() {
	terminal.type('a');
	await terminal.waitFor(isOn('❯ a'));
	await follow('a key', ['ж'], () => terminal.type('ж'), isOn('❯ aж'));
	terminal.press('backspace', 'backspace');

	let open = () => undefined;
	const gate = () => new Promise(resolve => (open = resolve));
	host.answerWith(async answer => {
		answer.say('The first words and ');
		await gate();
		answer.say('a quokka and ');
		await gate();
		answer.say('the last.');
		answer.finish();
	});
	await send('hello', 'The first words');
	await follow('a token', ['quokka'], () => open(), isOn('quokka'));
	open();
	await waitForIdle(terminal);

	// So that no request follows the edit.
	await send('/config set max_turns 1', 'max_turns');
	await waitForIdle(terminal);
	const answerWithCall = (name, args) =>
		host.answerWith(answer => {
			answer.call(name, args);
			answer.finish('tool_calls');
		});
	answerWithCall('read_file', {path: 'poem.txt'});
	await send('read it', 'stopped after 1 turn');
	await waitForIdle(terminal);
	answerWithCall('edit_file', {path: 'poem.txt', edits: [{old_text: 'blu', new_text: 'quagga'}]});
	await send('fix it', 'Yes, once');
	await follow('an approved edit', ['quagga'], () => terminal.type('y'), isOn('✓ Edit poem.txt'));
	await waitForIdle(terminal);

	await send('/env create web-shop', 'task of web-shop');
	await waitForIdle(terminal);
	const [, id] = /environment:? +([0-9a-f]{8}-[0-9a-f-]{27})/.exec(terminal.text());
	const [, address] = /web:? +(http:\/\/127\.0\.0\.1:\d+)/.exec(terminal.text());
	terminal.type('/env list');
	await terminal.waitFor(isOn('❯ /env list'));
	const count = () => terminal.text().split(id.slice(0, 8)).length;
	const shown = count();
	await follow(
		'/env list',
		['env list', id],
		() => terminal.press('enter'),
		() => count() > shown,
	);
	await waitForIdle(terminal);

	await send(`/env logs ${id}`, 'live, complete');
	const ask = () => fetch(`${address}/seen-in-the-panel`).catch(() => undefined);
	await follow('a line of a log', ['seen-in-the-panel'], ask, isOn('path=/seen-in-the-panel'));
}

try {
	await followAll();
} finally {
	for (const cleanup of values.cleanups.toReversed()) {
		await cleanup();
	}
}

process.exit();
