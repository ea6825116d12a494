import {once} from 'node:events';
import {readdirSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {atEnd} from '../net/servers.ts';

const probe = fileURLToPath(new URL('growth-probe.mjs', import.meta.url));

/**
 * The flags of Node with which a program can be asked what it holds, once SERVICE_PROBE is the path of a socket. What V8 optimizes would
 * count as memory for hours.
 */
export const probed: readonly string[] = ['--expose-gc', '--no-opt', '--import', probe];

/** What a program holds at a moment. */
export type Sample = {
	readonly heapUsed: number;
	/** Of each kind: handles, requests and timers of Node, listeners, descriptors, and files. */
	readonly amounts: Readonly<Record<string, number>>;
	readonly warnings: readonly string[];
};

/** Connects to the probe of a program. */
export async function openProbe(path: string) {
	const socket = connect(path);
	await once(socket, 'connect');
	atEnd(() => socket.destroy());
	const lines = createInterface({input: socket})[Symbol.asyncIterator]();
	const ask = async (line: string) => {
		socket.write(`${line}\n`);
		return JSON.parse((await lines.next()).value);
	};
	return {
		/** Lets time pass at once. */
		pass: (milliseconds: number): Promise<unknown> => ask(String(milliseconds)),
		/** Counts what the program holds, and the files below some folders, apart from those that are kept for the user. */
		async count(folders: Readonly<Record<string, string>>, kept: readonly string[] = []): Promise<Sample> {
			const {amounts, ...sample}: Sample = await ask('count');
			const files = Object.entries(folders).map(([name, folder]) => [
				`files of ${name}`,
				readdirSync(folder).reduce(
					(sum, entry) => sum + (kept.includes(entry) ? 0 : 1 + filesBelow(join(folder, entry))),
					0,
				),
			]);
			return {...sample, amounts: {...amounts, ...Object.fromEntries(files)}};
		},
	};
}

function filesBelow(path: string): number {
	try {
		return readdirSync(path, {recursive: true}).length;
	} catch {
		// A file, or gone meanwhile.
		return 0;
	}
}

/** What code that is compiled and what is read once add to a heap, however often it is measured. */
const settlingBytes = 1_500_000;

/**
 * Returns what grows, from samples after `turns` each: an amount that is above all of the first third in all of the last one, warnings, and
 * a heap whose regression is steeper than `bytesPerTurn`. The first quarter of the samples, in which a program warms up, doesn't count.
 */
export function growthOf(samples: readonly Sample[], turns: number, bytesPerTurn: number): readonly string[] {
	const warm = samples.slice(Math.ceil(samples.length / 4));
	const third = Math.floor(warm.length / 3);
	const [first, last] = [warm.slice(0, third), warm.slice(-third)];
	// Connections that are kept open come and go: a few samples differ by that.
	const byChance = third < 8 ? 10 : 0;
	const kinds = new Set(warm.flatMap(({amounts}) => Object.keys(amounts)));
	const amountsOf = (some: readonly Sample[], kind: string) => some.map(({amounts}) => amounts[kind] ?? 0);
	const grown = [...kinds].filter(
		kind => third > 0 && Math.min(...amountsOf(last, kind)) > Math.max(...amountsOf(first, kind)) + byChance,
	);
	const slope = slopeOf(warm.map(({heapUsed}) => heapUsed)) / turns;
	const allowed = bytesPerTurn + settlingBytes / (turns * warm.length);
	return [
		...grown.map(kind => `${kind}: ${amountsOf(samples, kind).join(' ')}`),
		...new Set(samples.flatMap(({warnings}) => warnings)),
		...(slope > allowed
			? [`the heap grows by ${Math.round(slope)} bytes a turn: ${samples.map(({heapUsed}) => heapUsed).join(' ')}`]
			: []),
	];
}

/** Returns how much a value grows from one to the next, by least squares. */
export function slopeOf(values: readonly number[]): number {
	const middle = (values.length - 1) / 2;
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const [above, below] = values.reduce(
		([product, square], value, at) => [product + (at - middle) * (value - mean), square + (at - middle) ** 2],
		[0, 0],
	);
	return below === 0 ? 0 : above / below;
}
