import {exceptionsOf} from '../../egress/open-ranges.ts';
import type {SandboxNeeds, SandboxSpec} from '../provider.ts';
import {labelsFor, objectName, sandboxLabel} from './object-names.ts';

/** Returns why a network can't be had, in a sentence; undefined if it can. */
export function networkRefusal({network}: SandboxNeeds, open: readonly string[]): string | undefined {
	return network === 'open' && open.length === 0
		? 'The task asks for an open network, and this server has none. Start it with --open-network.'
		: undefined;
}

/** Names are looked up at the cluster’s own servers, which stand in a private range. */
const nameServers = {
	to: [
		{
			namespaceSelector: {matchLabels: {'kubernetes.io/metadata.name': 'kube-system'}},
			podSelector: {matchLabels: {'k8s-app': 'kube-dns'}},
		},
	],
	ports: [
		{protocol: 'UDP', port: 53},
		{protocol: 'TCP', port: 53},
	],
};

const addressRule = (blocks: readonly {readonly cidr: string; readonly except?: readonly string[]}[]) => ({
	to: blocks.map(ipBlock => ({ipBlock})),
});

/** Single hosts are reached by the server’s proxy, through a program inside. */
function egressOf({network}: Pick<SandboxSpec, 'network'>, open: readonly string[]) {
	const blocks = open.map(cidr => ({cidr, except: exceptionsOf(cidr)}));
	return network === 'open' ? [nameServers, addressRule(blocks)] : [];
}

/**
 * Returns the body of a NetworkPolicy for one sandbox: nothing reaches it, since its services are reached by programs inside,
 * and it reaches what the task asks and the operator opens.
 */
export function networkPolicy(spec: SandboxSpec, open: readonly string[]) {
	return {
		apiVersion: 'networking.k8s.io/v1',
		kind: 'NetworkPolicy',
		metadata: {name: objectName(spec.id), labels: labelsFor(spec)},
		spec: {
			podSelector: {matchLabels: {[sandboxLabel]: spec.id}},
			policyTypes: ['Ingress', 'Egress'],
			ingress: [],
			egress: egressOf(spec, open),
		},
	};
}
