import {spawn} from 'node:child_process';
import {closeSync, fstatSync, openSync, renameSync, writeFileSync, writeSync} from 'node:fs';
import {setPriority} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {text} from 'node:stream/consumers';
import {hasLostMount, readReport, setupTries} from '../../../containment/bubblewrap-report.ts';
import {describeContainment, formatMegabytes} from '../../../containment/containment.ts';
import {maxFiles} from '../../../containment/disk-use.ts';
import {areStopped, endMembers, membersOf, signalMembers, terminateMembers} from '../../../containment/members.ts';
import type {ProcessIdentity} from '../../../containment/processes.ts';
import {diskLimit, memoryLimit, processLimit, watchLimits} from '../../../containment/watch-limits.ts';
import {formatNumber} from '../../../core/format.ts';
import {identityOf, thisProcess} from '../../../storage/lock-owner.ts';
import {openProxy} from './sandbox-proxy.ts';
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
const {note, write, addLine} = createSupervisorLog({...plan, folder: `${folder}/log`});

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
		terminateMembers(membership());
		signalMembers(membership(), 'SIGCONT');
		setTimeout(() => endMembers(membership()), graceMs);
	}
}

process.on('SIGTERM', () => stop('stopped by the server'));
process.on('uncaughtException', () => finish());
active = await setUpContainment(plan);
const {isLimited, network, commandOf} = active;
const allow = plan.egress?.allow;
if (allow && !(network && (await openProxy(plan, network, addLine)))) {
	note('it did not start, because its network can’t be limited here');
	finish({step: steps[0]?.name ?? '', status: null, signal: null});
}

note(describeContainment(plan.containment, {hasNetwork: network !== undefined, isLimited, allow}, limits));
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
let refusals = 0;
const countRefusals = () => active?.cgroup?.refusedProcesses() ?? 0;
/** A fork bomb is refused again and again: the log says so at the first one, and at each tenfold. */
const refusalFactor = 10;

/** Notes what the kernel did to keep the sandbox within its limits. */
function noteLimits(): void {
	if (countKills() > kills) {
		kills = countKills();
		note(`the system killed a process: ${memory} of memory are used up`);
	}

	if (countRefusals() > refusals * refusalFactor) {
		refusals = countRefusals();
		note(`the system refused a process: it has as many as it may, ${formatNumber(limits.processes)}`);
	}
}

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
	{isDue: () => countKills() > kills || countRefusals() > refusals * refusalFactor, check: noteLimits},
]);

for (const [index, step] of steps.entries()) {
	const isBuild = index < builds;
	if (isBuild) {
		note(`build step ${index + 1} of ${builds}: ${step.command.join(' ')}`);
	}

	const handlers = {
		write,
		onStart(pid: number) {
			group = identityOf(pid);
			report({phase: isBuild ? 'building' : 'running', group});
		},
		// Nothing of a step outlives it.
		onExit: () => endMembers(membership()),
	};
	let ended = await runStep(commandOf(step), plan, handlers);
	for (let tries = 1; ended.hasLostMount && !isStopping && tries < setupTries; tries += 1) {
		note(`${step.name} starts again: a mount of the machine went away`);
		ended = await runStep(commandOf(step), plan, handlers);
	}

	const {status, signal, description} = ended;
	group = undefined;
	// It may have ended before the next look.
	noteLimits();
	note(`${step.name} ${description}`);
	if (status !== 0 || isStopping || index === steps.length - 1) {
		finish({step: step.name, status, signal});
	}
}

/** Writes the state of a sandbox to `status.json`. */
function writeStatus(folder: string, status: SupervisorStatus): void {
	const [path, text] = [join(folder, 'status.json'), JSON.stringify(status)];
	try {
		writeFileSync(join(folder, 'status.new'), text, {mode: 0o600});
		renameSync(join(folder, 'status.new'), path);
	} catch {
		overwrite(path, text);
	}
}

/** Writes over JSON, which takes no more space on a full disk. */
function overwrite(path: string, text: string): void {
	try {
		const file = openSync(path, 'r+');
		writeSync(file, Buffer.from(text.padEnd(fstatSync(file).size)), 0, undefined, 0);
		closeSync(file);
	} catch {
		// Readers of the old status also check the processes.
	}
}

type Ended = {
	readonly status: number | null;
	readonly signal: string | null;
	readonly description: string;
	/** True if it didn't run, and may at the next try. */
	readonly hasLostMount: boolean;
};

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
	{cwd, environment, containment}: SupervisorPlan,
	{write, onStart, onExit}: Handlers,
): Promise<Ended> {
	return new Promise(resolve => {
		// Without bubblewrap a third descriptor would be the step's own.
		const stdio = ['ignore', 'pipe', 'pipe', ...(containment.bubblewrap ? ['pipe' as const] : [])] as const;
		const child = spawn(file, args, {cwd, env: environment, stdio: [...stdio], detached: true});
		const sandbox = readReport(child);
		let begin = '';
		if (child.pid !== undefined) {
			yieldTo(child.pid);
			onStart(child.pid);
		}

		const onData = (bytes: Buffer) => {
			begin = begin.length < 2000 ? `${begin}${bytes}` : begin;
			write(bytes);
		};
		child.stdout?.on('data', onData);
		child.stderr?.on('data', onData);
		child.once('error', error => {
			const description = `cannot be started: ${error.message}`;
			resolve({status: 127, signal: null, description, hasLostMount: false});
		});
		child.once('exit', (status, signal) => {
			const over = () => {
				const description = signal ? `ended by ${signal}` : `ended with status ${status}`;
				resolve({status, signal, description, hasLostMount: !sandbox.hasStarted() && hasLostMount(begin)});
			};
			onExit();
			child.once('close', over);
			setTimeout(over, drainMs);
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
