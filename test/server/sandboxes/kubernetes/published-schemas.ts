import * as z from 'zod/mini';

// The fields that this server sends, as the published schemas have them, without any other: Kubernetes 1.30 to 1.34
// (api/openapi-spec/v3 of kubernetes/kubernetes: core/v1, networking.k8s.io/v1, meta/v1), and the Sandbox of agents.x-k8s.io
// v1beta1 (k8s/crds/agents.x-k8s.io_sandboxes.yaml of kubernetes-sigs/agent-sandbox 0.5.6). A field that is misspelled, in the
// wrong place or of another type is refused, as with `fieldValidation=Strict`.

/** RFC 1123, as names of objects. */
const name = z.string().check(z.regex(/^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/));

const labelValue = z.string().check(z.regex(/^(?:[a-z\d](?:[\w.-]{0,61}[a-z\d])?)?$/i));
const qualified = z.string().check(z.regex(/^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?\/)?[a-z\d](?:[\w.-]{0,61}[a-z\d])?$/i));
const labels = z.record(qualified, labelValue);
const annotations = z.record(qualified, z.string());
const quantity = z.string().check(z.regex(/^\d+(?:\.\d+)?(?:m|k|[KMGTPE]i?)?$/));
const quantities = z.partialRecord(z.enum(['cpu', 'memory', 'ephemeral-storage', 'storage']), quantity);
const metadata = z.strictObject({name, labels: z.optional(labels), annotations: z.optional(annotations)});
const embeddedMetadata = z.strictObject({labels: z.optional(labels), annotations: z.optional(annotations)});
const seccompProfile = z.strictObject({
	type: z.enum(['RuntimeDefault', 'Unconfined', 'Localhost']),
	localhostProfile: z.optional(z.string()),
});
const user = z.int().check(z.gte(0), z.lte(2_147_483_647));

const probe = z.strictObject({
	exec: z.strictObject({command: z.array(z.string())}),
	initialDelaySeconds: z.optional(z.int()),
	periodSeconds: z.int().check(z.gte(1)),
	timeoutSeconds: z.int().check(z.gte(1)),
	successThreshold: z.optional(z.int()),
	failureThreshold: z.int().check(z.gte(1)),
});

const container = z.strictObject({
	name,
	image: z.string().check(z.minLength(1)),
	command: z.array(z.string()),
	args: z.optional(z.array(z.string())),
	workingDir: z.string(),
	env: z.array(z.strictObject({name: z.string().check(z.regex(/^[A-Za-z_][\w.-]*$/)), value: z.string()})),
	resources: z.strictObject({limits: quantities, requests: quantities}),
	securityContext: z.strictObject({
		runAsNonRoot: z.boolean(),
		runAsUser: user,
		runAsGroup: user,
		privileged: z.boolean(),
		allowPrivilegeEscalation: z.boolean(),
		readOnlyRootFilesystem: z.boolean(),
		capabilities: z.strictObject({add: z.optional(z.array(z.string())), drop: z.array(z.string())}),
		seccompProfile,
	}),
	volumeMounts: z.array(z.strictObject({name, mountPath: z.string(), readOnly: z.optional(z.boolean())})),
	startupProbe: z.optional(probe),
	readinessProbe: z.optional(probe),
});

const volume = z.strictObject({
	name,
	emptyDir: z.optional(z.strictObject({medium: z.optional(z.enum(['', 'Memory'])), sizeLimit: quantity})),
	persistentVolumeClaim: z.optional(z.strictObject({claimName: name, readOnly: z.optional(z.boolean())})),
});

const podSpec = z.strictObject({
	restartPolicy: z.enum(['Always', 'OnFailure', 'Never']),
	automountServiceAccountToken: z.boolean(),
	enableServiceLinks: z.boolean(),
	terminationGracePeriodSeconds: z.int().check(z.gte(0)),
	activeDeadlineSeconds: z.optional(z.int().check(z.gte(1))),
	runtimeClassName: z.optional(name),
	securityContext: z.strictObject({
		runAsNonRoot: z.boolean(),
		runAsUser: user,
		runAsGroup: user,
		fsGroup: user,
		fsGroupChangePolicy: z.enum(['OnRootMismatch', 'Always']),
		seccompProfile,
	}),
	containers: z.array(container).check(z.minLength(1)),
	volumes: z.array(volume),
});

const claimSpec = z.strictObject({
	accessModes: z.array(z.enum(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'])),
	resources: z.strictObject({requests: quantities}),
	storageClassName: z.optional(name),
});

const cidr = z.string().check(z.regex(/^[\da-f.:]+\/\d{1,3}$/));
const labelSelector = z.strictObject({matchLabels: labels});
const policyPeer = z.strictObject({
	ipBlock: z.optional(z.strictObject({cidr, except: z.optional(z.array(cidr))})),
	podSelector: z.optional(labelSelector),
	namespaceSelector: z.optional(labelSelector),
});
const policyPort = z.strictObject({
	protocol: z.enum(['TCP', 'UDP', 'SCTP']),
	port: z.int().check(z.gte(1), z.lte(65_535)),
});

/** The bodies of POST, by resource. */
export const bodySchemas = {
	pods: z.strictObject({apiVersion: z.literal('v1'), kind: z.literal('Pod'), metadata, spec: podSpec}),
	persistentvolumeclaims: z.strictObject({
		apiVersion: z.literal('v1'),
		kind: z.literal('PersistentVolumeClaim'),
		metadata,
		spec: claimSpec,
	}),
	networkpolicies: z.strictObject({
		apiVersion: z.literal('networking.k8s.io/v1'),
		kind: z.literal('NetworkPolicy'),
		metadata,
		spec: z.strictObject({
			podSelector: labelSelector,
			policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
			ingress: z.array(z.strictObject({from: z.optional(z.array(policyPeer)), ports: z.optional(z.array(policyPort))})),
			egress: z.array(z.strictObject({to: z.optional(z.array(policyPeer)), ports: z.optional(z.array(policyPort))})),
		}),
	}),
	sandboxes: z.strictObject({
		apiVersion: z.literal('agents.x-k8s.io/v1beta1'),
		kind: z.literal('Sandbox'),
		metadata,
		spec: z.strictObject({
			operatingMode: z.optional(z.enum(['Running', 'Suspended'])),
			podTemplate: z.strictObject({metadata: z.optional(embeddedMetadata), spec: podSpec}),
			volumeClaimTemplates: z.optional(
				z.array(
					z.strictObject({
						metadata: z.strictObject({name: z.optional(name), labels: z.optional(labels)}),
						spec: claimSpec,
					}),
				),
			),
			service: z.optional(z.boolean()),
			shutdownTime: z.optional(z.iso.datetime()),
			shutdownPolicy: z.optional(z.enum(['Delete', 'Retain'])),
		}),
	}),
} as const;

const patchedMetadata = z.strictObject({
	resourceVersion: z.optional(z.string()),
	annotations: z.optional(z.record(qualified, z.nullable(z.string()))),
});

/** The bodies of PATCH, as merge patches. */
export const patchSchemas = {
	pods: z.strictObject({
		metadata: z.optional(patchedMetadata),
		spec: z.optional(z.strictObject({activeDeadlineSeconds: z.int().check(z.gte(1))})),
	}),
	sandboxes: z.strictObject({
		metadata: z.optional(patchedMetadata),
		spec: z.optional(
			z.strictObject({
				operatingMode: z.optional(z.enum(['Running', 'Suspended'])),
				shutdownTime: z.optional(z.nullable(z.iso.datetime())),
			}),
		),
	}),
} as const;

/** `DeleteOptions` of meta/v1. */
export const deleteSchema = z.strictObject({
	apiVersion: z.literal('v1'),
	kind: z.literal('DeleteOptions'),
	propagationPolicy: z.optional(z.enum(['Orphan', 'Background', 'Foreground'])),
	gracePeriodSeconds: z.optional(z.int().check(z.gte(0))),
});
