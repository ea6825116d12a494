import {spawn} from 'node:child_process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Network} from '../../../containment/network.ts';
import {isListeningAt} from '../ports.ts';
import type {SupervisorPlan} from './supervisor-plan.ts';

/** How long until the relay has to listen, and until one that ended is started again. */
const startTimeoutMs = 10_000;
const restartMs = 1000;

/** How often it is looked whether the relay listens. */
const intervalMs = 20;

/**
 * Opens the proxy to the hosts that a task allows, if it allows any. It listens in the network of the sandbox alone, where a
 * relay passes connections on through its pipes: no port of the machine leads to it, so that no other process can use what
 * the task may reach (SAFETY 15). Returns whether it listens. The relay ends with this process.
 */
export async function openProxy(
	{egress, environment}: SupervisorPlan,
	{enter, holder}: Network,
	write: (line: string) => void,
): Promise<boolean> {
	if (!egress || egress.allow.length === 0) {
		return true;
	}

	const [{createEgressProxy}, {acceptConnections}, {proxyPort, relayCommand}] = await Promise.all([
		import('../../egress/egress-proxy.ts'),
		import('../../egress/multiplex.ts'),
		import('../../egress/relay-script.ts'),
	]);
	const proxy = createEgressProxy({...egress, write});
	const [file = '', ...args] = [...enter, ...relayCommand(proxyPort, '/dev/null')];
	const keepOpen = async () => {
		for (;;) {
			const relay = spawn(file, args, {env: {PATH: environment['PATH']}, stdio: ['pipe', 'pipe', 'ignore']});
			relay.on('error', () => undefined);
			relay.stdin.on('error', () => undefined);
			await acceptConnections(relay.stdin, relay.stdout, proxy.serve).ended.catch(() => undefined);
			relay.kill('SIGKILL');
			await sleep(restartMs);
		}
	};
	void keepOpen();
	for (let waitedMs = 0; waitedMs < startTimeoutMs; waitedMs += intervalMs) {
		if (await isListeningAt(holder, proxyPort)) {
			return true;
		}

		await sleep(intervalMs);
	}

	return false;
}
