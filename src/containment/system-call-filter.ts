import process from 'node:process';

/** What a kind of processor calls the system calls below. */
type Machine = {
	/** The kernel's name for it. */
	readonly audit: number;
	readonly calls: Readonly<Record<string, number>>;
	/** The first number of calls in another form, if it has one. */
	readonly otherForm?: number;
};

/**
 * System calls that no program of a developer needs in a sandbox: mounts, modules, keys of other sessions, files by handle,
 * and large parts of the kernel that have been used to break out. Debuggers and leak checkers need `ptrace`, which reaches
 * only processes of the same sandbox.
 */
const machines: Readonly<Partial<Record<NodeJS.Architecture, Machine>>> = {
	x64: {
		audit: 0xc000003e,
		otherForm: 0x40000000,
		calls: {
			mount: 165,
			umount2: 166,
			pivot_root: 155,
			setns: 308,
			swapon: 167,
			swapoff: 168,
			reboot: 169,
			acct: 163,
			add_key: 248,
			request_key: 249,
			keyctl: 250,
			bpf: 321,
			perf_event_open: 298,
			userfaultfd: 323,
			kexec_load: 246,
			kexec_file_load: 320,
			init_module: 175,
			finit_module: 313,
			delete_module: 176,
			open_by_handle_at: 304,
			quotactl: 179,
			iopl: 172,
			ioperm: 173,
			lookup_dcookie: 212,
			vhangup: 153,
		},
	},
	arm64: {
		audit: 0xc00000b7,
		calls: {
			mount: 40,
			umount2: 39,
			pivot_root: 41,
			setns: 268,
			swapon: 224,
			swapoff: 225,
			reboot: 142,
			acct: 89,
			add_key: 217,
			request_key: 218,
			keyctl: 219,
			bpf: 280,
			perf_event_open: 241,
			userfaultfd: 282,
			kexec_load: 104,
			kexec_file_load: 294,
			init_module: 105,
			finit_module: 273,
			delete_module: 106,
			open_by_handle_at: 265,
			quotactl: 60,
			lookup_dcookie: 18,
			vhangup: 58,
		},
	},
};

/** The same on every machine. Programs do without `io_uring` if the kernel seems to have none. */
const newerCalls = [428, 429, 430, 431, 432, 433, 442];
const ringCalls = [425, 426, 427];
const clone3 = 435;

/** Its arguments are in memory, where a filter can't look: programs call `openat` if the kernel seems to have no other. */
const openat2 = 437;
const fchmodat2 = 452;

/** Calls that are refused with some arguments only. */
const argumentCalls = {
	x64: {clone: 56, unshare: 272, ioctl: 16, socket: 41, shmget: 29, semget: 64},
	arm64: {clone: 220, unshare: 97, ioctl: 29, socket: 198, shmget: 194, semget: 190},
} as const;
const newUser = 0x10000000;
/** They type into a terminal. */
const terminalControls = [0x5412, 0x541c];

/**
 * The families of sockets that programs need: local ones, both of the internet, and netlink. Others aren't bound to the
 * network of the sandbox, such as those between a virtual machine and its host.
 */
const families = [1, 2, 10, 16];

/**
 * Shared memory and semaphores (System V) that no process holds aren't counted as its memory. Within these sizes all that the
 * kernel allows together take less than a gigabyte. Programs need some bytes: PostgreSQL 56.
 */
const maxSharedBytes = 64 * 1024;
const maxSemaphores = 250;

/** Calls that set the mode of a file, with the place of that argument, and of flags without which it is none. */
const modeCalls = {
	x64: [
		{number: 90, mode: 1},
		{number: 91, mode: 1},
		{number: 268, mode: 2},
		{number: fchmodat2, mode: 2},
		{number: 85, mode: 1},
		{number: 133, mode: 1},
		{number: 259, mode: 2},
		{number: 2, mode: 2, flags: 1},
		{number: 257, mode: 3, flags: 2},
	],
	arm64: [
		{number: 52, mode: 1},
		{number: 53, mode: 2},
		{number: fchmodat2, mode: 2},
		{number: 33, mode: 2},
		{number: 56, mode: 3, flags: 2},
	],
} as const;
/** A program with this bit runs with the rights of its owner, for any user of the machine. */
const setUserId = 0o4000;
/** `O_CREAT`, and the bit of `O_TMPFILE` that is no other flag's. */
const createsFile = 0o100 | 0o20000000;

const notPermitted = 1;
const invalid = 22;
const notImplemented = 38;
const noSuchFamily = 97;

const [loadWord, jumpIfEqual, jumpIfAbove, jumpIfAtLeast, jumpIfAnyBit, give] = [0x20, 0x15, 0x25, 0x35, 0x45, 0x06];
const allow = 0x7fff0000;
const fail = 0x00050000;

/** Where the kernel puts the number of a call, the machine, and the lower half of an argument. */
const [numberAt, machineAt] = [0, 4];
const argumentAt = (index: number) => 16 + 8 * index;
const upperHalfAt = (index: number) => argumentAt(index) + 4;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * Returns the compiled filter of system calls for bubblewrap; undefined for a machine whose numbers aren't known. A refused
 * call fails like one that this user may not make.
 */
export function systemCallFilter(architecture = process.arch): Buffer | undefined {
	const machine = machines[architecture];
	if (!machine || (architecture !== 'x64' && architecture !== 'arm64')) {
		return undefined;
	}

	const {clone, unshare, ioctl, socket, shmget, semget} = argumentCalls[architecture];
	const refuse = (number: number, error: number): readonly Instruction[] => [
		[jumpIfEqual, 0, 1, number],
		[give, 0, 0, fail | error],
	];
	/** Decides about a call by what it is given; it is allowed if nothing decides. */
	const decide = (number: number, rules: readonly Instruction[]): readonly Instruction[] => [
		[jumpIfEqual, 0, rules.length + 1, number],
		...rules,
		[give, 0, 0, allow],
	];
	/** Refuses if the comparison of a word is true for one of the values. */
	const refuseIf = (word: number, comparison: number, values: readonly number[], error = notPermitted) => [
		[loadWord, 0, 0, word] as const,
		...values.flatMap((value): readonly Instruction[] => [
			[comparison, 0, 1, value],
			[give, 0, 0, fail | error],
		]),
	];
	const allowIf = (word: number, values: readonly number[]) => [
		[loadWord, 0, 0, word] as const,
		...values.flatMap((value): readonly Instruction[] => [
			[jumpIfEqual, 0, 1, value],
			[give, 0, 0, allow],
		]),
	];
	const program: readonly Instruction[] = [
		[loadWord, 0, 0, machineAt],
		// Programs for another machine, such as those of 32 bits, would have other numbers.
		[jumpIfEqual, 1, 0, machine.audit],
		[give, 0, 0, fail | notImplemented],
		[loadWord, 0, 0, numberAt],
		...(machine.otherForm === undefined
			? []
			: ([
					[jumpIfAtLeast, 0, 1, machine.otherForm],
					[give, 0, 0, fail | notImplemented],
				] as const)),
		...[...Object.values(machine.calls), ...newerCalls].flatMap(number => refuse(number, notPermitted)),
		// Its flags are in memory, where a filter can't look; without it, programs call `clone`.
		...[clone3, openat2, ...ringCalls].flatMap(number => refuse(number, notImplemented)),
		...[clone, unshare].flatMap(number => decide(number, refuseIf(argumentAt(0), jumpIfAnyBit, [newUser]))),
		...decide(ioctl, refuseIf(argumentAt(1), jumpIfEqual, terminalControls)),
		...decide(socket, [...allowIf(argumentAt(0), families), [give, 0, 0, fail | noSuchFamily]]),
		...decide(shmget, [
			...refuseIf(upperHalfAt(1), jumpIfAbove, [0], invalid),
			...refuseIf(argumentAt(1), jumpIfAbove, [maxSharedBytes], invalid),
		]),
		...decide(semget, refuseIf(argumentAt(1), jumpIfAbove, [maxSemaphores], invalid)),
		...modeCalls[architecture].flatMap(call =>
			decide(call.number, [
				// Without them the argument is whatever was there.
				...('flags' in call
					? ([
							[loadWord, 0, 0, argumentAt(call.flags)],
							[jumpIfAnyBit, 1, 0, createsFile],
							[give, 0, 0, allow],
						] as const)
					: []),
				...refuseIf(argumentAt(call.mode), jumpIfAnyBit, [setUserId]),
			]),
		),
		[give, 0, 0, allow],
	];
	return Buffer.concat(program.map(encode));
}

function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
	const bytes = Buffer.alloc(8);
	bytes.writeUInt16LE(code, 0);
	bytes.writeUInt8(ifTrue, 2);
	bytes.writeUInt8(ifFalse, 3);
	bytes.writeUInt32LE(value >>> 0, 4);
	return bytes;
}
