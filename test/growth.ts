import {readFileSync} from 'node:fs';
import process from 'node:process';
import {expect} from 'vitest';

/** Returns the processor time of this process for one call, in milliseconds: a busy machine adds nothing to it. */
export function cpuMs(work: () => unknown): number {
	const before = process.cpuUsage();
	work();
	const {user, system} = process.cpuUsage(before);
	return (user + system) / 1000;
}

/** Returns the sum of two times of proc(5), counted from the field after the name, which may have spaces, in milliseconds. */
function statMs(pid: number, field: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	const [user, system] = stat
		.slice(stat.lastIndexOf(')') + 2)
		.split(' ')
		.slice(field, field + 2);
	return 10 * (Number(user) + Number(system));
}

/** Returns the processor time that a running process has used, in milliseconds. */
export const processCpuMs = (pid = process.pid): number => statMs(pid, 11);

/** Returns the processor time of this process's children that have ended, in milliseconds. */
export const childrenCpuMs = (): number => statMs(process.pid, 13);

const calls = 5;

/**
 * Returns the least of two to five calls: what else the process does now and then is in the others. If the two least
 * agree within a tenth, more calls tell nothing.
 */
export function leastCpuMs(work: () => unknown): number {
	const costs = [cpuMs(work), cpuMs(work)].sort((a, b) => a - b);
	while (costs.length < calls && (costs[1] ?? 0) > 1.1 * (costs[0] ?? 0)) {
		costs.push(cpuMs(work));
		costs.sort((a, b) => a - b);
	}

	return costs[0] ?? 0;
}

/** Returns the least of at most five calls. The first that costs less than `enoughMs` is the last. */
function leastCpuMsUntil(enoughMs: number, work: () => unknown): number {
	let leastMs = Number.POSITIVE_INFINITY;
	for (let call = 0; call < calls && leastMs >= enoughMs; call++) {
		leastMs = Math.min(leastMs, cpuMs(work));
	}

	return leastMs;
}

/**
 * Expects that work on an input of 4 times the size costs less than 9 times the processor time: linear work costs 4 times
 * as much, quadratic work 16 times. `size` is doubled until the work can be measured, `largest` times it at most.
 */
export function expectLinear(work: (size: number) => unknown, size: number, largest = 64): void {
	const measurableMs = 3;
	let small = size;
	let cost = leastCpuMs(() => work(small));
	while (cost < measurableMs && small * 2 <= size * largest) {
		small *= 2;
		cost = leastCpuMs(() => work(small));
	}

	const limitMs = 9 * Math.max(cost, measurableMs);
	const large = leastCpuMsUntil(limitMs, () => work(small * 4));
	expect(large, `${small} cost ${cost} ms, ${small * 4} cost ${large} ms`).toBeLessThan(limitMs);
}
