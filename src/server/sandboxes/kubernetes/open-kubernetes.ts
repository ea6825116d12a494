import type {Environment} from '../../../core/environment.ts';
import {parseOpenRanges} from '../../egress/open-ranges.ts';
import type {SandboxProvider} from '../provider.ts';
import {createClusterClient} from './cluster-client.ts';
import {findCluster} from './kubeconfig.ts';
import {createKubernetesProvider} from './kubernetes-provider.ts';

export type ClusterOptions = {
	/** `kubernetes[=context/namespace]` */
	readonly engine: string;
	readonly image?: string | undefined;
	readonly runtime?: string | undefined;
	readonly openNetwork?: string | undefined;
};

/** How long a sandbox may take to shut down, in seconds. */
const graceSeconds = 2;

/**
 * Creates the provider of a cluster, which connects when it is used first. Throws what `findCluster` and `parseOpenRanges`
 * throw.
 */
export function openKubernetes(
	{engine, image, runtime, openNetwork}: ClusterOptions,
	env: Environment,
): SandboxProvider {
	const client = createClusterClient({access: findCluster(engine, {env}), env});
	const hint = 'Use --open-network 0.0.0.0/0, or the ranges that tasks may reach, with commas.';
	const openRanges = parseOpenRanges(openNetwork, hint);
	return createKubernetesProvider({client, image, runtime, openRanges, graceSeconds});
}
