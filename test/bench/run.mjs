// Measures the built program from outside: `npm run bench`. Prints medians; compare ratios, not single numbers.
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {performance} from 'node:perf_hooks';
import {fileURLToPath} from 'node:url';
import pty from '@lydell/node-pty';

const program = join(dirname(fileURLToPath(import.meta.url)), '../../dist/service.js');
const home = mkdtempSync(join(tmpdir(), 'service-bench-'));
const runs = 7;

const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Starts a command in a pty; `seen(text)` resolves with the bytes so far once that text was written. */
function start(args, env = {}) {
	const {PATH} = process.env;
	const begun = performance.now();
	const child = pty.spawn(process.execPath, args, {
		cols: 100,
		rows: 30,
		env: {PATH, HOME: home, SERVICE_HOME: home, TERM: 'xterm-256color', ...env},
	});
	let output = '';
	let check = () => {};
	child.onData(data => {
		output += data;
		check();
	});
	return {
		child,
		bytes: () => output.length,
		seen: (text, from = 0) =>
			new Promise((resolve, reject) => {
				const timer = setTimeout(
					() => reject(new Error(`“${text}” was never written:\n${output.slice(-2000)}`)),
					60_000,
				);
				check = () => {
					if (output.includes(text, from)) {
						clearTimeout(timer);
						resolve(performance.now() - begun);
					}
				};
				check();
			}),
	};
}

/** Returns the processor time of a process so far, in milliseconds (Linux). */
function cpuOf(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
	return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function firstFrame(args, text) {
	const times = [];
	for (let run = 0; run <= runs; run++) {
		const {child, seen} = start(args);
		times.push(await seen(text));
		child.kill('SIGKILL');
	}

	return median(times.slice(1));
}

/** Starts a provider that streams an answer of `lines` lines, forty at a time. */
async function chatHost(lines) {
	const server = createServer((request, response) => {
		request.resume();
		response.writeHead(200, {'content-type': 'text/event-stream'});
		let line = 0;
		const send = delta => response.write(`data: ${JSON.stringify({choices: [{index: 0, delta}]})}\n\n`);
		const more = () => {
			for (let count = 0; count < 40 && line < lines; count++, line++) {
				for (const content of [
					`Line ${line} of `,
					'an answer with **some** ',
					'`code` and a few words.',
					line % 8 ? '\n' : '\n\n',
				]) {
					send({content});
				}
			}

			if (line < lines) {
				setTimeout(more, 10);
			} else {
				response.end(
					'data: {"choices":[{"index":0,"delta":{"content":"END OF ANSWER"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
				);
			}
		};
		more();
	});
	await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
	return {server, env: {CUSTOM_BASE_URL: `http://127.0.0.1:${server.address().port}/v1`, CUSTOM_API_KEY: 'bench'}};
}

async function longAnswer(lines) {
	const {server, env} = await chatHost(lines);
	const {child, seen, bytes} = start([program, '--model', 'custom/bench'], env);
	await seen('· /help');
	const cpu = cpuOf(child.pid);
	child.write('go\r');
	await seen('END OF ANSWER');
	const used = cpuOf(child.pid) - cpu;
	child.kill('SIGKILL');
	server.closeAllConnections();
	server.close();
	return {cpu: used, bytes: bytes()};
}

async function resume() {
	const {child, seen} = start([program, '-c']);
	const time = await seen('END OF ANSWER');
	const cpu = cpuOf(child.pid);
	child.kill('SIGKILL');
	return {time, cpu};
}

try {
	const bare = await firstFrame(['-e', 'process.stdout.write("ready"); setTimeout(() => {}, 1000)'], 'ready');
	const app = await firstFrame([program], 'Ask something');
	console.log(`first frame: ${app.toFixed(0)} ms, ${(app / bare).toFixed(1)} x node alone (${bare.toFixed(0)} ms)`);
	const short = await longAnswer(1000);
	const long = await longAnswer(2000);
	const perLine = ({cpu, bytes}, lines) =>
		`${(cpu / lines).toFixed(2)} ms CPU and ${Math.round(bytes / lines)} bytes a line`;
	console.log(
		`an answer of 1,000 lines: ${perLine(short, 1000)}; of 2,000: ${perLine(long, 2000)} (ratio ${(long.cpu / 2 / short.cpu).toFixed(2)})`,
	);
	const again = await resume();
	console.log(`resume of 2,000 lines: ${again.time.toFixed(0)} ms to the last line, ${again.cpu} ms CPU`);
} finally {
	rmSync(home, {recursive: true, force: true});
}

process.exit(0);
