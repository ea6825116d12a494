import {expect, onTestFinished, test, vi} from 'vitest';
import {diskOf} from '../../src/containment/machine.ts';
import {machineDiskLimit, watchLimits} from '../../src/containment/watch-limits.ts';

const gib = 1024 ** 3;

/** Watches a disk with these amounts of free space, one after another. Returns the limits that were exceeded. */
function watching(sizeBytes: number, ...free: readonly number[]) {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	const exceeded: string[] = [];
	let at = 0;
	const disk = () => ({freeBytes: free[Math.min(at++, free.length - 1)] ?? 0, sizeBytes});
	const end = watchLimits(500, [machineDiskLimit(disk, () => exceeded.push('it nearly filled the disk'))]);
	vi.advanceTimersByTime(1600);
	end();
	return exceeded;
}

test('[15] a command that leaves hardly any space on the disk is ended', () => {
	expect(watching(100 * gib, 40 * gib, 10 * gib, 0.5 * gib)).toContain('it nearly filled the disk');
	expect(watching(4 * gib, 2 * gib, 0.1 * gib)).toContain('it nearly filled the disk');
});

test('a command that writes little on a full disk, or much on an empty one, goes on', () => {
	expect(watching(100 * gib, 0.5 * gib, 0.45 * gib)).toEqual([]);
	expect(watching(100 * gib, 90 * gib, 2 * gib)).toEqual([]);
	expect(watching(4 * gib, 2 * gib, 0.5 * gib)).toEqual([]);
});

test('the space of a folder is that of its disk', () => {
	const disk = diskOf('/');
	expect(disk?.sizeBytes).toBeGreaterThan(0);
	expect(disk?.freeBytes).toBeLessThanOrEqual(disk?.sizeBytes ?? 0);
	expect(diskOf('/nonexistent/folder')).toBeUndefined();
});
