import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {systemCallFilter} from '../../src/containment/system-call-filter.ts';
import {hasBubblewrap, skipped} from '../agent/sandbox/needs-bubblewrap.ts';
import {sandboxed} from '../agent/sandbox/open-sandbox.ts';

type Call = {readonly machine: number; readonly number: number; readonly args?: readonly bigint[]};

const [allow, notPermitted, notImplemented] = [0x7fff0000, 0x50001, 0x50026];

/** Runs a filter as the kernel does. Throws for what the kernel would not load. */
function decide(filter: Buffer, {machine, number, args = []}: Call): number {
	const data = Buffer.alloc(64);
	data.writeUInt32LE(number, 0);
	data.writeUInt32LE(machine, 4);
	for (const [index, value] of args.entries()) {
		data.writeBigUInt64LE(value, 16 + 8 * index);
	}

	let accumulator = 0;
	for (let at = 0; at < filter.length / 8; at++) {
		const [code, ifTrue, ifFalse, value] = [
			filter.readUInt16LE(at * 8),
			filter.readUInt8(at * 8 + 2),
			filter.readUInt8(at * 8 + 3),
			filter.readUInt32LE(at * 8 + 4),
		];
		const jump = (isTrue: boolean) => {
			at += isTrue ? ifTrue : ifFalse;
		};
		switch (code) {
			case 0x20:
				accumulator = data.readUInt32LE(value);
				break;
			case 0x15:
				jump(accumulator === value);
				break;
			case 0x25:
				jump(accumulator > value);
				break;
			case 0x35:
				jump(accumulator >= value);
				break;
			case 0x45:
				jump((accumulator & value) !== 0);
				break;
			case 0x06:
				return value;
			default:
				throw new Error(`unknown instruction ${code}`);
		}
	}

	throw new Error('no end');
}

const machines = [
	{
		name: 'x64',
		machine: 0xc000003e,
		socket: 41,
		shmget: 29,
		semget: 64,
		openat: 257,
		fchmod: 91,
		clone: 56,
		unshare: 272,
		ioctl: 16,
		keyctl: 250,
		bpf: 321,
		mount: 165,
		read: 0,
	},
	{
		name: 'arm64',
		machine: 0xc00000b7,
		socket: 198,
		shmget: 194,
		semget: 190,
		openat: 56,
		fchmod: 52,
		clone: 220,
		unshare: 97,
		ioctl: 29,
		keyctl: 219,
		bpf: 280,
		mount: 40,
		read: 63,
	},
] as const;

describe.each(machines)('[15] the filter of system calls for $name', ({name, machine, ...calls}) => {
	const filter = systemCallFilter(name) ?? Buffer.alloc(0);
	const of = (number: number, ...args: readonly bigint[]) => decide(filter, {machine, number, args});

	test('refuses keys, mounts, modules and the like, and allows every other call', () => {
		expect([calls.keyctl, calls.bpf, calls.mount, 428, 442].map(number => of(number))).toEqual(
			Array.from({length: 5}, () => notPermitted),
		);
		expect([425, 435].map(number => of(number))).toEqual([notImplemented, notImplemented]);
		const refused = Array.from({length: 500}, (_, number) => number).filter(number => of(number) !== allow);
		expect(refused.length).toBeLessThan(45);
		expect(of(calls.read)).toBe(allow);
	});

	test('refuses a new user namespace, however its flags are combined, but no thread and no process', () => {
		for (const call of [calls.clone, calls.unshare]) {
			expect([of(call, 0x10000000n), of(call, 0x7c000000n), of(call, 0xffff_ffff_1000_0011n)]).toEqual([
				...[notPermitted, notPermitted, notPermitted],
			]);
			expect([of(call, 0x11n), of(call, 0x3d0f00n), of(call, 0x20000n)]).toEqual([allow, allow, allow]);
		}
	});

	test('refuses to type into a terminal, but no other control of one', () => {
		expect([of(calls.ioctl, 0n, 0x5412n), of(calls.ioctl, 0n, 0x541cn)]).toEqual([notPermitted, notPermitted]);
		// The kernel takes only the lower half.
		expect(of(calls.ioctl, 0n, 0xdead_0000_5412n)).toBe(notPermitted);
		expect([of(calls.ioctl, 0n, 0x5401n), of(calls.ioctl, 0x5412n, 0x5413n)]).toEqual([allow, allow]);
	});

	test('refuses sockets of other networks, set-user-ID bits and large memory that no process holds', () => {
		expect([1n, 2n, 10n, 16n].map(family => of(calls.socket, family))).toEqual([allow, allow, allow, allow]);
		expect([0n, 17n, 38n, 40n].map(family => of(calls.socket, family) & 0xffff)).toEqual([97, 97, 97, 97]);
		expect([56n, 65536n, 65537n, 1n << 32n].map(size => of(calls.shmget, 0n, size) & 0xffff)).toEqual([0, 0, 22, 22]);
		expect([17n, 250n, 251n].map(count => of(calls.semget, 0n, count) & 0xffff)).toEqual([0, 0, 22]);
		expect([0o755n, 0o2775n, 0o4755n].map(mode => of(calls.fchmod, 3n, mode))).toEqual([allow, allow, notPermitted]);
		// Without a flag that creates a file, the mode is whatever was in its place.
		expect(of(calls.openat, 0n, 0n, 0o2n, 0o4755n)).toBe(allow);
		for (const flags of [0o101n, 0o20200002n]) {
			expect([of(calls.openat, 0n, 0n, flags, 0o100644n), of(calls.openat, 0n, 0n, flags, 0o4644n)]).toEqual([
				allow,
				notPermitted,
			]);
		}
	});

	test('knows no call of another machine, nor in another form', () => {
		const of32 = decide(filter, {machine: 0x40000003, number: calls.keyctl});
		expect(of32).toBe(notImplemented);
		expect(name === 'x64' ? of(0x40000000 | calls.keyctl) : notImplemented).toBe(notImplemented);
	});
});

test('there is no filter for a machine whose calls are not known', () => {
	expect(systemCallFilter('riscv64')).toBeUndefined();
});

const perl = '/usr/bin/perl';
const hasFilter = hasBubblewrap && existsSync(perl) && systemCallFilter() !== undefined;

describe.skipIf(!hasFilter)(`in the sandbox${skipped || (hasFilter ? '' : ' (SKIPPED, without perl)')}`, () => {
	test('[15] the kernel refuses what the filter names, and programs work', async () => {
		const {run} = await sandboxed({files: {'a.txt': 'a'}});
		const {keyctl, mount} = process.arch === 'arm64' ? machines[1] : machines[0];
		const call = (number: number, ...args: readonly string[]) =>
			`perl -e 'syscall(${[number, ...args].join(', ')}); print(($! + 0) . "\\n")'`;
		expect(await run([call(keyctl, '0', '-3', '0'), call(mount, '0', '0', '0', '0', '0')].join('; '))).toMatch(
			/^1\n1\n\[exit status 0/,
		);
		expect(await run('unshare -U true && echo "made a namespace"')).not.toContain('made a namespace');
		expect(await run('grep Seccomp: /proc/self/status')).toMatch(/^Seccomp:\t2\n/);
		expect(
			await run(
				"node -e \"new (require('worker_threads').Worker)('', {eval: true}).on('exit', () => console.log(1 + 1))\" && git --version && ls | sort",
			),
		).toMatch(/^2\ngit version .*\na.txt\n/);
		expect(execFileSync('grep', ['Seccomp:', '/proc/self/status']).toString()).not.toContain('\t2');
	});
});
