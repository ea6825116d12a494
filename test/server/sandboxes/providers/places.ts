import {dirname} from 'node:path';
import {standardPath} from '../../../../src/server/sandboxes/local-launch.ts';
import {createLocalProvider} from '../../../../src/server/sandboxes/local-provider.ts';
import type {SandboxProvider, SandboxSpec} from '../../../../src/server/sandboxes/provider.ts';
import {openedLoopback} from '../allowed-hosts.ts';
import {engineSandboxes, hasPodman, type Podman, podmanReason, startPodman} from '../docker/podman.ts';
import {clusterSandboxes} from '../kubernetes/cluster-sandboxes.ts';
import {stubCluster} from '../kubernetes/stub-cluster.ts';
import {containersReason, hasContainers, startContainer} from '../kubernetes/stub-container.ts';
import {containmentHere, localSandboxes, plainPath} from '../sandbox.ts';
import {supervisor} from '../supervisor.ts';

/** What not every place can do. */
export type Ability =
	| 'pause'
	/** A paused sandbox keeps its memory. */
	| 'freeze'
	| 'images'
	/** Ends a sandbox at its deadline without a server. */
	| 'deadline'
	/** Starts what an earlier call has started. */
	| 'startAgain'
	/** Takes two such calls at the same moment for one. */
	| 'startTogether'
	| 'memory'
	| 'list'
	/** Is somewhere else, and may go away. */
	| 'away'
	/** Limits the network of a sandbox. */
	| 'hosts'
	/** Knows whether a line is open when it adds one. */
	| 'openLines'
	/** Ends one direction of a connection to a service alone. */
	| 'halfClose';

/** Servers at a place, and what they started there, which ends with the test. */
export type World = {
	readonly provider: SandboxProvider;
	readonly start: (command: readonly string[], spec?: Partial<SandboxSpec>) => Promise<string>;
	readonly shell: (line: string, spec?: Partial<SandboxSpec>) => Promise<string>;
	readonly log: (id: string) => Promise<string>;
	/** Returns another server. */
	readonly another: () => Promise<Pick<World, 'provider' | 'log'>>;
	/** Takes the engine away, as a crash does, and brings it back. */
	readonly leave?: () => Promise<void>;
	readonly comeBack?: () => Promise<void>;
	/** What was asked although the published schemas refuse it. */
	readonly violations: readonly string[];
};

/** A place where sandboxes run. */
export type Place = {
	readonly name: string;
	/** Why it isn't tested here; empty if it is. */
	readonly skipped: string;
	/** What it can't do, and why. */
	readonly lacks: Partial<Record<Ability, string>>;
	/** The first line of a log. */
	readonly contained: RegExp;
	/** What a log says when memory is used up. */
	readonly outOfMemory?: RegExp;
	/** An image that it doesn't have, and how it says so. */
	readonly missingImage?: readonly [name: string, message: string];
	readonly begin?: () => Promise<void>;
	readonly close?: () => Promise<void>;
	/** Returns servers that give sandboxes this long to shut down; a second or less by default. */
	readonly open: (graceSeconds?: number) => Promise<World>;
};

const withLog = (provider: SandboxProvider) => ({
	provider,
	log: async (id: string) => (await provider.readLog(id, {}))?.text ?? '',
});

const machine = {images: 'a machine has one system', list: 'its folder lists what it has', away: 'it is here'};
const once = 'its server starts each sandbox once';
const noStartAgain = {startAgain: once, startTogether: once};

const openLocal = async (options: Parameters<typeof localSandboxes>[0]): Promise<World> => {
	const {root, provider, script, shell, log} = await localSandboxes(options);
	return {
		...{provider, shell, log, violations: []},
		start: (words, spec) => script('', {command: {name: 'command', command: words}, ...spec}),
		another: async () => withLog(createLocalProvider({root, graceMs: 300, environment: {PATH: plainPath}, supervisor})),
	};
};

const graceOf = (seconds?: number) => (seconds === undefined ? {} : {graceMs: seconds * 1000});

const here = await containmentHere();

const plain: Place = {
	name: 'a machine without containment',
	skipped: '',
	lacks: {...machine, ...noStartAgain, hosts: 'only bubblewrap limits a network'},
	contained:
		/^\[sandbox] NOT contained: bubblewrap is missing or does not work here, so this runs with the permissions of the server.*; the network is OPEN: it reaches services on loopback, other sandboxes and 169\.254\.0\.0\/16$/,
	open: graceSeconds => openLocal({...graceOf(graceSeconds)}),
};

const contained: Place = {
	name: 'a machine with bubblewrap',
	skipped: here.bubblewrap && here.network ? '' : ' (skipped: needs bubblewrap, pasta and ip)',
	lacks: {...machine, ...noStartAgain},
	contained: /^\[sandbox] contained by bubblewrap/,
	open: graceSeconds =>
		openLocal({
			...graceOf(graceSeconds),
			path: [...standardPath, dirname(process.execPath)].join(':'),
			containment: here,
			openRanges: openedLoopback,
		}),
};

const entry = 'its entry doesn’t see what the programs write';

let podman: Podman | undefined;

const podmanPlace: Place = {
	name: 'Podman',
	skipped: podmanReason,
	lacks: {deadline: 'the server keeps it', openLines: entry, startTogether: 'Podman 4.3 mixes up two of one name'},
	contained:
		/^\[sandbox] contained by Podman \S+, image localhost\/service-test:1: .*; no network but its own loopback$/,
	outOfMemory: /^\[sandbox] the system killed a process: 256 MB of memory are used up$/m,
	missingImage: [
		'localhost/nothing:1',
		'Docker has no image “localhost/nothing:1”. Pull it there, or name another one.',
	],
	async begin() {
		podman = hasPodman ? await startPodman() : undefined;
	},
	close: async () => await podman?.close(),
	async open(graceSeconds = 1) {
		const sandboxes = () => engineSandboxes(podman?.socket ?? '', {openRanges: openedLoopback, graceSeconds});
		return {
			...sandboxes(),
			another: async () => sandboxes(),
			leave: async () => await podman?.end(),
			comeBack: async () => await podman?.begin(),
			violations: [],
		};
	},
};

const clusterPlace = (hasSandboxes: boolean): Place => ({
	name: hasSandboxes ? 'Kubernetes with Sandbox objects' : 'Kubernetes with pods',
	skipped: containersReason,
	lacks: {
		...(hasSandboxes ? {} : {pause: 'a pod can’t be paused', halfClose: 'this cluster speaks v4 of the protocol'}),
		freeze: 'a paused pod keeps its files alone',
		deadline: 'the server keeps it',
		openLines: entry,
		memory: 'the stub has no control groups',
	},
	contained:
		/^\[sandbox] contained by Kubernetes v1\.33\.1, image node:22: .*; its network policy allows nothing but its own loopback$/,
	missingImage: [
		'nothing:1',
		'Kubernetes couldn’t start the sandbox: ImagePullBackOff, Back-off pulling image "nothing:1": not found.',
	],
	async open(graceSeconds = 1) {
		const cluster = await stubCluster({
			startContainer,
			hasSandboxes,
			missingImages: ['nothing:1'],
			...(!hasSandboxes && {protocol: 'v4.channel.k8s.io'}),
		});
		const sandboxes = () => clusterSandboxes(cluster, {openRanges: openedLoopback, graceSeconds});
		const world = await sandboxes();
		await world.provider.summary();
		return {
			...world,
			another: async () => {
				const other = await sandboxes();
				await other.provider.summary();
				return other;
			},
			leave: cluster.stop,
			comeBack: cluster.begin,
			violations: cluster.violations,
		};
	},
});

export const places: readonly Place[] = [
	plain,
	contained,
	podmanPlace,
	...(hasContainers ? [clusterPlace(false), clusterPlace(true)] : [clusterPlace(true)]),
];
