import type {ProcessIdentity, SupervisorPlan, SupervisorStatus} from './supervisor-plan.ts';

/**
 * The program of a process that stands between the server and a sandbox, so that the sandbox outlives the server: it runs
 * the steps one after the other in a process group each, keeps the log within its size, notices the deadline and says in
 * `status.json` how things are. SIGTERM ends it and the sandbox. Its text is given to `node -e`, so it uses nothing of
 * this module but types.
 */
export function supervise(): void {
	const fs = process.getBuiltinModule('node:fs');
	const {spawn} = process.getBuiltinModule('node:child_process');
	const {hostname} = process.getBuiltinModule('node:os');
	const {join} = process.getBuiltinModule('node:path');
	const plan: SupervisorPlan = JSON.parse(fs.readFileSync(0, 'utf8'));
	const {folder, steps, builds, cwd, environment, notice, segmentBytes, segments, processes, grace, owner} = plan;

	const identityOf = (pid: number): ProcessIdentity => {
		try {
			const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
			const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
			return {pid, host: hostname(), ...(started && {started})};
		} catch {
			return {pid, host: hostname()};
		}
	};
	const supervisor = identityOf(process.pid);
	const say = (status: Omit<SupervisorStatus, 'supervisor'>) => {
		const text = JSON.stringify({supervisor, ...status});
		try {
			fs.writeFileSync(join(folder, 'status.new'), text, {mode: 0o600});
			fs.renameSync(join(folder, 'status.new'), join(folder, 'status.json'));
		} catch {
			// A full disk: whoever reads the old status finds out from the processes themselves.
		}
	};

	const logFolder = join(folder, 'log');
	let written = 0;
	let segmentStart = 0;
	let lost = 0;
	let lineOpen = false;
	const names = [''];
	const openSegment = () => {
		const name = join(logFolder, `${String(written).padStart(15, '0')}.log`);
		names.push(name);
		segmentStart = written;
		if (names.length > segments + 1) {
			fs.rmSync(names.splice(1, 1)[0] ?? '', {force: true});
		}
	};
	const log = (bytes: Buffer) => {
		for (let rest = bytes; rest.length > 0; ) {
			if (written - segmentStart >= segmentBytes || names.length === 1) {
				openSegment();
			}

			const piece = rest.subarray(0, segmentBytes - (written - segmentStart));
			try {
				fs.appendFileSync(names.at(-1) ?? '', piece, {mode: 0o600});
				written += piece.length;
				lineOpen = piece.at(-1) !== 10;
			} catch {
				// A full disk must not end what runs; that something is missing is said as soon as there is room.
				lost += piece.length;
			}

			rest = rest.subarray(piece.length);
		}
	};
	const note = (text: string) => log(Buffer.from(`${lineOpen ? '\n' : ''}[sandbox] ${text}\n`));

	let group: ProcessIdentity | undefined;
	let stopping = false;
	const signal = (name: NodeJS.Signals) => {
		try {
			if (group) {
				process.kill(-group.pid, name);
			}
		} catch {
			// The group has ended already.
		}
	};
	const stop = (why: string) => {
		if (!stopping) {
			stopping = true;
			note(why);
			// What is paused takes the request only when it goes on.
			signal('SIGTERM');
			signal('SIGCONT');
			setTimeout(() => signal('SIGKILL'), grace);
		}
	};
	const end = (status: Omit<SupervisorStatus, 'supervisor' | 'phase'>) => {
		say({phase: 'ended', ...status, ...(stopping && {stopped: true})});
		process.exit(0);
	};

	const run = (index: number) => {
		const step = steps[index];
		if (!step) {
			end({});
			return;
		}

		if (index < builds) {
			note(`build step ${index + 1} of ${builds}: ${step.shown}`);
		}

		const [file = '', ...args] = step.command;
		const child = spawn(file, args, {cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true});
		group = child.pid === undefined ? undefined : identityOf(child.pid);
		say({phase: index < builds ? 'building' : 'running', ...(group && {group})});
		let done = false;
		const finish = (status: number | null, name: string | null, words: string) => {
			if (!done) {
				done = true;
				group = undefined;
				note(words);
				if (status === 0 && !stopping && index + 1 < steps.length) {
					run(index + 1);
				} else {
					end({exit: {step: step.name, status, signal: name}});
				}
			}
		};
		const take = (chunk: Buffer) => {
			if (lost > 0) {
				const count = lost;
				lost = 0;
				note(`${count} bytes of this log could not be written`);
			}

			log(chunk);
		};
		child.stdout.on('data', take);
		child.stderr.on('data', take);
		child.once('error', error => finish(127, null, `${step.name} cannot be started: ${error.message}`));
		child.once('exit', (status, name) => {
			const words = `${step.name} ended ${name ? `by ${name}` : `with status ${status}`}`;
			// Nothing of a step outlives it; what holds the pipe from outside the group is not waited for.
			signal('SIGKILL');
			child.once('close', () => finish(status, name, words));
			setTimeout(() => finish(status, name, words), 500);
		});
	};

	const processIds = () => {
		try {
			return fs.readdirSync('/proc').filter(name => /^\d+$/.test(name));
		} catch {
			return [];
		}
	};
	const othersAtFirst = processIds().length;
	/** How many processes are in the group or below it, where bubblewrap keeps all of them. */
	const countOwn = (leader: number) => {
		const own = new Set([leader]);
		const parents: [id: number, parent: number][] = [];
		for (const id of processIds()) {
			try {
				const stat = fs.readFileSync(`/proc/${id}/stat`, 'utf8');
				const [, parent, ofGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
				parents.push([Number(id), Number(ofGroup) === leader ? leader : Number(parent)]);
			} catch {
				// It has ended meanwhile.
			}
		}
		for (let before = 0; before < own.size; ) {
			before = own.size;
			for (const [id, parent] of parents) {
				if (own.has(parent)) {
					own.add(id);
				}
			}
		}
		return own.size;
	};
	const watchProcesses = () => {
		// Nothing is counted where there is not even room for so many.
		if (group && !stopping && processIds().length - othersAtFirst > processes && countOwn(group.pid) > processes) {
			stop(`it has more than ${processes} processes`);
			signal('SIGKILL');
		}
	};

	const watchDeadline = () => {
		if (owner && identityOf(owner.pid).started !== owner.started) {
			stop('its server is gone');
		}

		try {
			const {at, action} = JSON.parse(fs.readFileSync(join(folder, 'deadline.json'), 'utf8'));
			if (typeof at === 'number' && Date.now() >= at && !stopping) {
				if (action === 'pause') {
					signal('SIGSTOP');
				} else {
					stop('its time is over');
				}
			}
		} catch {
			// The file is gone where the sandbox was removed: then there is nothing left to supervise.
			if (!fs.existsSync(folder)) {
				signal('SIGKILL');
				process.exit(0);
			}
		}
	};

	process.on('SIGTERM', () => stop('it is ended'));
	process.on('uncaughtException', () => {
		signal('SIGKILL');
		process.exit(1);
	});
	note(notice);
	setInterval(watchDeadline, 1000);
	setInterval(watchProcesses, 1000);
	run(0);
}
