import {stepEndPattern, stoppedLine} from '../docker/entry-script.ts';
import {lineOf} from '../engine-message.ts';
import type {SandboxState} from '../provider.ts';
import type {Pod, SandboxObject} from './cluster-objects.ts';
import {annotations, containerName} from './object-names.ts';

export const hasEnded = (pod: Pod) => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

const containerOf = (pod: Pod) => pod.status?.containerStatuses?.find(({name}) => name === containerName);

/** Returns whether its container has been told to begin, and runs. */
export const hasBegun = (pod: Pod) => pod.status?.phase === 'Running' && containerOf(pod)?.started === true;

/** Returns whether the container runs, so that programs can be started in it. */
export const isUp = (pod: Pod) => pod.status?.phase === 'Running' && !!containerOf(pod)?.state?.running;

export const isPaused = (sandbox: SandboxObject | undefined) =>
	sandbox !== undefined &&
	(sandbox.spec.operatingMode === 'Suspended' || sandbox.metadata.annotations?.[annotations.paused] === 'yes');

/** Returns what a pod that hasn't ended does; undefined if it hasn't begun. */
export function liveState(pod: Pod): 'building' | 'running' | undefined {
	if (!hasBegun(pod)) {
		return undefined;
	}

	const builds = Number(pod.metadata.annotations?.[annotations.builds] ?? 0);
	return builds > 0 && containerOf(pod)?.ready !== true ? 'building' : 'running';
}

/** Why the cluster ends a pod whose deadline we set. */
const deadlineReason = 'DeadlineExceeded';

/** Returns how a pod ended, by its status and what its entry said at last. */
export function endedState(pod: Pod, lines: readonly string[]): SandboxState {
	const step = lines.map(line => stepEndPattern.exec(line)?.[1]).findLast(name => name !== undefined);
	return {
		kind: 'ended',
		step: step ?? 'command',
		status: containerOf(pod)?.state?.terminated?.exitCode ?? (pod.status?.phase === 'Succeeded' ? 0 : null),
		requested: pod.status?.reason === deadlineReason || lines.some(line => line.endsWith(stoppedLine)),
	};
}

/** Returns a line about an end that neither the program nor the server chose; nothing for others. */
export function endNote(pod: Pod): string {
	const {reason = '', message = ''} = pod.status ?? {};
	const own = containerOf(pod)?.state?.terminated?.reason ?? '';
	if (reason === deadlineReason || pod.status?.phase !== 'Failed') {
		return '';
	}

	const why = reason || (own === 'Error' || own === 'Completed' ? '' : own);
	return why === '' ? '' : `[server] Kubernetes ended the sandbox: ${why}${message && ` (${lineOf(message)})`}\n`;
}

/** Reasons of waiting containers that never pass. */
const finalReasons: readonly string[] = [
	'ImagePullBackOff',
	'InvalidImageName',
	'ErrImageNeverPull',
	'ImageInspectError',
	'CreateContainerConfigError',
	'CreateContainerError',
	'RunContainerError',
];

/** Returns why a pod doesn't start, and whether it never will. */
export function startProblem(pod: Pod): {readonly why: string; readonly isFinal: boolean} | undefined {
	const waiting = containerOf(pod)?.state?.waiting;
	if (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating' && waiting.reason !== 'PodInitializing') {
		const why = `${waiting.reason}${waiting.message === undefined ? '' : `, ${lineOf(waiting.message)}`}`;
		return {why, isFinal: finalReasons.includes(waiting.reason)};
	}

	if (hasEnded(pod)) {
		const {reason, message} = pod.status ?? {};
		const terminated = containerOf(pod)?.state?.terminated;
		const status = terminated ? `it ended with status ${terminated.exitCode}` : 'it ended';
		return {why: [reason ?? status, lineOf(message ?? '')].filter(part => part !== '').join(', '), isFinal: true};
	}

	const scheduled = pod.status?.conditions?.find(({type, status}) => type === 'PodScheduled' && status === 'False');
	return (
		scheduled && {
			why: `${scheduled.reason ?? 'it is not scheduled'}, ${lineOf(scheduled.message ?? '')}`,
			isFinal: false,
		}
	);
}
