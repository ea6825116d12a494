import {formatMegabytes} from '../../../containment/containment.ts';
import {markerName} from '../../../containment/processes.ts';
import {proxyVariables} from '../../egress/relay-script.ts';
import {entryOf, volumePath, workspacePath} from '../docker/entry-script.ts';
import {defaultLimits} from '../local-launch.ts';
import type {SandboxSpec} from '../provider.ts';
import {begunTest, builtTest, waitScript} from './begin-script.ts';
import {annotations, containerName, labelsFor, objectName, sandboxUser, workspaceName} from './object-names.ts';

/** What a server decides about all its pods. */
export type PodOptions = {
	/** The image of tasks that name none. */
	readonly image?: string | undefined;
	/** The RuntimeClass, such as gvisor; the cluster's own by default. */
	readonly runtime?: string | undefined;
	/** Ranges that tasks with an open network reach. */
	readonly openRanges: readonly string[];
	/** How long a sandbox may take to shut down. */
	readonly graceSeconds: number;
};

/** Processors of a sandbox, and what the scheduler keeps free for it. */
const cpus = 2;
const requestedCpus = '100m';

/** What the scheduler keeps free of the memory, and what temporary files may take of it. */
const memoryFraction = 1 / 4;

/** What the log of a pod may take beside its files. */
const logBytes = 64 * 1024 ** 2;

/** How long a pod may wait for its files, in seconds, before the cluster ends it: its server has crashed. */
const maxWaitSeconds = 900;

/** How much later than a server the cluster ends a sandbox: only if no server does. */
const shutdownMarginMs = 3_600_000;

/** The version of the API of a Sandbox. */
const sandboxVersion = 'agents.x-k8s.io/v1beta1';

/** The name of the volume with the workspace. */
const volumeName = 'sandbox';

/** Returns the body of `POST …/pods`. */
export function podBody(spec: SandboxSpec, options: PodOptions, cluster: string) {
	return {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: {name: objectName(spec.id), ...podMetadata(spec)},
		spec: podSpec(spec, options, {cluster, isClaimed: false}),
	};
}

/**
 * Returns the body of `POST …/sandboxes` (agents.x-k8s.io). Its volume is a claim, which stays while it is suspended; a
 * shutdown time is for the case that no server is left to end it.
 */
export function sandboxBody(spec: SandboxSpec, options: PodOptions, cluster: string, nowMs: number) {
	const template = {metadata: {name: volumeName}, spec: claimSpec(spec)};
	const time = shutdownTime(spec.deadline, nowMs);
	return {
		apiVersion: sandboxVersion,
		kind: 'Sandbox',
		metadata: {name: objectName(spec.id), labels: labelsFor(spec)},
		spec: {
			operatingMode: 'Running',
			podTemplate: {metadata: podMetadata(spec), spec: podSpec(spec, options, {cluster, isClaimed: true})},
			...(spec.workspace === undefined && {volumeClaimTemplates: [template]}),
			service: false,
			shutdownPolicy: 'Retain',
			...(time !== null && {shutdownTime: time}),
		},
	};
}

/** Returns the time after which the cluster ends a sandbox by itself; null for one that is paused instead. */
export function shutdownTime({after, action}: SandboxSpec['deadline'], nowMs: number): string | null {
	return action === 'end' ? new Date(nowMs + after + shutdownMarginMs).toISOString().replace(/\.\d+/, '') : null;
}

/** Returns the body of `POST …/persistentvolumeclaims` for a workspace that outlives its sandboxes. */
export function claimBody(spec: SandboxSpec, workspace: string) {
	const {organization} = spec;
	return {
		apiVersion: 'v1',
		kind: 'PersistentVolumeClaim',
		metadata: {name: workspaceName(workspace), labels: {'service.organization': organization}},
		spec: claimSpec(spec),
	};
}

const claimSpec = ({limits}: SandboxSpec) => ({
	accessModes: ['ReadWriteOnce'],
	resources: {requests: {storage: String({...defaultLimits, ...limits}.diskBytes)}},
});

const podMetadata = (spec: SandboxSpec) => ({
	labels: labelsFor(spec),
	annotations: {
		[annotations.builds]: String(spec.build.length),
		...(typeof spec.network === 'object' && {[annotations.allow]: JSON.stringify(spec.network.allow)}),
	},
});

/**
 * Returns what runs: one container without rights, of a user of its own, on a read-only root, with limits of memory,
 * processors and disk (SAFETY 15). Only its volume and /tmp are writable. Neither its files nor the variables of its task are in
 * here, where everyone could read them who may read pods.
 */
function podSpec(
	spec: SandboxSpec,
	options: PodOptions,
	{cluster, isClaimed}: {readonly cluster: string; readonly isClaimed: boolean},
) {
	const {id, build, workspace, limits: own} = spec;
	const {image = options.image ?? ''} = spec;
	const {runtime, graceSeconds} = options;
	const {memoryBytes, diskBytes} = {...defaultLimits, ...own};
	const label = labelOf(spec, options, {cluster, image});
	const part = Math.floor(memoryBytes * memoryFraction);
	const isNonRoot = {runAsNonRoot: true, runAsUser: sandboxUser, runAsGroup: sandboxUser};
	const seccompProfile = {type: 'RuntimeDefault'};
	const probe = (command: readonly string[], failureThreshold: number) => ({
		exec: {command},
		periodSeconds: 1,
		timeoutSeconds: 10,
		failureThreshold,
	});
	// The files of a claim outlive a pause; the claim goes with the sandbox.
	const lasting = isClaimed ? {workspace: workspace ?? id} : {};
	const claim = {claimName: workspaceName(workspace ?? id)};
	return {
		restartPolicy: 'Never',
		automountServiceAccountToken: false,
		enableServiceLinks: false,
		terminationGracePeriodSeconds: graceSeconds + 3,
		...(runtime !== undefined && {runtimeClassName: runtime}),
		securityContext: {...isNonRoot, fsGroup: sandboxUser, fsGroupChangePolicy: 'OnRootMismatch', seccompProfile},
		containers: [
			{
				name: containerName,
				image,
				command: [...waitScript, ...entryOf({...spec, ...lasting}, {label, memoryBytes, graceSeconds})],
				workingDir: volumePath,
				env: [
					{name: 'HOME', value: workspacePath},
					{name: 'TMPDIR', value: '/tmp'},
					{name: markerName, value: id},
					...(typeof spec.network === 'object' ? variablesOf(proxyVariables()) : []),
				],
				resources: {
					limits: {
						cpu: String(cpus),
						memory: String(memoryBytes),
						'ephemeral-storage': String(diskBytes + logBytes),
					},
					requests: {cpu: requestedCpus, memory: String(part), 'ephemeral-storage': String(logBytes)},
				},
				securityContext: {
					...isNonRoot,
					privileged: false,
					allowPrivilegeEscalation: false,
					readOnlyRootFilesystem: true,
					capabilities: {drop: ['ALL']},
					seccompProfile,
				},
				volumeMounts: [
					{name: volumeName, mountPath: volumePath},
					{name: 'tmp', mountPath: '/tmp'},
				],
				startupProbe: probe(begunTest, maxWaitSeconds),
				...(build.length > 0 && {readinessProbe: probe(builtTest, 1)}),
			},
		],
		volumes: [
			{name: 'tmp', emptyDir: {medium: 'Memory', sizeLimit: String(part)}},
			...(workspace !== undefined
				? [{name: volumeName, persistentVolumeClaim: claim}]
				: isClaimed
					? []
					: [{name: volumeName, emptyDir: {sizeLimit: String(diskBytes)}}]),
		],
	};
}

const variablesOf = (variables: Readonly<Record<string, string>>) =>
	Object.entries(variables).map(([name, value]) => ({name, value}));

function labelOf(
	{network, limits}: SandboxSpec,
	{runtime, openRanges}: PodOptions,
	{cluster, image}: {readonly cluster: string; readonly image: string},
): string {
	const {memoryBytes, diskBytes} = {...defaultLimits, ...limits};
	const bounds = `${formatMegabytes(memoryBytes)} of memory, ${formatMegabytes(diskBytes)} of disk and ${cpus} processors`;
	const reach =
		typeof network === 'object'
			? `it reaches only ${network.allow.join(', ')}`
			: network === 'open'
				? `its network policy allows ${openRanges.join(', ')} without private ranges`
				: 'its network policy allows nothing but its own loopback';
	return `contained by ${cluster}${runtime === undefined ? '' : ` with ${runtime}`}, image ${image}: ${bounds}; ${reach}`;
}
