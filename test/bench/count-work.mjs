import {createHook} from 'node:async_hooks';
import process from 'node:process';

// Loaded into a server by `followers.mjs`: prints at SIGUSR2 what the server has done so far, whatever the load of the machine.

let created = 0;
const live = new Set();
createHook({
	init(id, type) {
		if (type === 'Timeout') {
			created += 1;
			live.add(id);
		}
	},
	destroy: id => live.delete(id),
}).enable();

let copied = 0;
for (const name of ['concat', 'from']) {
	const make = Buffer[name];
	Buffer[name] = (...given) => {
		const buffer = make(...given);
		copied += buffer.length;
		return buffer;
	};
}

process.on('SIGUSR2', () => {
	globalThis.gc?.();
	const {rss, heapUsed, external} = process.memoryUsage();
	process.stderr.write(`${JSON.stringify({created, live: live.size, copied, rss, used: heapUsed + external})}\n`);
});
