// Loaded before a program whose memory is watched for hours: lets hours pass in minutes, and counts what the program holds. A line that
// comes over the socket SERVICE_PROBE is how many milliseconds pass at once, or `count`. Each is answered with a line of JSON.
import {readdirSync} from 'node:fs';
import {createServer} from 'node:net';
import {performance} from 'node:perf_hooks';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {BroadcastChannel, isMainThread} from 'node:worker_threads';

const real = {Date, now: performance.now.bind(performance)};
let aheadMs = 0;

globalThis.Date = class extends real.Date {
	constructor(...values) {
		super(...(values.length === 0 ? [real.Date.now() + aheadMs] : values));
	}

	static now() {
		return real.Date.now() + aheadMs;
	}
};
performance.now = () => real.now() + aheadMs;

/** Timers that wait, with how long each does and when it is due. */
const waiting = new Map();

/** Returns a function that begins timers which `pass` can bring forward. */
function bringForward(begin) {
	return (run, milliseconds = 1, ...values) => {
		const wait = () => {
			timer._idleTimeout = milliseconds;
			waiting.set(timer, performance.now() + milliseconds);
		};
		const timer = begin(
			(...given) => {
				waiting.delete(timer);
				if (begin === setRealInterval) {
					wait();
				}

				run(...given);
			},
			milliseconds,
			...values,
		);
		const {refresh} = timer;
		timer.refresh = () => {
			wait();
			return refresh.call(timer);
		};
		wait();
		return timer;
	};
}

const {setTimeout: setRealTimeout, setInterval: setRealInterval} = globalThis;
globalThis.setTimeout = bringForward(setRealTimeout);
globalThis.setInterval = bringForward(setRealInterval);

/** Lets time pass at once. What is due by then fires next. */
function pass(milliseconds) {
	aheadMs += milliseconds;
	for (const [timer, due] of waiting) {
		if (timer._destroyed) {
			waiting.delete(timer);
		} else {
			timer._idleTimeout = Math.max(1, due - performance.now());
			Object.getPrototypeOf(timer).refresh.call(timer);
		}
	}
}

// The server of the app is a thread, whose clock is the same.
const clocks = new BroadcastChannel('growth').unref();
clocks.onmessage = ({data}) => pass(data);

const warnings = [];
process.on('warning', ({name, message}) => void warnings.push(`${name}: ${message}`));

/** Returns how many there are of each name. */
function countEach(names) {
	const counts = {};
	for (const name of names) {
		counts[name] = (counts[name] ?? 0) + 1;
	}

	return counts;
}

const listenersOf = emitter => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);

function count() {
	for (let collected = 0; collected < 3; collected++) {
		globalThis.gc();
	}

	const streams = [process, process.stdin, process.stdout, process.stderr];
	const resources = process.getActiveResourcesInfo();
	return {
		heapUsed: process.memoryUsage().heapUsed,
		warnings,
		amounts: {
			...countEach(resources.filter(name => !name.startsWith('FSReq') && name !== 'Immediate')),
			timers: waiting.size,
			listeners: streams.reduce((sum, each) => sum + listenersOf(each), 0),
			descriptors: readdirSync('/proc/self/fd').length,
		},
	};
}

if (isMainThread) {
	const server = createServer(socket => {
		createInterface({input: socket.unref()}).on('line', line => {
			if (line !== 'count') {
				pass(Number(line));
				clocks.postMessage(Number(line));
			}

			socket.write(`${JSON.stringify(line === 'count' ? count() : {})}\n`);
		});
	});
	server.listen(process.env.SERVICE_PROBE).unref();
}
