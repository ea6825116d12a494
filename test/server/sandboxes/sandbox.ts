import {randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished} from 'vitest';
import {findContainment, type MachineContainment} from '../../../src/containment/containment.ts';
import {once} from '../../../src/core/once.ts';
import {standardPath} from '../../../src/server/sandboxes/local-launch.ts';
import {createLocalProvider} from '../../../src/server/sandboxes/local-provider.ts';
import type {SandboxSpec} from '../../../src/server/sandboxes/provider.ts';
import {supervisor} from './supervisor.ts';

/** A PATH without bubblewrap, so that the result doesn't depend on the machine. */
export const plainPath = '/nowhere';

/** Returns what contains sandboxes on this machine; detected once, because that starts four processes. */
export const containmentHere = once(() => findContainment(standardPath.join(':'), ['/home', '/root', '/run', '/tmp']));

/** A folder for this test alone. */
export async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'service-sandbox-'));
	// A sandbox that a test ends may still write its last line.
	onTestFinished(() => rm(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 50}));
	return folder;
}

type Machine = {
	readonly path?: string;
	readonly graceMs?: number;
	readonly environment?: Readonly<Record<string, string>>;
	/** The containment to use instead of the detected one. */
	readonly containment?: MachineContainment;
	readonly openRanges?: readonly string[];
};

/** Creates a provider in its own folder; sandboxes started through `start` are ended after the test. */
export async function localSandboxes({
	path = plainPath,
	graceMs = 300,
	environment = {},
	containment,
	openRanges,
}: Machine = {}) {
	const root = await temporaryFolder();
	const provider = createLocalProvider({
		root,
		graceMs,
		openRanges,
		environment: {...environment, PATH: path},
		...(containment && {findContainment: async () => containment}),
		supervisor,
		allowUncontained: path === plainPath || containment !== undefined,
	});
	const script = async (program: string, spec: Partial<SandboxSpec> = {}): Promise<string> => {
		const id = randomUUID();
		onTestFinished(() => provider.remove(id));
		await provider.start({
			id,
			organization: randomUUID(),
			files: new Map([['program.mjs', program]]),
			build: [],
			command: {name: 'command', command: ['node', 'program.mjs']},
			environment: {},
			deadline: {after: 60_000, action: 'end'},
			...spec,
		});
		return id;
	};
	/** Starts what a shell does, where it can do it: Node takes 70 ms to start. */
	const shell = (line: string, spec: Partial<SandboxSpec> = {}) =>
		script('', {command: {name: 'command', command: ['sh', '-c', line]}, ...spec});
	const log = async (id: string) => (await provider.readLog(id, {}))?.text ?? '';
	return {root, provider, script, shell, log};
}

/** Waits until `isTrue`, which looks at processes and files. */
export async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
	await expect.poll(isTrue, {interval: 25}).toBe(true);
}

/** Returns whether any process with the id runs; zombies don't. */
export function runs(pid: number): boolean {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
		return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
	} catch {
		return false;
	}
}
