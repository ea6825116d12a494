// Runs the built program as its users do, so that V8 compiles what a start uses, and keeps that code beside the packs.
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {promisify} from 'node:util';

const timeoutMs = 60_000;
const answer = 'Compiled **ahead**: `once`.\n\n- a list\n\n```js\nrun();\n```\n\nThe end.';

/**
 * Keeps the compiled code of a build in its folder `compiled`: of the app and its first message, of the embedded server, of
 * `-p`, and of a command. Throws an error if one of them doesn't run as expected; the program then starts without that code.
 */
export async function compileAhead(outdir) {
	const home = await mkdtemp(join(tmpdir(), 'service-build-'));
	const host = await startModelHost();
	try {
		const program = join(outdir, 'service.js');
		const folder = join(home, 'project');
		await mkdir(folder);
		const place = {cwd: folder, env: environmentOf(home, host.url)};
		const model = ['--model', 'custom/build'];
		await runApp([program, ...model], place);
		await runDemo([program, '--model', 'demo/demo'], place);
		for (const args of [['-p', 'Hi', ...model], ['sessions']]) {
			await promisify(execFile)(process.execPath, [program, ...args], {...place, timeout: timeoutMs});
		}

		await keep(join(home, '.service/cache'), join(outdir, 'compiled'));
	} finally {
		host.close();
		await rm(home, {recursive: true, force: true});
	}
}

/** V8 refuses code that was compiled with other settings than the program's: those of `NODE_OPTIONS` stay out. */
function environmentOf(home, url) {
	return {
		PATH: process.env.PATH,
		HOME: home,
		SERVICE_HOME: join(home, '.service'),
		SERVICE_KEYCHAIN: 'off',
		TERM: 'xterm-256color',
		CUSTOM_BASE_URL: url,
		CUSTOM_API_KEY: 'build',
	};
}

/** Sends a message in the app, waits for the end of its answer, and quits. */
async function runApp(args, {cwd, env}, end = 'The end.') {
	const {default: pty} = await import('@lydell/node-pty');
	const app = pty.spawn(process.execPath, args, {cols: 100, rows: 30, cwd, env});
	const steps = [
		['Ask something', 'Hi\r'],
		[end, '\u0004'],
	];
	let shown = '';
	app.onData(data => {
		shown += data;
		const [step] = steps;
		if (step && shown.includes(step[0])) {
			steps.shift();
			app.write(step[1]);
		}
	});
	const timer = setTimeout(() => app.kill('SIGKILL'), timeoutMs);
	const {exitCode, signal} = await new Promise(resolve => app.onExit(resolve));
	clearTimeout(timer);
	if (exitCode !== 0 || signal) {
		throw new Error(`The app ended with ${signal || exitCode}:\n${shown.slice(-2000)}`);
	}
}

/** Asks the demo model of the embedded server, whose thread keeps what it compiled when the app quits. */
async function runDemo(args, {cwd, env: {CUSTOM_BASE_URL: _url, CUSTOM_API_KEY: _key, ...env}}) {
	// Its answer costs nothing, which is known once it is over.
	await runApp(args, {cwd, env}, '$0.00');
}

/** Serves a model with a Chat Completions API that answers everything the same. */
async function startModelHost() {
	const event = (delta, finish) =>
		`data: ${JSON.stringify({choices: [{index: 0, delta, ...(finish && {finish_reason: finish})}]})}\n\n`;
	const server = createServer((request, response) => {
		request.resume();
		response.writeHead(200, {'content-type': 'text/event-stream'});
		response.end(`${event({content: answer})}${event({}, 'stop')}data: [DONE]\n\n`);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${server.address().port}/v1`,
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** Copies the code to a folder that is there at once, and for all users of the machine. */
async function keep(cache, folder) {
	const temporary = `${folder}.${process.pid}`;
	await mkdir(temporary);
	for (const name of await readdir(cache)) {
		await writeFile(join(temporary, name), await readFile(join(cache, name)));
	}

	await rename(temporary, folder);
}
