import {spawn} from 'node:child_process';
import {renameSync, writeFileSync} from 'node:fs';
import {setPriority} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {text} from 'node:stream/consumers';
import {describeContainment, formatMegabytes} from '../../../containment/containment.ts';
import {maxFiles} from '../../../containment/disk-use.ts';
import {areStopped, endMembers, membersOf, signalMembers} from '../../../containment/members.ts';
import type {ProcessIdentity} from '../../../containment/processes.ts';
import {diskLimit, memoryLimit, processLimit, watchLimits} from '../../../containment/watch-limits.ts';
import {formatNumber} from '../../../core/format.ts';
import {identityOf, thisProcess} from '../../../storage/lock-owner.ts';
import {type ActiveContainment, setUpContainment} from './supervisor-containment.ts';
import {createSupervisorLog} from './supervisor-log.ts';
import type {SupervisorPlan, SupervisorStatus} from './supervisor-plan.ts';
import {watchDeadline} from './watch-deadline.ts';

/** How often it looks whether a limit may be exceeded that the kernel doesn't enforce: three short reads. */
const limitIntervalMs = 100;

// The entry of the process between the server and a sandbox, which lets the sandbox outlive the server. It runs the
// steps in order, each in a process group, keeps the log and the sandbox within their limits, checks the deadline and
// writes `status.json`. SIGTERM ends it and the sandbox.
// Read without blocking: the plan may come later than this program starts, and then `readFileSync` throws EAGAIN.
const plan: SupervisorPlan = JSON.parse(await text(process.stdin));
const {id, folder, steps, builds, writable, limits, mark, graceMs} = plan;
const {note, write} = createSupervisorLog({...plan, folder: `${folder}/log`});

let active: ActiveContainment | undefined;
let group: ProcessIdentity | undefined;
let isStopping = false;
const supervisor = thisProcess();
const membership = () => ({id, mark, supervisor, leader: group?.pid, cgroup: active?.cgroup});
const report = (change: Omit<SupervisorStatus, 'supervisor'>) =>
	writeStatus(folder, {supervisor, mark, ...active?.recorded, ...change});

/** Ends everything. Nothing of a sandbox outlives its supervisor. */
function finish(exit?: SupervisorStatus['exit']): never {
	endMembers(membership());
	active?.close();
	report({phase: 'ended', ...(exit && {exit}), ...(isStopping && {stopped: true})});
	process.exit(0);
}

function stop(why: string): void {
	if (!isStopping) {
		isStopping = true;
		note(why);
		// A paused process handles the signal only after SIGCONT.
		signalMembers(membership(), 'SIGTERM');
		signalMembers(membership(), 'SIGCONT');
		setTimeout(() => endMembers(membership()), graceMs);
	}
}

process.on('SIGTERM', () => stop('stopped by the server'));
process.on('uncaughtException', () => finish());
active = await setUpContainment(plan);
const {isLimited, network, commandOf} = active;
note(describeContainment(plan.containment, {hasNetwork: network !== undefined, isLimited}, limits));
watchDeadline(plan, {
	pause() {
		signalMembers(membership(), 'SIGSTOP');
		return areStopped(membership());
	},
	stop,
	abandon: () => finish(),
});
const members = () => membersOf(membership()).map(pid => `/proc/${pid}`);
const end = (why: string) => {
	stop(why);
	endMembers(membership());
};
const [memory, disk] = [limits.memoryBytes, limits.diskBytes].map(formatMegabytes);
let kills = 0;
const countKills = () => active?.cgroup?.memoryKills() ?? 0;
watchLimits(limitIntervalMs, [
	...(isLimited
		? []
		: [
				processLimit(limits.processes, members, () => end(`it has more than ${limits.processes} processes`)),
				memoryLimit(limits.memoryBytes, members, () => end(`it uses more than ${memory} of memory`)),
			]),
	diskLimit(limits.diskBytes, writable, members, what =>
		end(what === 'bytes' ? `it uses more than ${disk} of disk` : `it has more than ${formatNumber(maxFiles)} files`),
	),
	{
		isDue: () => countKills() > kills,
		check() {
			kills = countKills();
			note(`the system killed a process: ${memory} of memory are used up`);
		},
	},
]);

for (const [index, step] of steps.entries()) {
	const isBuild = index < builds;
	if (isBuild) {
		note(`build step ${index + 1} of ${builds}: ${step.command.join(' ')}`);
	}

	const {status, signal, description} = await runStep(commandOf(step), plan, {
		write,
		onStart(pid) {
			group = identityOf(pid);
			report({phase: isBuild ? 'building' : 'running', group});
		},
		// Nothing of a step outlives it.
		onExit: () => endMembers(membership()),
	});
	group = undefined;
	note(`${step.name} ${description}`);
	if (status !== 0 || isStopping || index === steps.length - 1) {
		finish({step: step.name, status, signal});
	}
}

/** Writes the state of a sandbox to `status.json`. */
function writeStatus(folder: string, status: SupervisorStatus): void {
	try {
		writeFileSync(join(folder, 'status.new'), JSON.stringify(status), {mode: 0o600});
		renameSync(join(folder, 'status.new'), join(folder, 'status.json'));
	} catch {
		// A full disk. Readers of the old status also check the processes.
	}
}

type Ended = {readonly status: number | null; readonly signal: string | null; readonly description: string};

type Handlers = {
	readonly write: (bytes: Buffer) => void;
	readonly onStart: (pid: number) => void;
	readonly onExit: () => void;
};

/** Lower than everything that supervises it (a niceness). */
const priority = 5;

/** How long to wait for processes that hold the output pipe of an ended step. */
const drainMs = 500;

/** Runs a program in a process group of its own. Never throws: a program that can't be started has the status 127. */
function runStep(
	[file = '', ...args]: readonly string[],
	{cwd, environment}: SupervisorPlan,
	{write, onStart, onExit}: Handlers,
): Promise<Ended> {
	return new Promise(resolve => {
		const child = spawn(file, args, {cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true});
		if (child.pid !== undefined) {
			yieldTo(child.pid);
			onStart(child.pid);
		}

		child.stdout.on('data', write);
		child.stderr.on('data', write);
		child.once('error', error => {
			resolve({status: 127, signal: null, description: `cannot be started: ${error.message}`});
		});
		child.once('exit', (status, signal) => {
			const ended = {status, signal, description: signal ? `ended by ${signal}` : `ended with status ${status}`};
			onExit();
			child.once('close', () => resolve(ended));
			setTimeout(() => resolve(ended), drainMs);
		});
	});
}

function yieldTo(pid: number): void {
	try {
		setPriority(pid, priority);
	} catch {
		// It has ended.
	}
}
