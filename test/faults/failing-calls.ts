import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import process from 'node:process';

/** Calls of the file system that fail, or are slow. */
export type FailingCalls = {
	/** Calls for paths that begin so. */
	readonly below: string;
	readonly call: 'open' | 'write' | 'sync' | 'rename' | 'unlink' | 'mkdir' | 'truncate';
	/** Such as `ENOSPC`; `slow` for calls that only take long. */
	readonly error: string;
	/** The number of the first call that fails, from 1. */
	readonly at: number;
	/** How many calls fail. */
	readonly times: number;
	/** True if a write that fails has written a half. */
	readonly isHalf: boolean;
};

type Call = (...args: readonly unknown[]) => unknown;

let failing: FailingCalls | undefined;
let seen = 0;

/** Lets calls of this process fail from now on, or no longer. */
export function failCalls(next: FailingCalls | undefined): void {
	failing = next;
	seen = 0;
}

/** Counts a call, and returns the error if it must fail. */
function faultOf(call: string, path: unknown): Error | undefined {
	if (!failing || failing.call !== call || !String(path).startsWith(failing.below)) {
		return undefined;
	}

	seen += 1;
	const {error, at, times} = failing;
	return seen >= at && seen < at + times
		? Object.assign(new Error(`${error}: injected, ${call} '${path}'`), {code: error, syscall: call, path})
		: undefined;
}

/** Returns the path of an open file. A closed one has none. */
function pathOf(descriptor: unknown): string {
	return fs.existsSync(`/proc/self/fd/${descriptor}`) ? fs.readlinkSync(`/proc/self/fd/${descriptor}`) : '';
}

/** How long a call of a slow disk takes. */
const slowMs = 150;

/** Fails, or waits as a slow disk does. */
async function suffer(fault: Error | undefined): Promise<void> {
	if (fault && failing?.error !== 'slow') {
		throw fault;
	}

	await (fault && new Promise(resolve => setTimeout(resolve, slowMs)));
}

/** Replaces functions of a module by ones that may fail. */
function wrap(target: object, names: Readonly<Record<string, FailingCalls['call']>>, isAsync: boolean): void {
	for (const [name, call] of Object.entries(names)) {
		const original: Call = Reflect.get(target, name);
		const may: Call = isAsync
			? async (...args) => {
					await suffer(faultOf(call, args[0]));
					return original(...args);
				}
			: (...args) => {
					const fault = faultOf(call, typeof args[0] === 'number' ? pathOf(args[0]) : args[0]);
					if (fault && failing?.error !== 'slow') {
						throw fault;
					}

					return original(...args);
				};
		Reflect.set(target, name, may);
	}
}

/** Does the same for methods of an open file. */
function wrapHandles(handles: object, names: Readonly<Record<string, FailingCalls['call']>>): void {
	for (const [name, call] of Object.entries(names)) {
		const original: Call = Reflect.get(handles, name);
		Reflect.set(handles, name, async function (this: {readonly fd: number}, ...args: readonly unknown[]) {
			const fault = faultOf(call, pathOf(this.fd));
			if (!fault) {
				return original.apply(this, [...args]);
			}

			const [bytes] = args;
			if (failing?.isHalf && name === 'write' && bytes instanceof Uint8Array) {
				await original.call(this, bytes.subarray(0, bytes.length / 2));
			}

			await suffer(fault);
			return original.apply(this, [...args]);
		});
	}
}

const handle = await fs.promises.open(process.execPath);
const handles: object = Object.getPrototypeOf(handle);
await handle.close();
wrapHandles(handles, {write: 'write', writeFile: 'write', sync: 'sync', datasync: 'sync', truncate: 'truncate'});
wrap(fs.promises, {open: 'open', rename: 'rename', unlink: 'unlink', mkdir: 'mkdir'}, true);
wrap(fs, {openSync: 'open', writeSync: 'write', writeFileSync: 'write', fsyncSync: 'sync'}, false);
wrap(fs, {renameSync: 'rename', unlinkSync: 'unlink', mkdirSync: 'mkdir'}, false);
syncBuiltinESMExports();
