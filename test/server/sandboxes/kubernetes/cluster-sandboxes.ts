import {randomUUID} from 'node:crypto';
import {writeFile} from 'node:fs/promises';
import {onTestFinished} from 'vitest';
import {createClusterClient} from '../../../../src/server/sandboxes/kubernetes/cluster-client.ts';
import {findCluster} from '../../../../src/server/sandboxes/kubernetes/kubeconfig.ts';
import {createKubernetesProvider} from '../../../../src/server/sandboxes/kubernetes/kubernetes-provider.ts';
import type {SandboxSpec} from '../../../../src/server/sandboxes/provider.ts';
import {temporaryFolder} from '../sandbox.ts';
import {type Cluster, kubeconfigFor} from './stub-cluster.ts';

type Options = {
	readonly graceSeconds?: number;
	readonly openRanges?: readonly string[];
	readonly image?: string;
	readonly timeoutMs?: number | undefined;
	readonly runtime?: string;
	/** What faults know its requests by. */
	readonly who?: string | undefined;
};

/** Writes the kubeconfig of a cluster, and returns the environment with its path. */
export async function clusterEnvironment(cluster: Cluster, who?: string) {
	const {path, config} = kubeconfigFor(cluster, await temporaryFolder(), who);
	await writeFile(path, JSON.stringify(config));
	return {KUBECONFIG: path};
}

/** Creates a provider on a cluster; sandboxes started through `start` are removed after the test. */
export async function clusterSandboxes(cluster: Cluster, {timeoutMs = 60_000, who, ...options}: Options = {}) {
	const env = await clusterEnvironment(cluster, who);
	const clock = {sleep: async () => {}, random: () => 0};
	const client = createClusterClient({access: findCluster('kubernetes', {env}), env, timeoutMs, clock});
	const provider = createKubernetesProvider({
		client,
		image: 'node:22',
		openRanges: [],
		graceSeconds: 1,
		times: {lookMs: 50, maxDelayMs: 200, endMs: 120_000, startMs: 120_000},
		...options,
	});
	onTestFinished(() => provider.close());
	const start = async (command: readonly string[], spec: Partial<SandboxSpec> = {}) => {
		const id = randomUUID();
		await provider.start({
			id,
			organization: randomUUID(),
			files: new Map(),
			build: [],
			command: {name: 'command', command},
			environment: {},
			deadline: {after: 60_000, action: 'end'},
			...spec,
		});
		return spec.id ?? id;
	};
	const shell = (line: string, spec?: Partial<SandboxSpec>) => start(['sh', '-c', line], spec);
	const log = async (id: string) => (await provider.readLog(id, {}))?.text ?? '';
	return {provider, client, start, shell, log, env};
}
