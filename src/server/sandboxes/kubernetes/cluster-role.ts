/** A rule of a Role (rbac.authorization.k8s.io/v1). */
export type RoleRule = {
	readonly apiGroups: readonly string[];
	readonly resources: readonly string[];
	readonly verbs: readonly string[];
};

/** What a server may do in the namespace of its sandboxes, and nothing else. Deployments and messages are written from this. */
export const sandboxRules: readonly RoleRule[] = [
	{apiGroups: [''], resources: ['namespaces'], verbs: ['get']},
	{apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete']},
	{apiGroups: [''], resources: ['pods/log'], verbs: ['get']},
	// A WebSocket begins with GET, which newer clusters also ask `create` for.
	{apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create']},
	{apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['create', 'delete']},
	{apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create', 'list', 'delete']},
	{
		apiGroups: ['agents.x-k8s.io'],
		resources: ['sandboxes'],
		verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
	},
];

/** The name of the Role. */
export const roleName = 'service-sandboxes';

/** Returns the Role for the namespace of the sandboxes, as the API takes it. */
export function sandboxRole(namespace: string) {
	return {
		apiVersion: 'rbac.authorization.k8s.io/v1',
		kind: 'Role',
		metadata: {name: roleName, namespace},
		rules: sandboxRules,
	} as const;
}

/** Returns the command of an administrator that grants one right. The account is the administrator's to name. */
export function grantCommand(namespace: string, verb: string, resource: string): string {
	return `kubectl -n ${namespace} create role ${roleName} --verb=${verb} --resource=${resource}`;
}
